#include "api/handle_call.hpp"

#include "api/call_record.hpp"
#include "api/driver_state.hpp"
#include "device/device.hpp"
#include "faults/device_fault.hpp"
#include "faults/fault_plan.hpp"
#include "objects/context.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {
namespace {

bool works_uninitialised(EntryPoint entry_point) {
    switch (entry_point) {
        case EntryPoint::init:
        case EntryPoint::driver_get_version:
        case EntryPoint::get_error_name:
        case EntryPoint::get_error_string: return true;
        default: return false;
    }
}

bool works_in_forked_child(EntryPoint entry_point) { return works_uninitialised(entry_point) && entry_point != EntryPoint::init; }

// Calls that do not access a device still work after a device fault. Observed on an H200 with driver 580.
bool survives_device_fault(EntryPoint entry_point) {
    switch (entry_point) {
        case EntryPoint::device_get_count:
        case EntryPoint::device_get:
        case EntryPoint::device_get_name:
        case EntryPoint::device_get_by_pci_bus_id:
        case EntryPoint::device_get_physical_uuid:
        case EntryPoint::device_get_peer_attribute:
        case EntryPoint::device_get_uuid:
        case EntryPoint::device_total_memory:
        case EntryPoint::device_get_attribute:
        case EntryPoint::device_get_pci_bus_id:
        case EntryPoint::device_can_access_peer:
        case EntryPoint::device_get_default_memory_pool:
        case EntryPoint::primary_context_retain:
        case EntryPoint::primary_context_release:
        case EntryPoint::primary_context_get_state:
        case EntryPoint::context_destroy:
        case EntryPoint::context_push_current:
        case EntryPoint::context_pop_current:
        case EntryPoint::context_get_current:
        case EntryPoint::context_set_current:
        case EntryPoint::context_get_device:
        case EntryPoint::context_get_flags:
        case EntryPoint::context_set_flags:
        case EntryPoint::context_get_id:
        case EntryPoint::context_get_api_version:
        case EntryPoint::primary_context_set_flags:
        case EntryPoint::primary_context_reset:
        case EntryPoint::logs_current:
        case EntryPoint::logs_dump_to_memory:
        case EntryPoint::module_get_loading_mode:
        case EntryPoint::thread_exchange_capture_mode:
        case EntryPoint::graph_create:
        case EntryPoint::graph_destroy:
        case EntryPoint::graph_add_empty_node:
        case EntryPoint::graph_add_host_node:
        case EntryPoint::graph_get_nodes:
        case EntryPoint::graph_node_get_type:
        case EntryPoint::graph_node_get_dependencies:
        case EntryPoint::user_object_create:
        case EntryPoint::user_object_release:
        case EntryPoint::graph_retain_user_object:
        case EntryPoint::pointer_get_attribute:
        case EntryPoint::pointer_get_attributes:
        case EntryPoint::memory_pool_create:
        case EntryPoint::memory_pool_destroy:
        case EntryPoint::memory_pool_get_attribute:
        case EntryPoint::memory_pool_set_attribute:
        case EntryPoint::memory_pool_trim_to: return true;
        default: return works_uninitialised(entry_point);
    }
}

// Calls that release their object even if they report a failure.
bool releases(EntryPoint entry_point) {
    switch (entry_point) {
        case EntryPoint::primary_context_release:
        case EntryPoint::context_destroy:
        case EntryPoint::memory_free:
        case EntryPoint::memory_free_async:
        case EntryPoint::host_free:
        case EntryPoint::host_unregister:
        case EntryPoint::address_free:
        case EntryPoint::memory_release:
        case EntryPoint::memory_unmap:
        case EntryPoint::memory_pool_destroy:
        case EntryPoint::stream_destroy:
        case EntryPoint::event_destroy:
        case EntryPoint::module_unload:
        case EntryPoint::library_unload:
        case EntryPoint::link_destroy:
        case EntryPoint::stream_end_capture:
        case EntryPoint::graph_destroy:
        case EntryPoint::graph_exec_destroy:
        case EntryPoint::user_object_release: return true;
        default: return false;
    }
}

int known_device(int device) {
    const int named = device == current_device ? device_of_current_context() : device;
    return named >= 0 && named < max_devices ? named : no_device;
}

abi::Status fault_of(int device) { return device == no_device ? device_fault() : device_fault(device); }

}  // namespace

Admission admit(EntryPoint entry_point, int device) {
    if (is_forked_child() && !works_in_forked_child(entry_point)) {
        return {false, abi::Status::not_initialized};
    }
    count_call(entry_point);
    const bool asks_for_device = is_anything_planned() || is_any_device_lost();
    const Call call{entry_point, asks_for_device ? known_device(device) : no_device, !survives_device_fault(entry_point)};
    if (!is_in_host_function()) {
        scheduler().pass_call(planned_slowdown(call));
    }
    if (entry_points()[static_cast<std::size_t>(entry_point)].since > driver_version()) {
        return {false, abi::Status::not_supported};
    }
    if (const auto planned = is_anything_planned() ? planned_status(call) : std::nullopt) {
        return {releases(entry_point) && is_initialised(), *planned};
    }
    if (!is_initialised() && !works_uninitialised(entry_point)) {
        return {false, abi::Status::not_initialized};
    }
    if (is_in_host_function() && !works_uninitialised(entry_point)) {
        return {false, abi::Status::not_permitted};
    }
    if (const abi::Status fault = fault_of(call.device); fault != abi::Status::success && call.reaches_device) {
        return {releases(entry_point), fault};
    }
    if (call.reaches_device && !releases(entry_point)) {
        if (const abi::Status finding = take_finding(); finding != abi::Status::success) {
            return {false, finding};
        }
    }
    return {true, abi::Status::success};
}

}  // namespace cupool::simulator
