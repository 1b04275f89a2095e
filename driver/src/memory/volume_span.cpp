#include <cupool/driver/volume_span.hpp>

namespace cupool::detail {

void throw_no_slices(std::size_t rows, std::size_t rows_of_slice, const SourceLocation& where) {
    throw Error(ErrorCategory::invalid_argument,
                std::to_string(rows) + " rows are no whole number of slices of " + std::to_string(rows_of_slice), where);
}

void throw_past_volume(const SourceLocation& where) {
    throw Error(ErrorCategory::invalid_argument, "the block reaches past the end of the volume that it is to be of", where);
}

void throw_volume_mismatch(const SourceLocation& where) {
    throw Error(ErrorCategory::invalid_argument, "cannot copy a block to a place of another width, height or depth", where);
}

void copy_3d_async(const abi::Copy3D& copy, StreamView stream, const SourceLocation& where) {
    call_in<&EntryPoints::copy_3d_async>(stream.context(), where, &copy, stream.handle());
}

void copy_3d_peer_async(const abi::Copy3D& copy, StreamView stream, const SourceLocation& where) {
    call_in<&EntryPoints::copy_3d_peer_async>(stream.context(), where, &copy, stream.handle());
}

}  // namespace cupool::detail
