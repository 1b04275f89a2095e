#pragma once

/// \file
/// The hash functions Poseidon and Poseidon2 over the scalar fields of BN254 and BLS12-381: permutations, hashes, sponges, Merkle trees.
///
/// All functions run on one device, or on the host's cores if `config.ctx` is the host. Inputs of r and above are taken modulo r; outputs
/// are below r, so every engine and device gives the same bits. Inputs and outputs lie in host memory or in that of the context's device,
/// in any mix; arrays in device memory are aligned to 16 bytes. They must not overlap, except that poseidon_permute() may work in place.
/// Work is ordered on the context's stream. With config.is_async a copy of the permutation must live until the work is done. All functions
/// are thread-safe and throw Error invalid_argument (a flag contradicts its operand; sizes do not fit; an operand is misaligned; inputs and
/// outputs overlap), wrong_context (an operand is on another device; the permutation is of another device or context), unsupported (2^32
/// hashes or more), out_of_memory, and any error of the driver.
///
/// Poseidon of width 6 to 17 keeps states in so much local memory that the driver sets some aside for every thread that the device can
/// hold: 0.42 GB of an H100, from the first launch until the context ends.

#include <cstddef>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/curve.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/run_report.hpp>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

namespace cupool {

/// The curves with a scalar field in which x^5 has an inverse.
template <Curve C>
concept PoseidonCurve = C == Curve::bn254 || C == Curve::bls12_381;

/// Which Poseidon: it decides the constants, the domain tag (the first value of the capacity element) and which element is the digest.
enum class PoseidonVariant {
    /// Poseidon with the constants that its authors' script makes; of BN254 these are circomlib's. Widths 2 to 17. The tag is 0, and the
    /// digest is the first element of the state.
    original,
    /// Poseidon as Filecoin uses it (the Rust crate neptune), over BLS12-381. Widths 3, 5, 9, 12. The tag is 2^(width - 1) - 1, that of a
    /// Merkle tree, and the digest is the second element of the state.
    filecoin,
    /// Poseidon2 with the constants of Horizen Labs, which barretenberg and others use too. Widths 2, 3, 4, 8. The tag is 0, in the last
    /// element of the state, and the digest is the first one.
    poseidon2,
};

/// "original", "filecoin", "poseidon2".
std::string to_string(PoseidonVariant variant);
std::ostream& operator<<(std::ostream& out, PoseidonVariant variant);

namespace detail {
template <Curve C>
struct PoseidonState;
}

/// A permutation, with its constants on one device or on the host. Copyable; copies share them. A use of a moved-from one throws
/// wrong_context. Thread-safe. The constants are computed, not stored: that takes 2 milliseconds of the host's time for width 3 and 30 for
/// width 17.
template <Curve C>
requires PoseidonCurve<C>
class Poseidon {
public:
    /// \param width  the elements of the state, t: one more than a hash of the variant takes \throws Error unsupported (the variant has no
    /// such width, or not over this field), out_of_memory, and any error of the driver
    Poseidon(PoseidonVariant variant, unsigned width, const DeviceContext& context, SourceLocation where = SourceLocation::current());

    /// Whose constants it has.
    PoseidonVariant variant(SourceLocation where = SourceLocation::current()) const;
    /// The elements of the state.
    unsigned width(SourceLocation where = SourceLocation::current()) const;
    /// The rounds that raise one element to its fifth power; there are 8 more, which raise all of them.
    unsigned partial_rounds(SourceLocation where = SourceLocation::current()) const;
    /// Where the constants lie.
    const DeviceContext& context(SourceLocation where = SourceLocation::current()) const;
    /// For the library: what the copies share.
    const detail::PoseidonState<C>& state(SourceLocation where = SourceLocation::current()) const;

private:
    std::shared_ptr<const detail::PoseidonState<C>> state_;
};

/// How hashes run. The fields that ICICLE v2 has too have its names and meaning.
struct PoseidonConfig {
    DeviceContext ctx{};  ///< the device, stream and memory pool that do the work, or DeviceContext::host(); the permutation's context
    bool are_inputs_on_device = false;   ///< must agree with where the inputs are
    bool are_outputs_on_device = false;  ///< must agree with where the outputs are
    /// Whether the inputs of a hash are `width` elements apart, with one unused place. It affects only hashes without is_compression.
    bool input_is_a_state = false;
    bool aligned = false;  ///< with input_is_a_state: whether the unused place is the first one, otherwise the last
    /// Whether all elements, inputs and outputs, are in Montgomery form (R = 2^256), or in standard form.
    bool is_montgomery_form = false;
    /// Instead of the variant's tag, in standard form; not with is_compression, which has none.
    std::optional<Scalar> domain_tag{};
    /// Whether hashes, and those of trees, take `width` elements and no tag: the digest is the first element of what the permutation gives,
    /// plus the first one of what it got (the compression of section 3 of the paper on Poseidon2). Sponges refuse it.
    bool is_compression = false;
    /// With both operands on the device: return when the work is enqueued on the stream. Otherwise it has no effect.
    bool is_async = false;

    /// The null stream and default memory pool of a device. \throws as DeviceContext::default_for_device()
    static PoseidonConfig default_for_device(int device, SourceLocation where = SourceLocation::current());
    /// All cores of the host.
    static PoseidonConfig default_for_host();
};

/// outputs[i] = permutation(inputs[i]) for states of `width` elements each.
template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_permute(const Operand<Scalar>& inputs, const Poseidon<C>& poseidon,
                                                     const PoseidonConfig& config, const OutputOperand<Scalar>& outputs,
                                                     SourceLocation where = SourceLocation::current());

/// outputs[i] = the digest of the i-th `width` - 1 inputs (of `width` of them with config.is_compression).
template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_hash(const Operand<Scalar>& inputs, const Poseidon<C>& poseidon, const PoseidonConfig& config,
                                                  const OutputOperand<Scalar>& outputs, SourceLocation where = SourceLocation::current());

/// outputs[i] = the digest of the i-th row of `row_length` inputs, by a sponge with a rate of `width` - 1 elements; zeros fill up the last
/// ones. Without config.domain_tag the tag is row_length * 2^64, that of constant-input-length hashing (the paper on Poseidon,
/// section 4.2), so that rows of different lengths have different digests.
template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_sponge(const Operand<Scalar>& inputs, std::size_t row_length, const Poseidon<C>& poseidon,
                                                    const PoseidonConfig& config, const OutputOperand<Scalar>& outputs,
                                                    SourceLocation where = SourceLocation::current());

/// The elements of the rows of a Merkle tree over so many leaves, without the leaves: of the `keep_rows` last ones, or of all if that is 0.
/// A hash takes `arity` elements. \throws Error invalid_argument (the arity is below 2; the leaves are no power of it, or just one; the
/// tree has fewer rows)
std::size_t poseidon_tree_size(std::size_t leaves, std::size_t arity, unsigned keep_rows = 0,
                               SourceLocation where = SourceLocation::current());

/// The Merkle tree over the leaves, whose number is a power of the arity, and at least the arity: `width` - 1, or `width` with
/// config.is_compression. Outputs are the `keep_rows` last rows, or all if that is 0, each after the one of which it is made: the root is
/// the last element. On a device, rows that are not kept take memory of the context's pool.
template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_merkle_tree(const Operand<Scalar>& leaves, const Poseidon<C>& poseidon, unsigned keep_rows,
                                                         const PoseidonConfig& config, const OutputOperand<Scalar>& outputs,
                                                         SourceLocation where = SourceLocation::current());

}  // namespace cupool
