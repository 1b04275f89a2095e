#include <algorithm>
#include <cupool/driver/pitched_buffer.hpp>

namespace cupool::detail {

namespace {

/// The largest access of kernels, which the driver asks for: 4, 8 or 16 bytes.
unsigned access_bytes(std::size_t element_bytes) {
    for (const unsigned bytes : {16U, 8U}) {
        if (element_bytes % bytes == 0) return bytes;
    }
    return 4;
}

}  // namespace

PitchedAllocation::PitchedAllocation(std::size_t width_bytes, std::size_t height, std::size_t element_bytes, ContextView context,
                                     const SourceLocation& where)
    : context_(context.share(where)) {
    if (checked_size(height, std::max<std::size_t>(width_bytes, 1), where) != 0 && width_bytes != 0) {
        call_in<&EntryPoints::memory_allocate_pitch>(context, where, &pointer_, &pitch_bytes_, width_bytes, height,
                                                     access_bytes(element_bytes));
    }
}

PitchedAllocation::PitchedAllocation(PitchedAllocation&& other) noexcept
    : context_(std::move(other.context_)),
      pointer_(std::exchange(other.pointer_, 0)),
      pitch_bytes_(std::exchange(other.pitch_bytes_, 0)),
      uses_(std::move(other.uses_)) {}

PitchedAllocation& PitchedAllocation::operator=(PitchedAllocation&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        pointer_ = std::exchange(other.pointer_, 0);
        pitch_bytes_ = std::exchange(other.pitch_bytes_, 0);
        uses_ = std::move(other.uses_);
    }
    return *this;
}

void PitchedAllocation::release() noexcept {
    if (pointer_ != 0) {
        uses_.synchronize_and_free<&EntryPoints::memory_free>(context_.get(), pointer_);
    }
}

void throw_shape_mismatch(std::size_t to_width, std::size_t to_height, std::size_t from_width, std::size_t from_height,
                          const SourceLocation& where) {
    throw Error(ErrorCategory::invalid_argument,
                "cannot copy " + std::to_string(from_width) + " x " + std::to_string(from_height) + " elements to a place for " +
                    std::to_string(to_width) + " x " + std::to_string(to_height),
                where);
}

void copy_2d_async(const abi::Copy2D& copy, StreamView stream, const SourceLocation& where) {
    call_in<&EntryPoints::copy_2d_async>(stream.context(), where, &copy, stream.handle());
}

}  // namespace cupool::detail
