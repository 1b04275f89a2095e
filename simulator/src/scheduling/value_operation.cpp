#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "faults/device_fault.hpp"
#include "memory/accessor.hpp"
#include "memory/memory.hpp"

/// \file
/// Stream operations that wait for a value in memory or write one (cuStreamWaitValue, cuStreamWriteValue).

namespace cupool::simulator {
namespace {

using abi::Status;
using abi::WaitCondition;

constexpr unsigned condition_bits = 3;
constexpr unsigned flush_remote_writes = 1U << 30;
constexpr unsigned no_memory_barrier = 1;

template <class Value>
bool holds(WaitCondition condition, Value now, Value value) {
    switch (condition) {
        case WaitCondition::greater_or_equal: return static_cast<std::make_signed_t<Value>>(now - value) >= 0;
        case WaitCondition::equal: return now == value;
        case WaitCondition::any_bit: return (now & value) != 0;
        case WaitCondition::not_all_bits: break;
    }
    return static_cast<Value>(~(now | value)) != 0;
}

template <class Value>
Region value_at(const Stream& stream, abi::DevicePointer address) {
    require(address % sizeof(Value) == 0, Status::invalid_value);
    Region region = region_of(address, sizeof(Value));
    require(Accessor(*stream.context).may_access(*region.allocation), Status::invalid_value);
    return region;
}

template <class Value>
Value* pointer_to(const Region& region) {
    return reinterpret_cast<Value*>(region.data());
}

// Waits on a separate thread, as a host function does, for whatever may write the value.
template <class Value>
Status wait_value(EntryPoint entry_point, abi::Stream stream, abi::DevicePointer address, Value value, unsigned flags) {
    return handle_call(entry_point, [&] {
        require((flags & ~(condition_bits | flush_remote_writes)) == 0, Status::invalid_value);
        require((flags & flush_remote_writes) == 0, Status::not_supported);
        const Locked state;
        const auto queue = stream_of(*state, stream);
        require(queue->capture == nullptr, Status::not_supported);
        const Region region = value_at<Value>(*queue, address);
        const auto condition = static_cast<WaitCondition>(flags & condition_bits);
        const auto wait = [region, value, condition, device = queue->context->device.ordinal](std::uint64_t) {
            // The memory of a lost device may be freed, so it is read only while there is no fault.
            while (device_fault(device) == Status::success &&
                   !holds(condition, __atomic_load_n(pointer_to<Value>(region), __ATOMIC_ACQUIRE), value)) {
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
            note_value_seen(*region.allocation, region.offset);
            return Time{0};
        };
        Work work{Work::Kind::host_function, "wait for a value", wait};
        work.waits_for_value = true;
        enqueue(*state, *queue, std::move(work));
    });
}

template <class Value>
Status write_value(EntryPoint entry_point, abi::Stream stream, abi::DevicePointer address, Value value, unsigned flags) {
    return handle_call(entry_point, [&] {
        require((flags & ~no_memory_barrier) == 0, Status::invalid_value);
        const Locked state;
        const auto queue = stream_of(*state, stream);
        require(queue->capture == nullptr, Status::not_supported);
        const Region region = value_at<Value>(*queue, address);
        const auto write = [region, value](std::uint64_t) {
            note_value_written(*region.allocation, region.offset);
            __atomic_store_n(pointer_to<Value>(region), value, __ATOMIC_RELEASE);
            mark_initialised(region);
            return Time{1'000};
        };
        enqueue(*state, *queue, {Work::Kind::set, "write of a value", write});
    });
}

}  // namespace

namespace exports {

Status stream_wait_value_32(Stream stream, DevicePointer address, std::uint32_t value, unsigned flags) {
    return wait_value(EntryPoint::stream_wait_value_32, stream, address, value, flags);
}

Status stream_wait_value_64(Stream stream, DevicePointer address, std::uint64_t value, unsigned flags) {
    return wait_value(EntryPoint::stream_wait_value_64, stream, address, value, flags);
}

Status stream_write_value_32(Stream stream, DevicePointer address, std::uint32_t value, unsigned flags) {
    return write_value(EntryPoint::stream_write_value_32, stream, address, value, flags);
}

Status stream_write_value_64(Stream stream, DevicePointer address, std::uint64_t value, unsigned flags) {
    return write_value(EntryPoint::stream_write_value_64, stream, address, value, flags);
}

}  // namespace exports
}  // namespace cupool::simulator
