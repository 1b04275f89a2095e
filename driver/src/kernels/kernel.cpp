#include <algorithm>
#include <cupool/driver/kernel.hpp>

namespace cupool {

namespace {

std::string text_of(const Extent& extent) {
    return std::to_string(extent.x) + "x" + std::to_string(extent.y) + "x" + std::to_string(extent.z);
}

/// The attributes of a launch in the form of the driver.
class AttributeList {
public:
    explicit AttributeList(const LaunchOptions& options) {
        if (options.cooperative) add(abi::LaunchAttributeId::cooperative).cooperative = 1;
        if (options.cluster)
            add(abi::LaunchAttributeId::cluster_dimension).cluster_dimension = {options.cluster->x, options.cluster->y, options.cluster->z};
        if (options.priority) add(abi::LaunchAttributeId::priority).priority = *options.priority;
        if (options.programmatic_stream_serialization)
            add(abi::LaunchAttributeId::programmatic_stream_serialization).programmatic_stream_serialization = 1;
    }

    abi::LaunchConfig config(const LaunchShape& shape, StreamView stream) {
        return {shape.grid.x,    shape.grid.y, shape.grid.z, shape.block.x, shape.block.y, shape.block.z, shape.dynamic_shared_bytes,
                stream.handle(), attributes_,  count_};
    }

private:
    abi::LaunchAttributeValue& add(abi::LaunchAttributeId id) {
        abi::LaunchAttribute& attribute = attributes_[count_++];
        attribute.id = id;
        return attribute.value;
    }

    abi::LaunchAttribute attributes_[4] = {};
    unsigned count_ = 0;
};

bool is_only_cooperative(const LaunchOptions& options) {
    return options.cooperative && !options.cluster && !options.priority && !options.programmatic_stream_serialization;
}

std::string text_of(const std::vector<KernelParameterInfo>& parameters) {
    std::string text = std::to_string(parameters.size());
    for (const KernelParameterInfo& parameter : parameters)
        text += (&parameter == parameters.data() ? " of " : ", ") + std::to_string(parameter.bytes);
    return text + (parameters.empty() ? "" : " bytes");
}

[[noreturn]] void throw_failed_launch(const UntypedKernel& kernel, const EntryPointInfo& entry_point, abi::Status result,
                                      const LaunchShape& shape, const SourceLocation& where) {
    detail::throw_failed_call(kernel.context().driver(), entry_point, result, kernel.context().ordinal(), where,
                              "cannot launch kernel " + kernel.name() + " with a grid of " + text_of(shape.grid) + " blocks of " +
                                  text_of(shape.block) + " threads and " + std::to_string(shape.dynamic_shared_bytes) +
                                  " bytes of dynamic shared memory");
}

}  // namespace

void UntypedKernel::throw_failed_launch(abi::Status result, const LaunchShape& shape, const SourceLocation& where) const {
    cupool::throw_failed_launch(*this, entry_point_info<&EntryPoints::launch_kernel>, result, shape, where);
}

void UntypedKernel::launch_elsewhere(abi::Status query_status, const LaunchShape& shape, abi::Stream stream, void** parameters,
                                     const SourceLocation& where) const {
    detail::require_query(context_, query_status, where);
    const CurrentContext current(context_, where);
    launch_here(shape, stream, parameters, where);
}

void UntypedKernel::launch_raw_with(const LaunchOptions& options, const LaunchShape& shape, StreamView stream, void** parameters,
                                    const SourceLocation& where) const {
    if (stream.context() != context_) detail::throw_wrong_device("the kernel", context_.ordinal(), "a stream", stream.ordinal(), where);
    const CurrentContext current(context_, where);
    const Driver& driver = context_.driver();
    if (is_only_cooperative(options)) {  // which all drivers support
        const abi::Status result = detail::invoke<&EntryPoints::launch_cooperative_kernel>(
            driver, context_.ordinal(), where, handle_, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
            shape.block.z, shape.dynamic_shared_bytes, stream.handle(), parameters);
        if (result != abi::Status::success)
            cupool::throw_failed_launch(*this, entry_point_info<&EntryPoints::launch_cooperative_kernel>, result, shape, where);
        return;
    }
    AttributeList attributes(options);
    const abi::LaunchConfig config = attributes.config(shape, stream);
    const abi::Status result = detail::invoke<&EntryPoints::launch_kernel_ex>(driver, context_.ordinal(), where, &config, handle_,
                                                                              parameters, static_cast<void**>(nullptr));
    if (result != abi::Status::success)
        cupool::throw_failed_launch(*this, entry_point_info<&EntryPoints::launch_kernel_ex>, result, shape, where);
}

void UntypedKernel::set_attribute(abi::FunctionAttribute attribute, int value, SourceLocation where) const {
    detail::call_in<&EntryPoints::function_set_attribute>(context_, where, handle_, attribute, value);
}

void UntypedKernel::set_cache_config(abi::CacheConfig config, SourceLocation where) const {
    detail::call_in<&EntryPoints::function_set_cache_config>(context_, where, handle_, config);
}

abi::Module UntypedKernel::module_handle(SourceLocation where) const {
    abi::Module module = nullptr;
    detail::call_in<&EntryPoints::function_get_module>(context_, where, &module, handle_);
    return module;
}

std::vector<KernelParameterInfo> UntypedKernel::parameters(SourceLocation where) const {
    const CurrentContext current(context_, where);
    std::vector<KernelParameterInfo> parameters;
    while (true) {
        KernelParameterInfo info{};
        const abi::Status result = detail::invoke<&EntryPoints::function_get_parameter_info>(
            context_.driver(), context_.ordinal(), where, handle_, parameters.size(), &info.offset, &info.bytes);
        if (result == abi::Status::invalid_value) {  // there are no more parameters
            return parameters;
        }
        if (result != abi::Status::success) {
            detail::throw_failed_call(context_.driver(), entry_point_info<&EntryPoints::function_get_parameter_info>, result,
                                      context_.ordinal(), where);
        }
        parameters.push_back(info);
    }
}

void UntypedKernel::check_parameters(std::initializer_list<std::size_t> sizes, const SourceLocation& where) const {
    if (context_.driver().api().function_get_parameter_info == nullptr) return;
    const std::vector<KernelParameterInfo> expected = parameters(where);
    const bool are_equal = std::equal(expected.begin(), expected.end(), sizes.begin(), sizes.end(),
                                      [](const KernelParameterInfo& parameter, std::size_t size) { return parameter.bytes == size; });
    if (are_equal) return;
    std::vector<KernelParameterInfo> given;
    for (const std::size_t size : sizes) given.push_back({0, size});
    ErrorDetails details;
    details.category = ErrorCategory::invalid_argument;
    details.call = entry_point_info<&EntryPoints::function_get_parameter_info>.base;
    details.device = context_.ordinal();
    details.message = "kernel " + name_ + " has other parameters than the arguments: " + text_of(expected) + ", and not " + text_of(given) +
                      ", as " + details.call + " tells";
    throw Error(std::move(details), where);
}

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

BlockSize UntypedKernel::potential_block_size(std::size_t dynamic_shared_bytes, int max_threads, SourceLocation where) const {
    BlockSize size{};
    detail::call_in<&EntryPoints::occupancy_potential_block_size>(context_, where, &size.min_grid, &size.block, handle_,
                                                                  abi::BlockSizeToSharedBytes{nullptr}, dynamic_shared_bytes, max_threads);
    return size;
}

std::size_t UntypedKernel::available_dynamic_shared_bytes(int blocks, int block_threads, SourceLocation where) const {
    std::size_t bytes = 0;
    detail::call_in<&EntryPoints::occupancy_available_dynamic_shared>(context_, where, &bytes, handle_, blocks, block_threads);
    return bytes;
}

int UntypedKernel::max_active_clusters(const LaunchShape& shape, const Extent& cluster, SourceLocation where) const {
    LaunchOptions options;
    options.cluster = cluster;
    AttributeList attributes(options);
    const abi::LaunchConfig config = attributes.config(shape, StreamView(context_));
    int clusters = 0;
    detail::call_in<&EntryPoints::occupancy_max_active_clusters>(context_, where, &clusters, handle_, &config);
    return clusters;
}

}  // namespace cupool
