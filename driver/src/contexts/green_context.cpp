#include <cupool/driver/green_context.hpp>

namespace cupool {

using detail::call;

namespace {

constexpr unsigned with_default_stream = 1;  // CU_GREEN_CTX_DEFAULT_STREAM, which is mandatory

abi::DeviceResource all_multiprocessors(const Device& device, const SourceLocation& where) {
    abi::DeviceResource resource{};
    call<&EntryPoints::device_get_resource>(*device.driver(), device.ordinal(), where, device.handle(), &resource,
                                            abi::ResourceType::multiprocessors);
    return resource;
}

}  // namespace

MultiprocessorShare multiprocessor_share(const Device& device, SourceLocation where) {
    const abi::MultiprocessorResource all = all_multiprocessors(device, where).multiprocessors;
    return {all.count, all.min_partition_size, all.coscheduled_alignment};
}

GreenContext::GreenContext(const Device& device, unsigned multiprocessors, SourceLocation where) {
    const Driver& driver = *device.driver();
    detail::Shared state(new detail::ContextState(device, detail::ContextState::Kind::green));
    const abi::DeviceResource all = all_multiprocessors(device, where);
    abi::DeviceResource share{};
    unsigned groups = 1;
    call<&EntryPoints::resource_split_by_count>(driver, device.ordinal(), where, &share, &groups, &all,
                                                static_cast<abi::DeviceResource*>(nullptr), 0U, multiprocessors);
    abi::ResourceDescription description = nullptr;
    call<&EntryPoints::resource_generate_description>(driver, device.ordinal(), where, &description, &share, 1U);
    abi::GreenContext green = nullptr;
    call<&EntryPoints::green_context_create>(driver, device.ordinal(), where, &green, description, device.handle(), with_default_stream);
    state->own(green);
    abi::Context handle = nullptr;
    call<&EntryPoints::context_from_green_context>(driver, device.ordinal(), where, &handle, green);
    state->own(handle);
    state_ = std::move(state);
}

unsigned GreenContext::multiprocessor_count(SourceLocation where) const {
    detail::require_context(view(), where);
    abi::DeviceResource resource{};
    call<&EntryPoints::green_context_get_resource>(view().driver(), view().ordinal(), where, view().green_handle(), &resource,
                                                   abi::ResourceType::multiprocessors);
    return resource.multiprocessors.count;
}

}  // namespace cupool
