#pragma once

/// \file
/// Number-theoretic transforms over the devices of a pool: batches are divided, and one large transform is computed by several devices.

#include <cstddef>
#include <cupool/kernels/ntt.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <cupool/pool/pool_output_operand.hpp>
#include <memory>

namespace cupool {

namespace detail {
template <Curve C>
struct PooledNttDomainState;
}

/// The domain of transforms over a pool: an NttDomain on each device, made when the device first needs it, which that transform waits for.
/// Copyable; copies share them, and keep the pool. Thread-safe. In a forked child every member throws forked, and after a move from it
/// wrong_context.
template <Curve C>
requires NttCurve<C>
class PooledNttDomain {
public:
    /// With the field's usual root. \throws Error as NttDomain's constructor does for the size and the root
    PooledNttDomain(const DevicePool& pool, std::size_t size, SourceLocation where = SourceLocation::current());
    /// With a root of the order `size`, in standard form.
    PooledNttDomain(const DevicePool& pool, std::size_t size, const Scalar& root, SourceLocation where = SourceLocation::current());

    /// The pool whose devices it is for.
    const DevicePool& pool(SourceLocation where = SourceLocation::current()) const;
    /// The largest number of elements of a transform.
    std::size_t size(SourceLocation where = SourceLocation::current()) const;
    /// The root of unity of order size(), in standard form.
    Scalar root(SourceLocation where = SourceLocation::current()) const;
    /// The domain of one member of the pool, by its index: for transforms of one's own on that device. Makes it if it is new.
    /// \throws Error invalid_argument past the end, out_of_memory, and any error of the driver
    NttDomain<C> domain_at(std::size_t index, SourceLocation where = SourceLocation::current()) const;
    /// For the library: what the copies share.
    detail::PooledNttDomainState<C>& state(SourceLocation where = SourceLocation::current()) const;

private:
    std::shared_ptr<detail::PooledNttDomainState<C>> state_;
};

/// Transforms config.batch_size arrays on the devices of the domain's pool, or on the host if the pool is the host. Sizes, forms, orderings
/// and results are those of cupool::ntt() on one device, to the bit.
///
/// - A batch in host memory is divided among the devices that are not quarantined in proportion to DevicePool::weights(), at least 4 MiB
///   for each; a smaller one goes to the device with the fewest tasks of the pool in flight. Each device takes it in steps of at most 1
///   GiB, so a batch may be larger than the memory of all devices. A columns batch is divided by columns, at least 16 for each device, if
///   it has fewer than 2^26; otherwise one device does it as a whole.
/// - A batch in slices is transformed where the slices are: each holds whole transforms. A batch on one device is transformed there.
/// - One transform in 2^k slices of equal size (k = 1 to 5), of more than 2^10 elements, is computed by the slices' devices together. Each
///   transforms its share of every pass, and the passes read and write the slices of the others over the links between the devices. That
///   takes as much memory on each device as its slice, and as much again if the outputs are in host memory. The devices must have direct
///   links (see PeerManager), and the slices must lie in plain memory or in the memory pool of the device's context in the pool; otherwise
///   the device of the first slice gathers the elements and computes the transform alone.
/// - One transform in host memory, of 2^18 elements or more, is computed in the same way by 2^k of the devices if they have direct links.
///   It takes twice the memory of its elements, divided among these devices; out_of_memory names the bytes that one of them lacked.
///
/// Inputs and outputs may lie in different kinds of memory. Those of a batch that both lie on devices lie on the same ones: in slices of
/// the same sizes, or on one device. Inputs and outputs are the same array (the transform is in place then) or do not overlap.
///
/// `config.ctx` is not used. Work on device memory runs after earlier work of the devices' default streams. The call returns when the
/// outputs are there. The report counts bytes that cross links between devices too. Thread-safe.
/// \throws Error as cupool::ntt() does, and: unsupported (config.is_async; a columns batch in slices; an operand on a device although the
/// pool is the host), invalid_argument (slices that do not hold whole transforms, two slices on one device, a slice on a quarantined
/// device, operands on different devices), wrong_context (an operand is on a device outside of the pool), no_device (every device is
/// quarantined), device_fault
template <Curve C>
requires NttCurve<C> RunReport ntt(const PoolOperand<Scalar>& inputs, NttDirection direction, const PooledNttDomain<C>& domain,
                                   const NttConfig& config, const PoolOutputOperand<Scalar>& outputs,
                                   SourceLocation where = SourceLocation::current());

}  // namespace cupool
