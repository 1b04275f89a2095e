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
    : AwaitedMemory(context, where) {
    if (checked_size(height, std::max<std::size_t>(width_bytes, 1), where) != 0 && width_bytes != 0) {
        abi::DevicePointer memory = 0;
        call_in<&EntryPoints::memory_allocate_pitch>(context, where, &memory, &pitch_bytes_, width_bytes, height,
                                                     access_bytes(element_bytes));
        take(memory);
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
