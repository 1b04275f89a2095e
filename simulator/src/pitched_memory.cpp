#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accessor.hpp"
#include "answer.hpp"
#include "device_speed.hpp"
#include "memory.hpp"
#include "state.hpp"

/// \file
/// Memory in rows: its allocation, copies and sets. Arrays are not simulated.

namespace cupool::simulator {
namespace {

using abi::Result;

// An H200's.
constexpr std::size_t pitch_unit = 512;
constexpr std::size_t most_pitch_bytes = 2'147'483'647;

/// Rows of one length, at distances of one pitch, somewhere.
struct Rows {
    /// Null allocation: pageable host memory, at `host`.
    Region region;
    std::byte* host = nullptr;
    std::size_t pitch_bytes = 0;

    bool is_pageable() const { return region.allocation == nullptr; }
    std::byte* data() const { return is_pageable() ? host : region.data(); }
};

/// From the first byte of the first row to the last of the last.
std::size_t extent(std::size_t pitch_bytes, std::size_t width_bytes, std::size_t height) {
    return (height - 1) * pitch_bytes + width_bytes;
}

Rows rows_of(const abi::CopyPlane2D& plane, std::size_t width_bytes, std::size_t height) {
    require(plane.type != abi::MemoryType::array, Result::not_supported);
    require(plane.type == abi::MemoryType::host || plane.type == abi::MemoryType::device || plane.type == abi::MemoryType::unified,
            Result::invalid_value);
    const std::size_t pitch = plane.pitch_bytes == 0 ? width_bytes : plane.pitch_bytes;
    require(pitch <= most_pitch_bytes && plane.x_bytes <= pitch && width_bytes <= pitch - plane.x_bytes, Result::invalid_value);
    const auto base = plane.type == abi::MemoryType::host ? reinterpret_cast<abi::DevicePointer>(plane.host) : plane.device;
    require(base != 0, Result::invalid_value);
    const abi::DevicePointer start = base + plane.y * pitch + plane.x_bytes;
    const bool may_be_pageable = plane.type != abi::MemoryType::device;
    if (may_be_pageable && allocation_at(start) == nullptr) {
        return {{}, reinterpret_cast<std::byte*>(start), pitch};
    }
    return {region_of(start, extent(pitch, width_bytes, height)), nullptr, pitch};
}

void copy_rows(std::byte* to, std::size_t to_pitch, const std::byte* from, std::size_t from_pitch, const abi::Copy2D& shape) {
    for (std::size_t row = 0; row < shape.height; ++row) {
        std::memcpy(to + row * to_pitch, from + row * from_pitch, shape.width_bytes);
    }
}

Region row_of(const Rows& rows, std::size_t row, std::size_t width_bytes) {
    return {rows.region.allocation, rows.region.offset + row * rows.pitch_bytes, width_bytes};
}

void mark_rows(const Rows& to, const Rows& from, const abi::Copy2D& shape) {
    for (std::size_t row = 0; row < shape.height && !to.is_pageable(); ++row) {
        if (from.is_pageable()) {
            mark_initialised(row_of(to, row, shape.width_bytes));
        } else {
            copy_initialised(row_of(to, row, shape.width_bytes), row_of(from, row, shape.width_bytes));
        }
    }
}

/// Pageable memory is read during the call.
std::shared_ptr<const std::vector<std::byte>> staged(const Rows& from, const abi::Copy2D& shape) {
    auto bytes = std::make_shared<std::vector<std::byte>>(shape.width_bytes * shape.height);
    copy_rows(bytes->data(), shape.width_bytes, from.host, from.pitch_bytes, shape);
    return bytes;
}

/// What a copy left to be awaited, and whether the call must not return before it is done.
struct QueuedCopy {
    Operations operations;
    bool writes_pageable_memory = false;
};

QueuedCopy queue_copy(State& state, const abi::Copy2D* copy, Stream& stream) {
    require(copy != nullptr, Result::invalid_value);
    const abi::Copy2D shape = *copy;
    if (shape.width_bytes == 0 || shape.height == 0) {
        return {};
    }
    const Rows to = rows_of(shape.to, shape.width_bytes, shape.height);
    const Rows from = rows_of(shape.from, shape.width_bytes, shape.height);
    const auto source = from.is_pageable() ? staged(from, shape) : nullptr;
    const auto run = [to, from, source, shape](std::uint64_t) {
        const std::byte* const first = source ? source->data() : from.data();
        copy_rows(to.data(), to.pitch_bytes, first, source ? shape.width_bytes : from.pitch_bytes, shape);
        mark_rows(to, from, shape);
        return link_time(shape.width_bytes * shape.height);
    };
    enqueue(state, stream, {Work::Kind::copy, "copy of " + std::to_string(shape.height) + " rows", run});
    return {{stream.last}, to.is_pageable()};
}

abi::Result copy_and_wait(EntryPoint entry_point, const abi::Copy2D* copy) {
    return answer(entry_point, [&] {
        QueuedCopy queued;
        {
            const Locked state;
            queued = queue_copy(*state, copy, *stream_of(*state, nullptr));
        }
        synchronize(queued.operations);
    });
}

template <typename Value>
abi::Result set_rows(EntryPoint entry_point, abi::DevicePointer to, std::size_t pitch_bytes, Value value, std::size_t width,
                     std::size_t height, abi::Stream stream) {
    return answer(entry_point, [&] {
        const Locked state;
        const auto ordered_by = stream_of(*state, stream);
        if (width == 0 || height == 0) {
            return;
        }
        require(to % sizeof(Value) == 0 && pitch_bytes % sizeof(Value) == 0, Result::invalid_value);
        require(width <= most_pitch_bytes / sizeof(Value), Result::invalid_value);
        require(height == 1 || pitch_bytes >= width * sizeof(Value), Result::invalid_value);
        const Rows rows{region_of(to, extent(pitch_bytes, width * sizeof(Value), height)), nullptr, pitch_bytes};
        require(Accessor(*ordered_by->context).may_access(*rows.region.allocation), Result::invalid_value);
        const auto duration = memory_time(ordered_by->context->device.kind, width * height * sizeof(Value));
        const auto run = [rows, value, width, height, duration](std::uint64_t) {
            for (std::size_t row = 0; row < height; ++row) {
                std::fill_n(reinterpret_cast<Value*>(rows.data() + row * rows.pitch_bytes), width, value);
                mark_initialised(row_of(rows, row, width * sizeof(Value)));
            }
            return duration;
        };
        enqueue(*state, *ordered_by, {Work::Kind::copy, "set of " + std::to_string(height) + " rows", run});
    });
}

}  // namespace

namespace exports {

Result memory_allocate_pitch(DevicePointer* pointer, std::size_t* pitch_bytes, std::size_t width_bytes, std::size_t height,
                             unsigned element_bytes) {
    return answer(EntryPoint::memory_allocate_pitch, [&] {
        require(pointer != nullptr && pitch_bytes != nullptr && width_bytes > 0 && height > 0, Result::invalid_value);
        require(element_bytes == 4 || element_bytes == 8 || element_bytes == 16, Result::invalid_value);
        require(width_bytes <= most_pitch_bytes, Result::invalid_value);
        const std::size_t pitch = round_up(width_bytes, pitch_unit);
        require(height <= SIZE_MAX / pitch, Result::out_of_memory);
        const Locked state;
        *pointer = allocate_plain(*state, pitch * height);
        *pitch_bytes = pitch;
    });
}

Result copy_2d(const Copy2D* copy) { return copy_and_wait(EntryPoint::copy_2d, copy); }

Result copy_2d_unaligned(const Copy2D* copy) { return copy_and_wait(EntryPoint::copy_2d_unaligned, copy); }

Result copy_2d_async(const Copy2D* copy, Stream stream) {
    return answer(EntryPoint::copy_2d_async, [&] {
        QueuedCopy queued;
        {
            const Locked state;
            queued = queue_copy(*state, copy, *stream_of(*state, stream));
        }
        if (queued.writes_pageable_memory) {
            synchronize(queued.operations);
        }
    });
}

Result set_bytes_2d_async(DevicePointer to, std::size_t pitch_bytes, unsigned char value, std::size_t width, std::size_t height,
                          Stream stream) {
    return set_rows(EntryPoint::set_bytes_2d_async, to, pitch_bytes, value, width, height, stream);
}

Result set_halfwords_2d_async(DevicePointer to, std::size_t pitch_bytes, unsigned short value, std::size_t width, std::size_t height,
                              Stream stream) {
    return set_rows(EntryPoint::set_halfwords_2d_async, to, pitch_bytes, value, width, height, stream);
}

Result set_words_2d_async(DevicePointer to, std::size_t pitch_bytes, unsigned value, std::size_t width, std::size_t height, Stream stream) {
    return set_rows(EntryPoint::set_words_2d_async, to, pitch_bytes, value, width, height, stream);
}

}  // namespace exports
}  // namespace cupool::simulator
