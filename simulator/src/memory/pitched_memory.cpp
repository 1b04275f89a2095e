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
#include "memory/copy.hpp"
#include "memory/memory.hpp"

/// \file
/// Pitched memory: allocation, copies and memsets. Arrays are not simulated.

namespace cupool::simulator {
namespace {

using abi::Status;

// The pitch alignment of an H200.
constexpr std::size_t pitch_unit = 512;
constexpr std::size_t max_pitch_bytes = 2'147'483'647;

/// One side of a 3D copy: rows at a fixed pitch, in slices at a fixed distance.
struct Rows {
    /// A null allocation means pageable host memory at `host`.
    Region region;
    std::byte* host = nullptr;
    std::size_t pitch_bytes = 0;
    std::size_t slice_bytes = 0;

    bool is_pageable() const { return region.allocation == nullptr; }
    std::byte* data() const { return is_pageable() ? host : region.data(); }
};

/// The extent of a copy: bytes per row, rows per slice, slices.
struct Shape {
    std::size_t width_bytes = 0;
    std::size_t height = 0;
    std::size_t depth = 1;

    std::size_t bytes() const { return width_bytes * height * depth; }
};

/// Bytes from the start of the first row to the end of the last row.
std::size_t extent(const Rows& rows, const Shape& shape) {
    return (shape.depth - 1) * rows.slice_bytes + (shape.height - 1) * rows.pitch_bytes + shape.width_bytes;
}

Rows rows_of(const abi::Copy3D::Side& side, const Shape& shape) {
    require(side.type != abi::MemoryType::array && side.level == 0, Status::not_supported);
    require(side.type == abi::MemoryType::host || side.type == abi::MemoryType::device || side.type == abi::MemoryType::unified,
            Status::invalid_value);
    const std::size_t pitch = side.pitch == 0 ? shape.width_bytes : side.pitch;
    require(pitch <= max_pitch_bytes && side.x_bytes <= pitch && shape.width_bytes <= pitch - side.x_bytes, Status::invalid_value);
    const std::size_t slice_rows = side.height == 0 ? side.y + shape.height : side.height;
    require(shape.depth == 1 || (side.y <= slice_rows && shape.height <= slice_rows - side.y), Status::invalid_value);
    const auto base = side.type == abi::MemoryType::host ? reinterpret_cast<abi::DevicePointer>(side.host) : side.device;
    require(base != 0, Status::invalid_value);
    const abi::DevicePointer start = base + side.z * slice_rows * pitch + side.y * pitch + side.x_bytes;
    Rows rows{{}, reinterpret_cast<std::byte*>(start), pitch, slice_rows * pitch};
    const bool may_be_pageable = side.type != abi::MemoryType::device;
    if (!may_be_pageable || allocation_at(start) != nullptr) {
        rows.region = region_of(start, extent(rows, shape));
    }
    return rows;
}

/// Calls a function with the offset of each row in the target and in the source.
template <class Function>
void for_each_row(const Rows& to, const Rows& from, const Shape& shape, Function function) {
    for (std::size_t slice = 0; slice < shape.depth; ++slice) {
        for (std::size_t row = 0; row < shape.height; ++row) {
            function(slice * to.slice_bytes + row * to.pitch_bytes, slice * from.slice_bytes + row * from.pitch_bytes);
        }
    }
}

void copy_rows(const Rows& to, const Rows& from, const Shape& shape) {
    for_each_row(to, from, shape,
                 [&](std::size_t there, std::size_t here) { std::memcpy(to.data() + there, from.data() + here, shape.width_bytes); });
}

Region row_at(const Rows& rows, std::size_t offset, std::size_t width_bytes) {
    return {rows.region.allocation, rows.region.offset + offset, width_bytes};
}

void mark_rows(const Rows& to, const Rows& from, const Shape& shape) {
    if (to.is_pageable()) {
        return;
    }
    for_each_row(to, from, shape, [&](std::size_t there, std::size_t here) {
        if (from.is_pageable()) {
            mark_initialised(row_at(to, there, shape.width_bytes));
        } else {
            copy_initialised(row_at(to, there, shape.width_bytes), row_at(from, here, shape.width_bytes));
        }
    });
}

/// Rows in host memory; `bytes` must outlive them.
Rows packed(std::vector<std::byte>& bytes, const Shape& shape) {
    return {{}, bytes.data(), shape.width_bytes, shape.width_bytes * shape.height};
}

Work copy_of_rows(const Rows& to, const Rows& from, const Shape& shape, std::shared_ptr<const void> keeps) {
    const auto run = [to, from, shape, keeps = std::move(keeps)](std::uint64_t) {
        copy_rows(to, from, shape);
        mark_rows(to, from, shape);
        return link_time(shape.bytes());
    };
    return {Work::Kind::copy, "copy of " + std::to_string(shape.height * shape.depth) + " rows", run};
}

/// A queued copy, and whether the call must wait for it.
struct QueuedCopy {
    Operations operations;
    bool writes_pageable_memory = false;
};

/// Pageable memory is read during the call, or when the copy runs if it is captured.
QueuedCopy queue_copy(State& state, const abi::Copy3D& copy, Stream& stream) {
    const Shape shape{copy.width_bytes, copy.height, copy.depth};
    if (shape.bytes() == 0) {
        return {};
    }
    const Rows to = rows_of(copy.target, shape);
    Rows from = rows_of(copy.source, shape);
    std::shared_ptr<std::vector<std::byte>> staged;
    if (from.is_pageable() && !stream.capture) {
        staged = std::make_shared<std::vector<std::byte>>(shape.bytes());
        const Rows copied = packed(*staged, shape);
        copy_rows(copied, from, shape);
        from = copied;
    }
    // Allocated first, since the call must not fail after the work is queued.
    QueuedCopy queued{Operations(stream.capture ? 0 : 1), !stream.capture && to.is_pageable()};
    enqueue(state, stream, copy_of_rows(to, from, shape, staged));
    if (!queued.operations.empty()) {
        queued.operations.front() = stream.last;
    }
    return queued;
}

abi::Copy3D::Side side_of(const abi::CopyPlane2D& plane) {
    abi::Copy3D::Side side{};
    side.x_bytes = plane.x_bytes;
    side.y = plane.y;
    side.type = plane.type;
    side.host = plane.host;
    side.device = plane.device;
    side.array = plane.array;
    side.pitch = plane.pitch_bytes;
    return side;
}

QueuedCopy queue_copy(State& state, const abi::Copy2D* copy, Stream& stream) {
    require(copy != nullptr, Status::invalid_value);
    return queue_copy(state, {side_of(copy->from), side_of(copy->to), copy->width_bytes, copy->height, 1}, stream);
}

abi::Status copy_and_wait(EntryPoint entry_point, const abi::Copy2D* copy) {
    return handle_call(entry_point, [&] {
        QueuedCopy queued;
        {
            const Locked state;
            queued = queue_copy(*state, copy, *stream_of(*state, nullptr));
        }
        synchronize(queued.operations);
    });
}

template <class Queue>
abi::Status copy_async(EntryPoint entry_point, abi::Stream stream, Queue queue) {
    return handle_call(entry_point, [&] {
        QueuedCopy queued;
        {
            const Locked state;
            queued = queue(*state, *stream_of(*state, stream));
        }
        if (queued.writes_pageable_memory) {
            synchronize(queued.operations);
        }
    });
}

template <class Value>
abi::Status set_rows(EntryPoint entry_point, abi::DevicePointer to, std::size_t pitch_bytes, Value value, std::size_t width,
                     std::size_t height, abi::Stream stream) {
    return handle_call(entry_point, [&] {
        const Locked state;
        const auto ordered_by = stream_of(*state, stream);
        if (width == 0 || height == 0) {
            return;
        }
        require(to % sizeof(Value) == 0 && pitch_bytes % sizeof(Value) == 0, Status::invalid_value);
        require(width <= max_pitch_bytes / sizeof(Value), Status::invalid_value);
        require(height == 1 || pitch_bytes >= width * sizeof(Value), Status::invalid_value);
        Rows rows{{}, nullptr, pitch_bytes, 0};
        rows.region = region_of(to, extent(rows, {width * sizeof(Value), height}));
        require(Accessor(*ordered_by->context).may_access(*rows.region.allocation), Status::invalid_value);
        const auto duration = memory_time(ordered_by->context->device.kind, width * height * sizeof(Value));
        const auto run = [rows, value, width, height, duration](std::uint64_t) {
            for (std::size_t row = 0; row < height; ++row) {
                std::fill_n(reinterpret_cast<Value*>(rows.data() + row * rows.pitch_bytes), width, value);
                mark_initialised(row_at(rows, row * rows.pitch_bytes, width * sizeof(Value)));
            }
            return duration;
        };
        enqueue(*state, *ordered_by, {Work::Kind::copy, "set of " + std::to_string(height) + " rows", run});
    });
}

}  // namespace

Work copy_of_block(const abi::Copy3D& copy) {
    const Shape shape{copy.width_bytes, copy.height, copy.depth};
    return copy_of_rows(rows_of(copy.target, shape), rows_of(copy.source, shape), shape, nullptr);
}

namespace exports {

Status memory_allocate_pitch(DevicePointer* pointer, std::size_t* pitch_bytes, std::size_t width_bytes, std::size_t height,
                             unsigned element_bytes) {
    return handle_call(EntryPoint::memory_allocate_pitch, [&] {
        require(pointer != nullptr && pitch_bytes != nullptr && width_bytes > 0 && height > 0, Status::invalid_value);
        require(element_bytes == 4 || element_bytes == 8 || element_bytes == 16, Status::invalid_value);
        require(width_bytes <= max_pitch_bytes, Status::invalid_value);
        const std::size_t pitch = round_up(width_bytes, pitch_unit);
        require(height <= SIZE_MAX / pitch, Status::out_of_memory);
        const Locked state;
        *pointer = allocate_plain(*state, pitch * height);
        *pitch_bytes = pitch;
    });
}

Status copy_2d(const Copy2D* copy) { return copy_and_wait(EntryPoint::copy_2d, copy); }

Status copy_2d_unaligned(const Copy2D* copy) { return copy_and_wait(EntryPoint::copy_2d_unaligned, copy); }

Status copy_2d_async(const Copy2D* copy, Stream stream) {
    return copy_async(EntryPoint::copy_2d_async, stream,
                      [&](State& state, simulator::Stream& queue) { return queue_copy(state, copy, queue); });
}

Status copy_3d_async(const Copy3D* copy, Stream stream) {
    return copy_async(EntryPoint::copy_3d_async, stream, [&](State& state, simulator::Stream& queue) {
        require(copy != nullptr && copy->source.context == nullptr && copy->target.context == nullptr, Status::invalid_value);
        return queue_copy(state, *copy, queue);
    });
}

Status copy_3d_peer_async(const Copy3D* copy, Stream stream) {
    return copy_async(EntryPoint::copy_3d_peer_async, stream, [&](State& state, simulator::Stream& queue) {
        require(copy != nullptr, Status::invalid_value);
        context_of(state, copy->source.context);
        context_of(state, copy->target.context);
        return queue_copy(state, *copy, queue);
    });
}

Status set_bytes_2d_async(DevicePointer to, std::size_t pitch_bytes, unsigned char value, std::size_t width, std::size_t height,
                          Stream stream) {
    return set_rows(EntryPoint::set_bytes_2d_async, to, pitch_bytes, value, width, height, stream);
}

Status set_halfwords_2d_async(DevicePointer to, std::size_t pitch_bytes, unsigned short value, std::size_t width, std::size_t height,
                              Stream stream) {
    return set_rows(EntryPoint::set_halfwords_2d_async, to, pitch_bytes, value, width, height, stream);
}

Status set_words_2d_async(DevicePointer to, std::size_t pitch_bytes, unsigned value, std::size_t width, std::size_t height, Stream stream) {
    return set_rows(EntryPoint::set_words_2d_async, to, pitch_bytes, value, width, height, stream);
}

}  // namespace exports
}  // namespace cupool::simulator
