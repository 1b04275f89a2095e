#pragma once

#include <cstdint>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/curve.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/run_report.hpp>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>

namespace cupool {

/// Which number-theoretic transform (NTT) over N elements, with a root w of order N: `forward` is X[k] = sum of x[i] w^(i k) over all i,
/// `inverse` undoes it: x[i] = (1 / N) times the sum of X[k] w^(-i k) over all k.
enum class NttDirection { forward, inverse };

std::string to_string(NttDirection direction);
std::ostream& operator<<(std::ostream& out, NttDirection direction);

/// The order of the inputs, then that of the outputs. `natural`: element i is at i. `reversed`: it is at i with its log2 N bits reversed.
/// `mixed`: it is at ntt_mixed_position(log2 N, i), the order that takes the fewest moves between a transform and its inverse.
enum class NttOrdering {
    natural_natural,    ///< ICICLE's kNN
    natural_reversed,   ///< ICICLE's kNR
    reversed_natural,   ///< ICICLE's kRN
    reversed_reversed,  ///< ICICLE's kRR
    natural_mixed,      ///< ICICLE's kNM; ICICLE's mixed order differs from ours
    mixed_natural,      ///< ICICLE's kMN; ICICLE's mixed order differs from ours
};

/// "NN", "NR", "RN", "RR", "NM", "MN".
std::string to_string(NttOrdering ordering);
std::ostream& operator<<(std::ostream& out, NttOrdering ordering);

/// Where the mixed order of a transform over 2^log_size elements has element `index`. Up to 2^10 elements the order is natural. Otherwise
/// log_size is the sum of two (up to 20) or three numbers a, b, c that differ by at most one, larger ones first; with index = k1 + 2^a k2 +
/// 2^(a+b) k3, where k1 has a bits and k2 has b bits, the position is k1 2^(b+c) + k2 2^c + k3. \pre log_size <= 30, index < 2^log_size
std::uint32_t ntt_mixed_position(unsigned log_size, std::uint32_t index);

/// The scalar fields are those of the curves that are a G1.
template <Curve C>
concept NttCurve = base_field_degree<C>
== 1;

/// The largest k for which the scalar field has roots of unity of order 2^k: 28 for BN254, 32 for BLS12-381, 47 for BLS12-377.
template <Curve C>
requires NttCurve<C>
unsigned ntt_two_adicity();

/// The field's usual root of unity of order 2^log_size, in standard form: g^((r - 1) / 2^log_size) with the multiplicative generator g that
/// arkworks uses: 5 for BN254, 7 for BLS12-381, 22 for BLS12-377. \throws Error invalid_argument if log_size is above the two-adicity
template <Curve C>
requires NttCurve<C> Scalar ntt_root_of_unity(unsigned log_size, SourceLocation where = SourceLocation::current());

namespace detail {
template <Curve C>
struct NttDomainState;
}

/// What transforms up to a size share: the powers of a root of unity, on one device or on the host. Copyable; copies share them. A use of
/// a moved-from domain throws wrong_context. Thread-safe. The powers of coset generators are made at their first use, which waits for
/// them, and kept until the last copy of the domain is destroyed.
///
/// On a device it takes 32 bytes for each element of the size and of each coset generator and its inverse, but never more than 512 MiB plus
/// 1 MiB each; beyond 2^24 elements two smaller tables and one more multiplication take its place.
template <Curve C>
requires NttCurve<C>
class NttDomain {
public:
    /// With the field's usual root. \param size  the largest number of elements of a transform, a power of two up to 2^30 \throws Error
    /// invalid_argument (the size is no power of two, or the field has no root of that order), unsupported (a size above 2^30),
    /// out_of_memory, and any error of the driver
    NttDomain(std::size_t size, const DeviceContext& context, SourceLocation where = SourceLocation::current());
    /// With a root of the order `size`, in standard form. \throws additionally Error invalid_argument if it has another order
    NttDomain(std::size_t size, const Scalar& root, const DeviceContext& context, SourceLocation where = SourceLocation::current());

    /// The largest number of elements of a transform.
    std::size_t size(SourceLocation where = SourceLocation::current()) const;
    /// The root of unity of order size(), in standard form.
    Scalar root(SourceLocation where = SourceLocation::current()) const;
    /// Where it lies.
    const DeviceContext& context(SourceLocation where = SourceLocation::current()) const;
    /// For the library: what the copies share.
    const detail::NttDomainState<C>& state(SourceLocation where = SourceLocation::current()) const;

private:
    std::shared_ptr<detail::NttDomainState<C>> state_;
};

/// How transforms run. The fields have ICICLE v2's names and meaning.
struct NttConfig {
    DeviceContext ctx{};  ///< the device, stream and memory pool that do the work, or DeviceContext::host(); the domain's context
    /// In standard form. With a generator g other than 1, a forward transform evaluates at g w^k instead of w^k, and an inverse one undoes
    /// that.
    Scalar coset_gen{{1}};
    std::size_t batch_size = 1;  ///< the number of transforms in one call; they have equal sizes
    /// Element i of transform b is at i * batch_size + b (a matrix with a transform in each column), instead of at b * N + i.
    bool columns_batch = false;
    NttOrdering ordering = NttOrdering::natural_natural;  ///< of inputs and outputs
    bool are_inputs_on_device = false;                    ///< must agree with where the inputs are
    bool are_outputs_on_device = false;                   ///< must agree with where the outputs are
    /// With both operands on the device: return when the work is enqueued on the stream. Otherwise it has no effect.
    bool is_async = false;

    /// The null stream and default memory pool of a device. \throws as DeviceContext::default_for_device()
    static NttConfig default_for_device(int device, SourceLocation where = SourceLocation::current());
    /// All cores of the host.
    static NttConfig default_for_host();
};

/// Transforms config.batch_size arrays of inputs.size() / config.batch_size elements each, on one device, or on the host's cores if
/// `config.ctx` is the host. The number of elements N of a transform is a power of two up to the domain's size; its root is
/// domain.root()^(domain.size() / N).
///
/// Elements are scalars in standard form or in Montgomery form: the outputs have the form of the inputs, since a transform is linear.
/// Inputs of r and above are taken modulo r; outputs are below r, so every engine and device gives the same bits. Inputs and outputs lie
/// in host memory or in that of the context's device, aligned to 16 bytes there, in any mix. They are the same array (the transform is in
/// place then) or do not overlap. On a device, a transform of more than 2^10 elements takes as much memory of the context's pool as the
/// outputs, except to the mixed order, and operands in host memory take theirs; if there is too little, the error names the bytes.
///
/// Work is ordered on the context's stream. With config.is_async a copy of the domain must live until the work is done. Thread-safe.
/// \throws Error invalid_argument (a flag contradicts its operand; sizes differ; N is no power of two or above the domain's size; the
/// batch is 0; the coset generator is 0; an operand is misaligned; inputs and outputs overlap in part), wrong_context (an operand or the
/// domain is of another device or context), unsupported (2^32 elements or more), out_of_memory, and any error of the driver
template <Curve C>
requires NttCurve<C> RunReport ntt(const Operand<Scalar>& inputs, NttDirection direction, const NttDomain<C>& domain,
                                   const NttConfig& config, std::span<Scalar> outputs, SourceLocation where = SourceLocation::current());
template <Curve C>
requires NttCurve<C> RunReport ntt(const Operand<Scalar>& inputs, NttDirection direction, const NttDomain<C>& domain,
                                   const NttConfig& config, DeviceSpan<Scalar> outputs, SourceLocation where = SourceLocation::current());

}  // namespace cupool
