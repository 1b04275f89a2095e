#include "memory/copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "device/device_speed.hpp"
#include "memory/accessor.hpp"
#include "memory/memory.hpp"

/// \file
/// Copies and memsets. The call checks the arguments; the operation checks again that the memory is alive when it runs.
/// A device address is accepted in place of a host address, as under unified addressing. Pageable host memory is read during the call and
/// written before it returns, as the driver's documentation says of asynchronous copies with pageable memory.

namespace cupool::simulator {
namespace {

/// A data movement and its duration on the device.
struct Transfer {
    Work::Kind kind;
    std::size_t bytes;
    Time duration;
};

Work work_of(const Transfer& transfer, std::function<void()> move) {
    const char* const name = transfer.kind == Work::Kind::set ? "set" : "copy";
    return {transfer.kind, std::string(name) + " of " + std::to_string(transfer.bytes) + " bytes",
            [move = std::move(move), duration = transfer.duration](std::uint64_t) {
                move();
                return duration;
            }};
}

// The operations to wait for. The list is allocated first, since the call must not fail after the work is queued.
Operations queue(State& state, Stream& stream, Work work) {
    Operations queued(stream.capture ? 0 : 1);
    enqueue(state, stream, std::move(work));
    if (!queued.empty()) {
        queued.front() = stream.last;
    }
    return queued;
}

Transfer over_the_link(std::size_t bytes) { return {Work::Kind::copy, bytes, link_time(bytes)}; }

Transfer copy_between(const Context& context, const Region& target, const Region& source) {
    const bool stays = is_device_memory(*target.allocation) && is_device_memory(*source.allocation) &&
                       target.allocation->device == source.allocation->device;
    return stays ? Transfer{Work::Kind::copy, source.bytes, memory_time(context.device.kind, source.bytes)} : over_the_link(source.bytes);
}

abi::DevicePointer address_of(const void* memory) { return reinterpret_cast<abi::DevicePointer>(memory); }

bool is_pageable(const void* memory) { return allocation_at(address_of(memory)) == nullptr; }

// Where only an address is given, one that is invalid in a process belongs to a device.
bool is_pageable(abi::DevicePointer pointer) {
    constexpr abi::DevicePointer first_of_no_process = 0x8000'0000'0000;
    return pointer != 0 && pointer < first_of_no_process && allocation_at(pointer) == nullptr;
}

void* host_pointer(abi::DevicePointer pointer) { return reinterpret_cast<void*>(pointer); }

// Whether either device can access the other, so that copies between them are direct.
bool are_linked(State& state, const Device& one, const Device& other) {
    bool linked = false;
    state.contexts.for_each([&](const Context& context) {
        for (const abi::Context peer : context.peers) {
            const Device& there = state.contexts.find(peer)->device;
            linked = linked || (&context.device == &one && &there == &other) || (&context.device == &other && &there == &one);
        }
    });
    return linked;
}

// Whether the copy is dropped: see cupoolSimSetPeerWritesLost().
bool is_write_lost(State& state, int writer, const Allocation& target) {
    const Device& from = device_at(state, writer);
    const Device& to = device_at(state, target.device);
    return is_device_memory(target) && (from.lost_writes & device_bit(to.card)) != 0 && are_linked(state, from, to);
}

/// \param is_lost  as returned by is_write_lost()
Work copy_of_regions(const Context& context, const Region& target, const Region& source, bool is_lost = false) {
    return work_of(copy_between(context, target, source), [target, source, is_lost] {
        if (is_lost) {
            return;
        }
        std::memmove(target.data(), source.data(), source.bytes);
        copy_initialised(target, source);
    });
}

Operations copy_regions(State& state, const Region& target, const Region& source, Stream& stream) {
    const bool is_lost = is_device_memory(*source.allocation) && is_write_lost(state, source.allocation->device, *target.allocation);
    return queue(state, stream, copy_of_regions(*stream.context, target, source, is_lost));
}

// Accesses pageable memory when the copy runs.
Work copy_from_pageable(const Region& target, const void* from) {
    return work_of(over_the_link(target.bytes), [target, from] {
        std::memcpy(target.data(), from, target.bytes);
        mark_initialised(target);
    });
}

Work copy_to_pageable(void* to, const Region& source) {
    return work_of(over_the_link(source.bytes), [to, source] { std::memcpy(to, source.data(), source.bytes); });
}

Operations copy_to_device(State& state, abi::DevicePointer to, const void* from, std::size_t bytes, Stream& stream) {
    if (bytes == 0) {
        return {};
    }
    require(from != nullptr, abi::Status::invalid_value);
    const Region target = region_of(to, bytes);
    if (!is_pageable(from)) {
        return copy_regions(state, target, region_of(address_of(from), bytes), stream);
    }
    if (stream.capture) {
        return queue(state, stream, copy_from_pageable(target, from));
    }
    const auto* const first = static_cast<const std::byte*>(from);
    const auto staged = std::make_shared<const std::vector<std::byte>>(first, first + bytes);
    return queue(state, stream, work_of(over_the_link(bytes), [target, staged] {
                     std::memcpy(target.data(), staged->data(), target.bytes);
                     mark_initialised(target);
                 }));
}

Operations copy_to_host(State& state, void* to, abi::DevicePointer from, std::size_t bytes, Stream& stream) {
    if (bytes == 0) {
        return {};
    }
    require(to != nullptr, abi::Status::invalid_value);
    const Region source = region_of(from, bytes);
    if (!is_pageable(to)) {
        return copy_regions(state, region_of(address_of(to), bytes), source, stream);
    }
    return queue(state, stream, copy_to_pageable(to, source));
}

void copy_on_device(State& state, abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, Stream& stream) {
    if (bytes > 0) {
        copy_regions(state, region_of(to, bytes), region_of(from, bytes), stream);
    }
}

// The queued operations.
Operations copy_unified(State& state, abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, Stream& stream) {
    if (bytes == 0) {
        return {};
    }
    if (is_pageable(to) && is_pageable(from)) {
        return queue(state, stream, work_of(over_the_link(bytes), [=] { std::memmove(host_pointer(to), host_pointer(from), bytes); }));
    }
    if (is_pageable(to)) {
        return copy_to_host(state, host_pointer(to), from, bytes, stream);
    }
    return copy_to_device(state, to, host_pointer(from), bytes, stream);
}

// Unlike a copy, a memset is an access by the device itself.
template <class Value>
Work set_of(const Context& context, abi::DevicePointer to, Value value, std::size_t count, bool is_lost = false) {
    require(to % sizeof(value) == 0 && count <= SIZE_MAX / sizeof(value), abi::Status::invalid_value);
    const Region target = region_of(to, count * sizeof(value));
    require(Accessor(context).may_access(*target.allocation), abi::Status::invalid_value);
    const Transfer transfer{Work::Kind::set, target.bytes, memory_time(context.device.kind, target.bytes)};
    return work_of(transfer, [target, value, count, is_lost] {
        if (is_lost) {
            return;
        }
        std::fill_n(reinterpret_cast<Value*>(target.data()), count, value);
        mark_initialised(target);
    });
}

template <class Value>
void set(State& state, abi::DevicePointer to, Value value, std::size_t count, Stream& stream) {
    require(to % sizeof(value) == 0 && count <= SIZE_MAX / sizeof(value), abi::Status::invalid_value);
    if (count > 0) {
        const bool is_lost = is_write_lost(state, stream.context->device.ordinal, *region_of(to, sizeof(value)).allocation);
        queue(state, stream, set_of(*stream.context, to, value, count, is_lost));
    }
}

Work set_of(const Context& context, const abi::SetNodeParameters& parameters) {
    switch (parameters.element_bytes) {
        case 1: return set_of(context, parameters.target, static_cast<std::uint8_t>(parameters.value), parameters.width);
        case 2: return set_of(context, parameters.target, static_cast<std::uint16_t>(parameters.value), parameters.width);
        case 4: return set_of(context, parameters.target, parameters.value, parameters.width);
        default: fail(abi::Status::invalid_value);
    }
}

// The start address of one side of a copy, on a device or the host.
abi::DevicePointer address_of(const abi::Copy3D::Side& side) {
    const std::size_t offset = side.x_bytes + (side.z * side.height + side.y) * side.pitch;
    switch (side.type) {
        case abi::MemoryType::host: return address_of(side.host) + offset;
        case abi::MemoryType::device:
        case abi::MemoryType::unified: return side.device + offset;
        case abi::MemoryType::array: fail(abi::Status::not_supported);
    }
    fail(abi::Status::invalid_value);
}

Work copy_of(const Context& context, abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes) {
    auto* const host_to = reinterpret_cast<void*>(to);
    const auto* const host_from = reinterpret_cast<const void*>(from);
    if (is_pageable(host_from)) {
        return copy_from_pageable(region_of(to, bytes), host_from);
    }
    if (is_pageable(host_to)) {
        return copy_to_pageable(host_to, region_of(from, bytes));
    }
    return copy_of_regions(context, region_of(to, bytes), region_of(from, bytes));
}

}  // namespace

NodeAction copy_action(const Context& context, const abi::Copy3D& parameters) {
    require(parameters.width_bytes > 0 && parameters.height > 0 && parameters.depth > 0, abi::Status::invalid_value);
    NodeAction action{abi::GraphNodeType::copy};
    const Work block = copy_of_block(parameters);
    const bool is_row = parameters.height == 1 && parameters.depth == 1;
    action.work = is_row ? copy_of(context, address_of(parameters.target), address_of(parameters.source), parameters.width_bytes) : block;
    action.context = context.handle;
    return action;
}

NodeAction set_action(const Context& context, const abi::SetNodeParameters& parameters) {
    require(parameters.width > 0 && parameters.height > 0, abi::Status::invalid_value);
    require(parameters.height == 1, abi::Status::not_supported);
    NodeAction action{abi::GraphNodeType::set};
    action.work = set_of(context, parameters);
    action.context = context.handle;
    return action;
}

namespace exports {

Status copy_host_to_device(DevicePointer to, const void* from, std::size_t bytes) {
    return handle_call(EntryPoint::copy_host_to_device, [&] {
        Operations pending;
        {
            const Locked state;
            pending = copy_to_device(*state, to, from, bytes, *stream_of(*state, nullptr));
        }
        synchronize(pending);
    });
}

Status copy_device_to_host(void* to, DevicePointer from, std::size_t bytes) {
    return handle_call(EntryPoint::copy_device_to_host, [&] {
        Operations pending;
        {
            const Locked state;
            pending = copy_to_host(*state, to, from, bytes, *stream_of(*state, nullptr));
        }
        synchronize(pending);
    });
}

Status copy_device_to_device(DevicePointer to, DevicePointer from, std::size_t bytes) {
    return handle_call(EntryPoint::copy_device_to_device, [&] {
        const Locked state;
        copy_on_device(*state, to, from, bytes, *stream_of(*state, nullptr));
    });
}

Status copy_host_to_device_async(DevicePointer to, const void* from, std::size_t bytes, Stream stream) {
    return handle_call(EntryPoint::copy_host_to_device_async, [&] {
        const Locked state;
        copy_to_device(*state, to, from, bytes, *stream_of(*state, stream));
    });
}

Status copy_device_to_host_async(void* to, DevicePointer from, std::size_t bytes, Stream stream) {
    return handle_call(EntryPoint::copy_device_to_host_async, [&] {
        Operations pending;
        {
            const Locked state;
            pending = copy_to_host(*state, to, from, bytes, *stream_of(*state, stream));
        }
        if (is_pageable(to)) {
            synchronize(pending);
        }
    });
}

Status copy_device_to_device_async(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream) {
    return handle_call(EntryPoint::copy_device_to_device_async, [&] {
        const Locked state;
        copy_on_device(*state, to, from, bytes, *stream_of(*state, stream));
    });
}

// The addresses determine the devices; a real driver ignores the contexts here too.
Status copy_peer_async(DevicePointer to, Context, DevicePointer from, Context, std::size_t bytes, Stream stream) {
    return handle_call(EntryPoint::copy_peer_async, [&] {
        const Locked state;
        copy_on_device(*state, to, from, bytes, *stream_of(*state, stream));
    });
}

Status copy_peer(DevicePointer to, Context, DevicePointer from, Context, std::size_t bytes) {
    return handle_call(EntryPoint::copy_peer, [&] {
        const Locked state;
        copy_on_device(*state, to, from, bytes, *stream_of(*state, nullptr));
    });
}

Status copy_unified(DevicePointer to, DevicePointer from, std::size_t bytes) {
    return handle_call(EntryPoint::copy_unified, [&] {
        Operations pending;
        {
            const Locked state;
            pending = simulator::copy_unified(*state, to, from, bytes, *stream_of(*state, nullptr));
        }
        synchronize(pending);
    });
}

Status copy_unified_async(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream) {
    return handle_call(EntryPoint::copy_unified_async, [&] {
        Operations pending;
        {
            const Locked state;
            pending = simulator::copy_unified(*state, to, from, bytes, *stream_of(*state, stream));
        }
        if (is_pageable(to)) {
            synchronize(pending);
        }
    });
}

// The host does not wait for a memset, as with real drivers.
Status set_bytes(DevicePointer to, unsigned char value, std::size_t count) {
    return handle_call(EntryPoint::set_bytes, [&] {
        const Locked state;
        set(*state, to, value, count, *stream_of(*state, nullptr));
    });
}

Status set_halfwords(DevicePointer to, unsigned short value, std::size_t count) {
    return handle_call(EntryPoint::set_halfwords, [&] {
        const Locked state;
        set(*state, to, value, count, *stream_of(*state, nullptr));
    });
}

Status set_words(DevicePointer to, unsigned value, std::size_t count) {
    return handle_call(EntryPoint::set_words, [&] {
        const Locked state;
        set(*state, to, value, count, *stream_of(*state, nullptr));
    });
}

Status set_halfwords_async(DevicePointer to, unsigned short value, std::size_t count, Stream stream) {
    return handle_call(EntryPoint::set_halfwords_async, [&] {
        const Locked state;
        set(*state, to, value, count, *stream_of(*state, stream));
    });
}

Status set_bytes_async(DevicePointer to, unsigned char value, std::size_t count, Stream stream) {
    return handle_call(EntryPoint::set_bytes_async, [&] {
        const Locked state;
        set(*state, to, value, count, *stream_of(*state, stream));
    });
}

Status set_words_async(DevicePointer to, unsigned value, std::size_t count, Stream stream) {
    return handle_call(EntryPoint::set_words_async, [&] {
        const Locked state;
        set(*state, to, value, count, *stream_of(*state, stream));
    });
}

}  // namespace exports
}  // namespace cupool::simulator
