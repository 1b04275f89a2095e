#include "api/answer.hpp"
#include "api/state.hpp"

/// \file
/// Green contexts are not simulated, and say so; what a device has of multiprocessors can be asked.

namespace cupool::simulator::exports {

Result device_get_resource(Device device, DeviceResource* resource, ResourceType type) {
    return answer(EntryPoint::device_get_resource, device, [&] {
        require(resource != nullptr, Result::invalid_value);
        require(type == ResourceType::multiprocessors, Result::invalid_resource_type);
        const Locked state;
        constexpr unsigned granule = 8;  // of compute capability 9.0
        const auto count = static_cast<unsigned>(device_at(*state, device).kind.multiprocessor_count);
        *resource = {};
        resource->type = type;
        resource->multiprocessors = {count, granule, granule};
    });
}

Result resource_split_by_count(DeviceResource*, unsigned*, const DeviceResource*, DeviceResource*, unsigned, unsigned) {
    return answer(EntryPoint::resource_split_by_count, [] { fail(Result::not_supported); });
}

Result resource_generate_description(ResourceDescription*, DeviceResource*, unsigned) {
    return answer(EntryPoint::resource_generate_description, [] { fail(Result::not_supported); });
}

Result green_context_create(GreenContext*, ResourceDescription, Device device, unsigned) {
    return answer(EntryPoint::green_context_create, device, [] { fail(Result::not_supported); });
}

Result green_context_destroy(GreenContext) {
    return answer(EntryPoint::green_context_destroy, [] { fail(Result::not_supported); });
}

Result green_context_get_resource(GreenContext, DeviceResource*, ResourceType) {
    return answer(EntryPoint::green_context_get_resource, [] { fail(Result::not_supported); });
}

Result context_from_green_context(Context*, GreenContext) {
    return answer(EntryPoint::context_from_green_context, [] { fail(Result::not_supported); });
}

Result green_context_stream_create(Stream*, GreenContext, unsigned, int) {
    return answer(EntryPoint::green_context_stream_create, [] { fail(Result::not_supported); });
}

}  // namespace cupool::simulator::exports
