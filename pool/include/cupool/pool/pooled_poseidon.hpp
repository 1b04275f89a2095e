#pragma once

/// \file
/// Poseidon over the devices of a pool: permutations, hashes, sponges and Merkle trees.
///
/// Configurations and results are those of the functions of the same names on one device (poseidon.hpp), to the bit. What is many is
/// divided: states, hashes, rows; of a tree, the subtrees.
///
/// - Operands in host memory are divided among the devices that are not quarantined in proportion to DevicePool::weights(), at least 4 MiB
///   of inputs for each; a smaller job goes to the device with the fewest tasks of the pool in flight. Each device takes its part in steps
///   of at most 1 GiB, so the operands may be larger than the memory of all devices.
/// - Operands in slices, or on one device, are worked on where they lie: a slice holds whole states, hashes or rows. If inputs and outputs
///   both lie on devices, they lie on the same ones, and their slices hold the same items.
///
/// `config.ctx` is not used. Work on device memory runs after earlier work of the devices' default streams. The calls return when the
/// outputs are there. All functions are thread-safe and throw what those of one device throw, and Error unsupported (config.is_async; an
/// operand on a device although the pool is the host), invalid_argument (a slice that does not hold whole items, two slices on one device,
/// a slice on a quarantined device, operands on different devices), wrong_context (an operand is on a device outside of the pool),
/// no_device (every device is quarantined), device_fault.

#include <cupool/kernels/poseidon.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <cupool/pool/pool_output_operand.hpp>
#include <memory>

namespace cupool {

namespace detail {
template <Curve C>
struct PooledPoseidonState;
}

/// A permutation on each device of a pool, made when the device first needs it. Copyable; copies share them, and keep the pool.
/// Thread-safe. In a forked child every member throws forked, and after a move from it wrong_context.
template <Curve C>
requires PoseidonCurve<C>
class PooledPoseidon {
public:
    /// \throws Error as Poseidon's constructor does for the variant and the width
    PooledPoseidon(const DevicePool& pool, PoseidonVariant variant, unsigned width, SourceLocation where = SourceLocation::current());

    /// The pool whose devices it is for.
    const DevicePool& pool(SourceLocation where = SourceLocation::current()) const;
    /// Whose constants it has.
    PoseidonVariant variant(SourceLocation where = SourceLocation::current()) const;
    /// The elements of the state.
    unsigned width(SourceLocation where = SourceLocation::current()) const;
    /// The permutation of one member of the pool, by its index: for work of one's own on that device. Makes it if it is new.
    /// \throws Error invalid_argument past the end, out_of_memory, and any error of the driver
    Poseidon<C> poseidon_at(std::size_t index, SourceLocation where = SourceLocation::current()) const;
    /// For the library: what the copies share.
    detail::PooledPoseidonState<C>& state(SourceLocation where = SourceLocation::current()) const;

private:
    std::shared_ptr<detail::PooledPoseidonState<C>> state_;
};

/// poseidon_permute() of states that the devices divide.
template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_permute(const PoolOperand<Scalar>& inputs, const PooledPoseidon<C>& poseidon,
                                                     const PoseidonConfig& config, const PoolOutputOperand<Scalar>& outputs,
                                                     SourceLocation where = SourceLocation::current());

/// poseidon_hash() of hashes that the devices divide.
template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_hash(const PoolOperand<Scalar>& inputs, const PooledPoseidon<C>& poseidon,
                                                  const PoseidonConfig& config, const PoolOutputOperand<Scalar>& outputs,
                                                  SourceLocation where = SourceLocation::current());

/// poseidon_sponge() of rows that the devices divide.
template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_sponge(const PoolOperand<Scalar>& inputs, std::size_t row_length,
                                                    const PooledPoseidon<C>& poseidon, const PoseidonConfig& config,
                                                    const PoolOutputOperand<Scalar>& outputs,
                                                    SourceLocation where = SourceLocation::current());

/// poseidon_merkle_tree() whose subtrees the devices divide; one device computes the rows above them. Leaves in slices are divided as they
/// lie: the slices hold whole subtrees of one size, at least `arity` leaves. The roots of the subtrees pass through host memory; they are
/// as few as the slices allow, so slices of a power of the arity are best. \param outputs  in host memory if the leaves are in slices; on a
/// device, that device computes the whole tree \throws Error additionally unsupported (leaves in slices and outputs on a device)
template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_merkle_tree(const PoolOperand<Scalar>& leaves, const PooledPoseidon<C>& poseidon,
                                                         unsigned keep_rows, const PoseidonConfig& config,
                                                         const PoolOutputOperand<Scalar>& outputs,
                                                         SourceLocation where = SourceLocation::current());

}  // namespace cupool
