#pragma once

#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/stream.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/kernels/run_report.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/peer_path.hpp>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace cupool {

namespace detail {

/// A buffer of a collective, whatever its elements are.
struct PeerBuffer {
    abi::DevicePointer pointer;
    std::size_t bytes;
    int device;  ///< ordinal
};

}  // namespace detail

/// How a collective runs.
struct CollectiveConfig {
    /// Whether the call returns when its work is queued. The result is then there for later work of each device's stream.
    bool is_async = false;
    /// The stream of each device that the work is ordered on, in the order of the buffers. Empty: the pool's default streams.
    std::vector<StreamView> streams{};
    /// Up to this size of a device's whole buffer, in bytes, one device does all the work: the source's of broadcast(), else the first.
    /// That takes the fewest calls of the driver. Above, or where that device does not reach the memory of all in reduce_scatter() and
    /// all_gather(), every device does its share. Results do not depend on it.
    std::size_t one_device_bytes = std::size_t{1} << 20;
};

/// Collective operations on buffers of the devices of a pool, one buffer a device: all_reduce(), reduce_scatter(), all_gather(),
/// broadcast().
///
///     const Collectives collectives(pool);
///     std::vector<DeviceSpan<float>> gradients = ...;   // one on each device
///     collectives.all_reduce<float>(gradients, ReduceOperation::sum);
///
/// Devices. The buffers may be on any different devices of the pool, at most 32, in any order. Devices read and write each other's memory
/// directly where they have a path, as PeerManager opens it; else the data goes through page-locked host memory.
///
/// Memory. Of several devices, each buffer is plain memory or from the memory pool of DevicePool::context()'s context of its device. Peer
/// access is opened to no other memory pool; a buffer from one is refused as unsupported.
///
/// Order. A reduction computes element i as buffers[0][i] (op) buffers[1][i] (op) ..., from left to right, for every size, number of
/// devices and path. So every device gets the same bits. 16-bit floats are combined as float and rounded once, at the end. T is one of
/// reduce()'s types, whose rules for NaN and zeros hold here, too.
///
/// Streams. A collective starts when the work is done that all devices' streams were given before, and each stream's later work waits for
/// the whole collective. Events order the streams; the host does not wait between. A synchronous call waits at its end, and needs no events
/// where it finds the streams idle.
///
/// Errors, of all collectives: invalid_argument (no buffer, two on one device, sizes that do not go together, an address that is no
/// multiple of its element's size, a result that overlaps an operand without being it, not as many streams as buffers), wrong_context (a
/// buffer outside of the pool, a stream of another device), unsupported (a product of floats, a buffer from a memory pool of the caller's
/// own), no_device (the device of a buffer is quarantined), device_fault, out_of_memory, and what the driver reports. What the results hold
/// after an error is unspecified; nothing uses the buffers any more when a call throws. After a device fault every call throws at once.
///
/// Thread-safe. Copyable: copies share the same state, and keep the pool. In a forked child every member throws forked, and after a move
/// from it wrong_context.
class Collectives {
public:
    /// \param options  for paths between devices; `allows_direct = false` stages everything
    /// \throws Error unsupported on a host pool, invalid_argument (chunks of no bytes, no chunk)
    explicit Collectives(const DevicePool& pool, PeerOptions options = {}, SourceLocation where = SourceLocation::current());

    /// The pool whose devices take part. \throws Error wrong_context after a move from this
    const DevicePool& pool(SourceLocation where = SourceLocation::current()) const;

    /// outputs[d][i] = inputs[0][i] (op) inputs[1][i] (op) ... on every device d.
    ///
    /// Up to `one_device_bytes` the first device reads all inputs and writes all outputs. Above, each of N devices does so for its Nth of
    /// the elements: over its links go 2 (N - 1) / N of a buffer's bytes each way, as with a ring, but in one kernel. \param inputs  one a
    /// device, all of one size \param outputs  on the same devices in the same order, of the same size; each is its device's input, or does
    /// not overlap it
    template <class T>
    RunReport all_reduce(std::span<const DeviceSpan<const T>> inputs, std::span<const DeviceSpan<T>> outputs, ReduceOperation operation,
                         const CollectiveConfig& config = {}, SourceLocation where = SourceLocation::current()) const;
    /// In place.
    template <class T>
    RunReport all_reduce(std::span<const DeviceSpan<T>> buffers, ReduceOperation operation, const CollectiveConfig& config = {},
                         SourceLocation where = SourceLocation::current()) const {
        return all_reduce<T>(std::vector<DeviceSpan<const T>>(buffers.begin(), buffers.end()), buffers, operation, config, where);
    }

    /// The same reduction, of which each device gets a slice: the outputs, one behind the other, are the result. Above `one_device_bytes`
    /// each device reads its slice of all inputs. \param outputs  on the inputs' devices in the same order; their sizes, which may differ,
    /// add up to that of an input. Each is its own slice of its device's input, or does not overlap that input
    template <class T>
    RunReport reduce_scatter(std::span<const DeviceSpan<const T>> inputs, std::span<const DeviceSpan<T>> outputs, ReduceOperation operation,
                             const CollectiveConfig& config = {}, SourceLocation where = SourceLocation::current()) const;

    /// Puts the inputs one behind the other, on every device. Above `one_device_bytes` each device writes its input to all outputs.
    /// \param inputs  one a device; their sizes may differ
    /// \param outputs  on the same devices in the same order, each as large as all inputs together. An input may lie at its own place in
    /// its device's output, or else does not overlap it
    template <class T>
    RunReport all_gather(std::span<const DeviceSpan<const T>> inputs, std::span<const DeviceSpan<T>> outputs,
                         const CollectiveConfig& config = {}, SourceLocation where = SourceLocation::current()) const {
        return gather_bytes(buffers_of(inputs), buffers_of(outputs), alignof(T), config, where);
    }

    /// Copies one device's buffer to all devices.
    ///
    /// Up to `one_device_bytes` the source's device writes all targets. Above, where all devices have paths, each of the other devices
    /// reads a slice of it and passes that on to the others. \param source  on the device of one of the targets \param targets  one a
    /// device, of the source's size. The one on the source's device may be the source itself, or does not overlap it
    template <class T>
    RunReport broadcast(DeviceSpan<const std::type_identity_t<T>> source, std::span<const DeviceSpan<T>> targets,
                        const CollectiveConfig& config = {}, SourceLocation where = SourceLocation::current()) const {
        return broadcast_bytes(buffer_of(source), buffers_of(targets), alignof(T), config, where);
    }

private:
    class State;
    using Buffers = std::vector<detail::PeerBuffer>;
    class Call;

    template <class T>
    static detail::PeerBuffer buffer_of(const DeviceSpan<T>& span) {
        return {span.pointer(), span.size_bytes(), span.device()};
    }
    template <class T>
    static Buffers buffers_of(std::span<const DeviceSpan<T>> spans) {
        Buffers buffers;
        for (const DeviceSpan<T>& span : spans) buffers.push_back(buffer_of(span));
        return buffers;
    }

    /// Called first by every member. \throws Error wrong_context if the object was moved from, forked
    State& state(const SourceLocation& where) const;
    RunReport run(const Call& call, const CollectiveConfig& config, const SourceLocation& where) const;
    RunReport gather_bytes(const Buffers& inputs, const Buffers& outputs, std::size_t alignment, const CollectiveConfig& config,
                           const SourceLocation& where) const;
    RunReport broadcast_bytes(const detail::PeerBuffer& source, const Buffers& targets, std::size_t alignment,
                              const CollectiveConfig& config, const SourceLocation& where) const;

    std::shared_ptr<State> state_;
};

}  // namespace cupool
