#include "api/handle_call.hpp"
#include "api/state.hpp"

/// \file
/// Green contexts are not simulated: the calls return not_supported. The multiprocessor resource of a device can be queried.

namespace cupool::simulator::exports {

Status device_get_resource(Device device, DeviceResource* resource, ResourceType type) {
    return handle_call(EntryPoint::device_get_resource, device, [&] {
        require(resource != nullptr, Status::invalid_value);
        require(type == ResourceType::multiprocessors, Status::invalid_resource_type);
        const Locked state;
        constexpr unsigned granule = 8;  // for compute capability 9.0
        const auto count = static_cast<unsigned>(device_at(*state, device).kind.multiprocessor_count);
        *resource = {};
        resource->type = type;
        resource->multiprocessors = {count, granule, granule};
    });
}

Status resource_split_by_count(DeviceResource*, unsigned*, const DeviceResource*, DeviceResource*, unsigned, unsigned) {
    return handle_call(EntryPoint::resource_split_by_count, [] { fail(Status::not_supported); });
}

Status resource_generate_description(ResourceDescription*, DeviceResource*, unsigned) {
    return handle_call(EntryPoint::resource_generate_description, [] { fail(Status::not_supported); });
}

Status green_context_create(GreenContext*, ResourceDescription, Device device, unsigned) {
    return handle_call(EntryPoint::green_context_create, device, [] { fail(Status::not_supported); });
}

Status green_context_destroy(GreenContext) {
    return handle_call(EntryPoint::green_context_destroy, [] { fail(Status::not_supported); });
}

Status green_context_get_resource(GreenContext, DeviceResource*, ResourceType) {
    return handle_call(EntryPoint::green_context_get_resource, [] { fail(Status::not_supported); });
}

Status context_from_green_context(Context*, GreenContext) {
    return handle_call(EntryPoint::context_from_green_context, [] { fail(Status::not_supported); });
}

Status green_context_stream_create(Stream*, GreenContext, unsigned, int) {
    return handle_call(EntryPoint::green_context_stream_create, [] { fail(Status::not_supported); });
}

}  // namespace cupool::simulator::exports
