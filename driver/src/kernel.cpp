#include <cupool/driver/kernel.hpp>

namespace cupool {

namespace {

std::string text_of(const Extent& extent) {
    return std::to_string(extent.x) + "x" + std::to_string(extent.y) + "x" + std::to_string(extent.z);
}

}  // namespace

namespace detail {

void throw_failed_launch(const Driver& driver, abi::Result result, int ordinal, const std::string& kernel, const LaunchShape& shape,
                         const SourceLocation& where) {
    throw_failed_call(driver, entry_point_info<&EntryPoints::launch_kernel>, result, ordinal, where,
                      "cannot launch kernel " + kernel + " with a grid of " + text_of(shape.grid) + " blocks of " + text_of(shape.block) +
                          " threads and " + std::to_string(shape.dynamic_shared_bytes) + " bytes of dynamic shared memory");
}

}  // namespace detail

int UntypedKernel::attribute(abi::FunctionAttribute attribute, SourceLocation where) const {
    int value = 0;
    detail::call_in<&EntryPoints::function_get_attribute>(context_, where, &value, attribute, handle_);
    return value;
}

void UntypedKernel::set_max_dynamic_shared_bytes(unsigned bytes, SourceLocation where) const {
    detail::call_in<&EntryPoints::function_set_attribute>(context_, where, handle_, abi::FunctionAttribute::max_dynamic_shared_size_bytes,
                                                          static_cast<int>(bytes));
}

int UntypedKernel::max_active_blocks(unsigned block_threads, std::size_t dynamic_shared_bytes, SourceLocation where) const {
    int blocks = 0;
    detail::call_in<&EntryPoints::occupancy_max_active_blocks>(context_, where, &blocks, handle_, static_cast<int>(block_threads),
                                                               dynamic_shared_bytes);
    return blocks;
}

}  // namespace cupool
