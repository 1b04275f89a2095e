#pragma once

#include <cstddef>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/reduce.hpp>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cupool {

/// Several devices as one: the devices of a host in a chosen order, each with its retained primary context (retained when first used).
///
/// A pool may instead hold the host itself (all_or_host(), host()): then is_host() is true, it has one member, and algorithms run on the
/// host's cores. Copyable: copies share the same state. All members are safe from any thread.
class DevicePool {
public:
    /// Every device that the driver shows, in its order.
    /// \throws Error no_device where there is none, driver_unavailable where the probe says why not.
    static DevicePool all();
    /// The same for a given driver.
    static DevicePool all(const std::shared_ptr<const Driver>& driver);

    /// The devices that the probe finds usable, or, where it finds none, a pool whose one member is the host; the log says which and why.
    /// \throws Error forked in a child of a process that had initialised the driver, which must not be taken for a host without GPUs, and
    ///         driver_unavailable where the probe met a failure that says nothing about the GPUs.
    static DevicePool all_or_host();

    /// The host itself. \param threads  how many cores algorithms use; 0 means all
    static DevicePool host(unsigned threads = 0);

    /// These devices, in this order. \throws Error invalid_argument (empty list or a repeated ordinal), invalid_device (unknown ordinal).
    static DevicePool with_devices(std::span<const int> ordinals);
    /// The same for a given driver.
    static DevicePool with_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals);

    bool is_host() const;
    Engine engine() const;
    std::size_t device_count() const;

    /// The ordinal at an index of the pool's order. \throws Error invalid_argument past the end; unsupported on a host pool.
    int device_at(std::size_t index) const;
    /// The context of the device at an index; a host pool's one member is at index 0. \throws Error invalid_argument past the end, and what
    /// retaining a primary context throws.
    const DeviceContext& context_at(std::size_t index) const;
    /// The context of a device by its ordinal. \throws Error invalid_device where it is not in the pool, and what retaining a primary
    /// context throws.
    const DeviceContext& context(int ordinal) const;
    /// The ordinals, in order; empty on a host pool.
    const std::vector<int>& devices() const;

    /// The next ordinal, round robin in the pool's order, counting in 64 bits. \throws Error unsupported on a host pool.
    int next_device() const;

    /// One MSM, its terms sharded evenly over the devices; the same contract as cupool::msm(), whose config.ctx is not looked at.
    /// Operands are host memory. \throws what cupool::msm() throws.
    template <Curve C>
    RunReport msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                  JacobianPoint<C>& result) const;

    /// A reduction over host memory, on the pool's first device (float order depends on the length alone).
    template <class T>
    RunReport reduce(std::span<const T> input, ReduceOperation operation, T& result) const;

    /// Element by element over one buffer a device: result[i] = buffers[0][i] (op) buffers[1][i] (op) ..., from left to right.
    /// The buffers lie on devices of the pool, in any order, and have equal sizes. The other devices' data travels over peer links, not
    /// through host memory, where the devices have one. Waits for what was given to the devices' default streams before, and returns when
    /// the result is there. \return a buffer on the first buffer's device. \throws Error invalid_argument (no buffer, unequal sizes),
    /// wrong_context (a device outside the pool), unsupported on a host pool.
    template <class T>
    DeviceBuffer<T> reduce_results(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation) const;

private:
    class State;
    explicit DevicePool(std::shared_ptr<State> state);

    std::shared_ptr<State> state_;
};

std::string to_string(const DevicePool& pool);
std::ostream& operator<<(std::ostream& out, const DevicePool& pool);

}  // namespace cupool
