#pragma once

/// \file
/// Two-dimensional arrays in device memory with a pitch that suits the device, and copies of
/// rectangles. Host memory is a contiguous span of rows. Widths are in elements, heights in rows,
/// pitches in bytes.

#include <bit>
#include <cstddef>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/awaited_memory.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace cupool {

/// A non-owning view of a rectangle in device memory.
template <class T>
class PitchedSpan {
    static_assert(std::is_trivially_copyable_v<T>, "device memory holds bytes: T must be trivially copyable");

public:
    PitchedSpan() = default;
    PitchedSpan(abi::DevicePointer pointer, std::size_t width, std::size_t height, std::size_t pitch_bytes, int device) noexcept
        : pointer_(pointer), width_(width), height_(height), pitch_bytes_(pitch_bytes), device_(device) {}

    operator PitchedSpan<const T>() const noexcept  // NOLINT(google-explicit-constructor): like std::span
        requires(!std::is_const_v<T>) {
        return {pointer_, width_, height_, pitch_bytes_, device_};
    }

    /// The device address of the first element.
    abi::DevicePointer pointer() const noexcept { return pointer_; }
    /// The number of elements.
    std::size_t width() const noexcept { return width_; }
    /// The number of rows.
    std::size_t height() const noexcept { return height_; }
    /// The distance between the beginnings of consecutive rows.
    std::size_t pitch_bytes() const noexcept { return pitch_bytes_; }
    /// Whether the number of elements is 0.
    bool empty() const noexcept { return width_ == 0 || height_ == 0; }
    /// The ordinal of the device that holds the memory; -1 for a default-constructed span.
    int device() const noexcept { return device_; }

    /// One row. \throws Error invalid_argument if `y` is not less than height()
    DeviceSpan<T> row(std::size_t y, SourceLocation where = SourceLocation::current()) const {
        const PitchedSpan line = block(0, y, width_, 1, where);
        return {line.pointer(), width_, device_};
    }
    /// The rectangle that begins at column x of row y. \throws Error invalid_argument if it reaches
    /// past an end
    PitchedSpan block(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                      SourceLocation where = SourceLocation::current()) const {
        if (x > width_ || width > width_ - x || y > height_ || height > height_ - y) {
            throw Error(ErrorCategory::invalid_argument,
                        std::to_string(width) + " x " + std::to_string(height) + " elements from column " + std::to_string(x) + " of row " +
                            std::to_string(y) + " reach past the end of " + std::to_string(width_) + " x " + std::to_string(height_),
                        where);
        }
        return {pointer_ + y * pitch_bytes_ + x * sizeof(T), width, height, pitch_bytes_, device_};
    }

private:
    abi::DevicePointer pointer_ = 0;
    std::size_t width_ = 0;
    std::size_t height_ = 0;
    std::size_t pitch_bytes_ = 0;
    int device_ = detail::no_ordinal;
};

namespace detail {

/// The memory of a PitchedBuffer.
class PitchedAllocation : public AwaitedMemory<abi::DevicePointer, &EntryPoints::memory_free> {
public:
    PitchedAllocation() = default;
    PitchedAllocation(std::size_t width_bytes, std::size_t height, std::size_t element_bytes, ContextView context,
                      const SourceLocation& where);

    std::size_t pitch_bytes() const noexcept { return pointer() == 0 ? 0 : pitch_bytes_; }

private:
    std::size_t pitch_bytes_ = 0;
};

}  // namespace detail

/// Uninitialised rows of elements in device memory. Move-only. Keeps its context alive. The memory
/// is plain and belongs to no pool.
template <class T>
class PitchedBuffer {
public:
    /// No rows, no device.
    PitchedBuffer() = default;

    /// \param width  elements of a row
    /// \param height  number of rows; an empty buffer makes no driver call
    /// \throws Error out_of_memory, invalid_argument (the size does not fit in a std::size_t)
    PitchedBuffer(std::size_t width, std::size_t height, ContextView context, SourceLocation where = SourceLocation::current())
        : allocation_(detail::checked_size(width, sizeof(T), where), height, sizeof(T), context, where), width_(width), height_(height) {}

    PitchedBuffer(PitchedBuffer&& other) noexcept
        : allocation_(std::move(other.allocation_)), width_(std::exchange(other.width_, 0)), height_(std::exchange(other.height_, 0)) {}
    PitchedBuffer& operator=(PitchedBuffer&& other) noexcept {
        allocation_ = std::move(other.allocation_);
        width_ = std::exchange(other.width_, 0);
        height_ = std::exchange(other.height_, 0);
        return *this;
    }

    /// A view of all elements.
    PitchedSpan<T> span() noexcept { return {allocation_.pointer(), width_, height_, pitch_bytes(), device()}; }
    /// A view of all elements.
    PitchedSpan<const T> span() const noexcept { return {allocation_.pointer(), width_, height_, pitch_bytes(), device()}; }
    operator PitchedSpan<T>() noexcept { return span(); }              // NOLINT(google-explicit-constructor): owners stand for their views
    operator PitchedSpan<const T>() const noexcept { return span(); }  // NOLINT(google-explicit-constructor)

    /// The number of elements.
    std::size_t width() const noexcept { return width_; }
    /// The number of rows.
    std::size_t height() const noexcept { return height_; }
    /// The distance between the beginnings of consecutive rows, which the driver chooses.
    std::size_t pitch_bytes() const noexcept { return allocation_.pitch_bytes(); }
    /// Whether the number of elements is 0.
    bool empty() const noexcept { return width_ == 0 || height_ == 0; }
    /// The ordinal of the device; -1 for a default-constructed buffer.
    int device() const noexcept { return allocation_.context().ordinal(); }

    /// Announces that work queued on `stream` so far uses the buffer, so that the destructor waits
    /// for it. Not thread-safe.
    void record_use(StreamView stream, SourceLocation where = SourceLocation::current()) { allocation_.record_use(stream, where); }

private:
    detail::PitchedAllocation allocation_;
    std::size_t width_ = 0;
    std::size_t height_ = 0;
};

namespace detail {

[[noreturn]] void throw_shape_mismatch(std::size_t to_width, std::size_t to_height, std::size_t from_width, std::size_t from_height,
                                       const SourceLocation& where);

void copy_2d_async(const abi::Copy2D& copy, StreamView stream, const SourceLocation& where);

/// Whether there is something to copy. \throws Error invalid_argument if the shapes differ
template <class T>
bool check_shapes(PitchedSpan<T> to, PitchedSpan<const T> from, const SourceLocation& where) {
    if (to.width() != from.width() || to.height() != from.height())
        throw_shape_mismatch(to.width(), to.height(), from.width(), from.height(), where);
    return !to.empty();
}

template <class T>
abi::CopyPlane2D plane_of(PitchedSpan<T> span) {
    abi::CopyPlane2D plane{};
    plane.type = abi::MemoryType::device;
    plane.device = span.pointer();
    plane.pitch_bytes = span.pitch_bytes();
    return plane;
}

inline abi::CopyPlane2D plane_of(const void* host, std::size_t width_bytes) {
    abi::CopyPlane2D plane{};
    plane.type = abi::MemoryType::host;
    plane.host = const_cast<void*>(host);
    plane.pitch_bytes = width_bytes;
    return plane;
}

template <class T>
void check_device(PitchedSpan<T> span, StreamView stream, const SourceLocation& where) {
    check_device(DeviceSpan<T>(span.pointer(), 0, span.device()), stream, where);
}

}  // namespace detail

/// Copies from host to device, row after row. \throws Error invalid_argument if the sizes differ,
/// wrong_context
template <class T>
void copy_async(PitchedSpan<T> to, std::span<const std::type_identity_t<T>> from, StreamView stream,
                SourceLocation where = SourceLocation::current()) {
    if (detail::check_sizes(to.width() * to.height(), from.size(), where)) {
        detail::check_device(to, stream, where);
        const std::size_t width_bytes = to.width() * sizeof(T);
        detail::copy_2d_async({detail::plane_of(from.data(), width_bytes), detail::plane_of(to), width_bytes, to.height()}, stream, where);
    }
}

/// Copies from device to host.
template <class T>
void copy_async(std::span<std::remove_const_t<T>> to, PitchedSpan<T> from, StreamView stream,
                SourceLocation where = SourceLocation::current()) {
    if (detail::check_sizes(to.size(), from.width() * from.height(), where)) {
        detail::check_device(from, stream, where);
        const std::size_t width_bytes = from.width() * sizeof(T);
        detail::copy_2d_async({detail::plane_of(from), detail::plane_of(to.data(), width_bytes), width_bytes, from.height()}, stream,
                              where);
    }
}

/// Copies within a device. The driver may refuse pitches other than those of a PitchedBuffer: see
/// copy_unaligned(). \throws Error invalid_argument if the shapes differ, wrong_context
template <class T>
void copy_async(PitchedSpan<T> to, PitchedSpan<const std::type_identity_t<T>> from, StreamView stream,
                SourceLocation where = SourceLocation::current()) {
    if (detail::check_shapes<T>(to, from, where)) {
        detail::check_device(to, stream, where);
        detail::check_device(from, stream, where);
        detail::copy_2d_async({detail::plane_of(from), detail::plane_of(to), to.width() * sizeof(T), to.height()}, stream, where);
    }
}

/// The same for any pitches, on the default stream of the context; complete on return.
template <class T>
void copy_unaligned(PitchedSpan<T> to, PitchedSpan<const std::type_identity_t<T>> from, ContextView context,
                    SourceLocation where = SourceLocation::current()) {
    if (detail::check_shapes<T>(to, from, where)) {
        detail::check_device(to, StreamView(context), where);
        detail::check_device(from, StreamView(context), where);
        const abi::Copy2D copy{detail::plane_of(from), detail::plane_of(to), to.width() * sizeof(T), to.height()};
        detail::call_in<&EntryPoints::copy_2d_unaligned>(context, where, &copy);
        StreamView(context).synchronize(where);
    }
}

/// Sets all elements of the rectangle to one value of 1, 2 or 4 bytes.
template <class T>
void fill_async(PitchedSpan<T> span, std::type_identity_t<T> value, StreamView stream, SourceLocation where = SourceLocation::current()) {
    static_assert(!std::is_const_v<T>, "cannot fill a span of constants");
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4, "the driver sets values of 1, 2 or 4 bytes");
    if (span.empty()) return;
    detail::check_device(span, stream, where);
    const auto fill = [&]<auto Member, class Word>() {
        detail::call_in<Member>(stream.context(), where, span.pointer(), span.pitch_bytes(), std::bit_cast<Word>(value), span.width(),
                                span.height(), stream.handle());
    };
    if constexpr (sizeof(T) == 1) {
        fill.template operator()<&EntryPoints::set_bytes_2d_async, unsigned char>();
    } else if constexpr (sizeof(T) == 2) {
        fill.template operator()<&EntryPoints::set_halfwords_2d_async, unsigned short>();
    } else {
        fill.template operator()<&EntryPoints::set_words_2d_async, unsigned>();
    }
}

}  // namespace cupool
