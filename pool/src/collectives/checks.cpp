#include "checks.hpp"

#include <algorithm>
#include <string>

#include "collective/peer_arrays.hpp"
#include "peers/peer_paths.hpp"

namespace cupool::detail {

namespace {

[[noreturn]] void refuse(ErrorCategory category, const std::string& message) { throw Error(category, "collectives: " + message); }

std::string text_of(const PeerBuffer& buffer, const char* name) {
    return std::string("the ") + name + " on device " + std::to_string(buffer.device);
}

void require_usable_device(const PeerBuffer& buffer, const char* name, const DevicePool& pool,
                           const std::vector<QuarantinedDevice>& quarantined) {
    const std::vector<int>& devices = pool.devices();
    if (std::find(devices.begin(), devices.end(), buffer.device) == devices.end()) {
        refuse(ErrorCategory::wrong_context, text_of(buffer, name) + " lies outside of the pool, which has " + to_string(pool));
    }
    for (const QuarantinedDevice& device : quarantined) {
        if (device.device != buffer.device) continue;
        ErrorDetails details;
        details.category = ErrorCategory::no_device;
        details.device = device.device;
        details.message = "collectives: device " + std::to_string(device.device) + " is quarantined (" + device.why +
                          "); leave its buffer out, or readmit it";
        throw Error(std::move(details));
    }
}

}  // namespace

void require_one_a_device(const std::vector<PeerBuffer>& buffers, std::size_t alignment, const char* name, const DevicePool& pool) {
    if (buffers.empty()) refuse(ErrorCategory::invalid_argument, std::string("there is no ") + name + "; give one for each device");
    if (buffers.size() > max_peers) {
        refuse(ErrorCategory::invalid_argument,
               std::to_string(buffers.size()) + " devices are more than the " + std::to_string(max_peers) + " that one call can have");
    }
    const std::vector<QuarantinedDevice> quarantined = pool.quarantined();
    for (auto buffer = buffers.begin(); buffer != buffers.end(); ++buffer) {
        require_usable_device(*buffer, name, pool, quarantined);
        const auto is_on_same_device = [&](const PeerBuffer& other) { return other.device == buffer->device; };
        if (std::any_of(buffers.begin(), buffer, is_on_same_device)) {
            refuse(ErrorCategory::invalid_argument, text_of(*buffer, name) + " is the second one there; give one for each device");
        }
        if (buffer->pointer % alignment != 0) {
            refuse(ErrorCategory::invalid_argument, text_of(*buffer, name) + " begins at an address that is no multiple of its elements' " +
                                                        std::to_string(alignment) + " bytes");
        }
    }
}

void require_reachable_memory(const PeerBuffer& buffer, const DeviceContext& context) {
    if (buffer.bytes == 0 || is_open_to_peers(buffer.pointer, context)) return;
    ErrorDetails details;
    details.category = ErrorCategory::unsupported;
    details.device = buffer.device;
    details.message = "collectives: the buffer on device " + std::to_string(buffer.device) +
                      " is from a memory pool that the other devices cannot reach; allocate it with the device pool's context of that "
                      "device, or as plain memory";
    throw Error(std::move(details));
}

void require_one_of_both_a_device(const std::vector<PeerBuffer>& inputs, const std::vector<PeerBuffer>& outputs, std::size_t alignment,
                                  const DevicePool& pool) {
    require_one_a_device(inputs, alignment, "input", pool);
    require_one_a_device(outputs, alignment, "output", pool);
    const auto have_same_device = [](const PeerBuffer& input, const PeerBuffer& output) { return input.device == output.device; };
    if (std::equal(inputs.begin(), inputs.end(), outputs.begin(), outputs.end(), have_same_device)) return;
    refuse(ErrorCategory::invalid_argument,
           "inputs and outputs are not on the same devices in the same order; give each device one of both");
}

void require_size(const std::vector<PeerBuffer>& buffers, std::size_t bytes, const char* name, const char* reason) {
    for (const PeerBuffer& buffer : buffers) {
        if (buffer.bytes == bytes) continue;
        refuse(ErrorCategory::invalid_argument,
               text_of(buffer, name) + " has " + std::to_string(buffer.bytes) + " bytes, and not " + std::to_string(bytes) + ", " + reason);
    }
}

void require_apart(const PeerBuffer& input, const PeerBuffer& output, bool is_in_place) {
    if (is_in_place) return;
    if (input.pointer >= output.pointer + output.bytes || output.pointer >= input.pointer + input.bytes) return;
    refuse(ErrorCategory::invalid_argument,
           text_of(output, "output") + " overlaps its input; let them be apart, or the output exactly where it is in place");
}

}  // namespace cupool::detail
