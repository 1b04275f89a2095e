#pragma once

/// \file
/// Three-dimensional blocks in device memory and their copies. Host memory is a contiguous span,
/// slice after slice and row after row. Widths are in elements, heights in rows, depths in slices,
/// pitches in bytes. A PitchedBuffer of `height * depth` rows can be viewed as a volume:
///
///     PitchedBuffer<float> rows(width, height * depth, context);
///     const VolumeSpan<float> volume(rows.span(), height);

#include <cstddef>
#include <cupool/driver/pitched_buffer.hpp>
#include <span>
#include <type_traits>

namespace cupool {

namespace detail {

[[noreturn]] void throw_no_slices(std::size_t rows, std::size_t rows_of_slice, const SourceLocation& where);
[[noreturn]] void throw_past_volume(const SourceLocation& where);
[[noreturn]] void throw_volume_mismatch(const SourceLocation& where);

}  // namespace detail

/// A non-owning view of a three-dimensional block in device memory.
template <class T>
class VolumeSpan {
public:
    VolumeSpan() = default;
    /// Views rows as slices of `height` rows each. \throws Error invalid_argument if the number of
    /// rows is not a multiple of `height`
    VolumeSpan(PitchedSpan<T> rows, std::size_t height, SourceLocation where = SourceLocation::current())
        : pointer_(rows.pointer()),
          width_(rows.width()),
          height_(height),
          pitch_bytes_(rows.pitch_bytes()),
          slice_rows_(height),
          device_(rows.device()) {
        if (height == 0 || rows.height() % height != 0) detail::throw_no_slices(rows.height(), height, where);
        depth_ = rows.height() / height;
    }

    operator VolumeSpan<const T>() const noexcept  // NOLINT(google-explicit-constructor): like std::span
        requires(!std::is_const_v<T>) {
        VolumeSpan<const T> view;
        view.pointer_ = pointer_;
        view.width_ = width_;
        view.height_ = height_;
        view.depth_ = depth_;
        view.pitch_bytes_ = pitch_bytes_;
        view.slice_rows_ = slice_rows_;
        view.device_ = device_;
        return view;
    }

    /// The device address of the first element.
    abi::DevicePointer pointer() const noexcept { return pointer_; }
    /// The number of elements.
    std::size_t width() const noexcept { return width_; }
    /// The number of rows.
    std::size_t height() const noexcept { return height_; }
    /// The number of slices.
    std::size_t depth() const noexcept { return depth_; }
    /// The distance between the beginnings of consecutive rows.
    std::size_t pitch_bytes() const noexcept { return pitch_bytes_; }
    /// The number of rows between the beginnings of consecutive slices; more than height() if the
    /// block holds only a part of each slice.
    std::size_t slice_rows() const noexcept { return slice_rows_; }
    /// The number of elements.
    std::size_t size() const noexcept { return width_ * height_ * depth_; }
    /// Whether the number of elements is 0.
    bool empty() const noexcept { return size() == 0; }
    /// The ordinal of the device that holds the memory; -1 for a default-constructed span.
    int device() const noexcept { return device_; }

    /// One slice. \throws Error invalid_argument if `z` is not less than depth()
    PitchedSpan<T> slice(std::size_t z, SourceLocation where = SourceLocation::current()) const {
        const VolumeSpan one = block(0, 0, z, width_, height_, 1, where);
        return {one.pointer_, width_, height_, pitch_bytes_, device_};
    }
    /// The block that begins at column x of row y of slice z. \throws Error invalid_argument if it
    /// reaches past an end
    VolumeSpan block(std::size_t x, std::size_t y, std::size_t z, std::size_t width, std::size_t height, std::size_t depth,
                     SourceLocation where = SourceLocation::current()) const {
        if (x > width_ || width > width_ - x || y > height_ || height > height_ - y || z > depth_ || depth > depth_ - z)
            detail::throw_past_volume(where);
        VolumeSpan part = *this;
        part.pointer_ += (z * slice_rows_ + y) * pitch_bytes_ + x * sizeof(T);
        part.width_ = width;
        part.height_ = height;
        part.depth_ = depth;
        return part;
    }

private:
    template <class Other>
    friend class VolumeSpan;

    abi::DevicePointer pointer_ = 0;
    std::size_t width_ = 0;
    std::size_t height_ = 0;
    std::size_t depth_ = 0;
    std::size_t pitch_bytes_ = 0;
    std::size_t slice_rows_ = 0;
    int device_ = detail::no_ordinal;
};

namespace detail {

void copy_3d_async(const abi::Copy3D& copy, StreamView stream, const SourceLocation& where);
void copy_3d_peer_async(const abi::Copy3D& copy, StreamView stream, const SourceLocation& where);

template <class T>
abi::Copy3D::Side side_of(const VolumeSpan<T>& span) {
    abi::Copy3D::Side side{};
    side.type = abi::MemoryType::device;
    side.device = span.pointer();
    side.pitch = span.pitch_bytes();
    side.height = span.slice_rows();
    return side;
}

/// Describes contiguous host memory of the same shape.
template <class T>
abi::Copy3D::Side side_of(const void* host, const VolumeSpan<T>& shape) {
    abi::Copy3D::Side side{};
    side.type = abi::MemoryType::host;
    side.host = const_cast<void*>(host);
    side.pitch = shape.width() * sizeof(T);
    side.height = shape.height();
    return side;
}

template <class T>
abi::Copy3D copy_of(const abi::Copy3D::Side& from, const abi::Copy3D::Side& to, const VolumeSpan<T>& shape) {
    return {from, to, shape.width() * sizeof(T), shape.height(), shape.depth()};
}

template <class T>
void check_device(const VolumeSpan<T>& span, ContextView context, const SourceLocation& where) {
    check_device(DeviceSpan<T>(span.pointer(), 0, span.device()), StreamView(context), where);
}

template <class T>
void check_shapes(const VolumeSpan<T>& to, const VolumeSpan<const T>& from, const SourceLocation& where) {
    if (to.width() != from.width() || to.height() != from.height() || to.depth() != from.depth()) throw_volume_mismatch(where);
}

}  // namespace detail

/// Copies from host to device. \throws Error invalid_argument if the sizes differ, wrong_context
template <class T>
void copy_async(const VolumeSpan<T>& to, const std::span<const std::type_identity_t<T>>& from, StreamView stream,
                SourceLocation where = SourceLocation::current()) {
    if (detail::check_sizes(to, from, where)) {
        detail::check_device(to, stream.context(), where);
        detail::copy_3d_async(detail::copy_of(detail::side_of(from.data(), to), detail::side_of(to), to), stream, where);
    }
}

/// Copies from device to host.
template <class T>
void copy_async(const std::span<std::remove_const_t<T>>& to, const VolumeSpan<T>& from, StreamView stream,
                SourceLocation where = SourceLocation::current()) {
    if (detail::check_sizes(to, from, where)) {
        detail::check_device(from, stream.context(), where);
        detail::copy_3d_async(detail::copy_of(detail::side_of(from), detail::side_of(to.data(), from), from), stream, where);
    }
}

/// Copies within a device. \throws Error invalid_argument if the shapes differ, wrong_context
template <class T>
void copy_async(const VolumeSpan<T>& to, const VolumeSpan<const std::type_identity_t<T>>& from, StreamView stream,
                SourceLocation where = SourceLocation::current()) {
    detail::check_shapes<T>(to, from, where);
    if (!to.empty()) {
        detail::check_device(to, stream.context(), where);
        detail::check_device(from, stream.context(), where);
        detail::copy_3d_async(detail::copy_of(detail::side_of(from), detail::side_of(to), to), stream, where);
    }
}

/// Copies between two devices; the stream belongs to either. \throws what copy_async() throws
template <class T>
void copy_peer_async(const VolumeSpan<T>& to, ContextView to_context, const VolumeSpan<const std::type_identity_t<T>>& from,
                     ContextView from_context, StreamView stream, SourceLocation where = SourceLocation::current()) {
    detail::check_shapes<T>(to, from, where);
    if (to.empty()) return;
    detail::check_device(to, to_context, where);
    detail::check_device(from, from_context, where);
    if (stream.context() != to_context && stream.context() != from_context)
        detail::throw_wrong_device("a span", to.device(), "a stream", stream.context(), where);
    abi::Copy3D copy = detail::copy_of(detail::side_of(from), detail::side_of(to), to);
    copy.source.context = from_context.handle();
    copy.target.context = to_context.handle();
    detail::copy_3d_peer_async(copy, stream, where);
}

}  // namespace cupool
