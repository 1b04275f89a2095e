#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/device.hpp>
#include <ostream>
#include <string_view>

namespace cupool {

using detail::call;

namespace {

std::string uuid_text(const abi::Uuid& uuid, std::string_view prefix) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text(prefix);
    for (int index = 0; index < 16; ++index) {
        if (index == 4 || index == 6 || index == 8 || index == 10) text += '-';
        text += digits[uuid.bytes[index] >> 4];
        text += digits[uuid.bytes[index] & 15];
    }
    return text;
}

/// Far more than a host can have, MIG instances included; a driver that counts more is faulty.
constexpr int max_devices = 4096;

void require_plausible_count(const Driver& driver, int count, const SourceLocation& where) {
    if (count >= 0 && count <= max_devices) return;
    ErrorDetails details;
    details.category = ErrorCategory::driver_unavailable;
    details.reason = Reason::library_unusable;
    details.call = entry_point_info<&EntryPoints::device_get_count>.base;
    details.message = (driver.report().library_path.empty() ? "the driver" : driver.report().library_path) +
                      " is no driver that works: cuDeviceGetCount answered success and " + std::to_string(count) + " devices";
    throw Error(std::move(details), where);
}

}  // namespace

Device::Device(std::shared_ptr<const Driver> driver, int ordinal, SourceLocation where) : driver_(std::move(driver)), ordinal_(ordinal) {
    const int count = device_count(*driver_, where);
    if (count == 0) {
        driver_->initialize(where);  // throws the reason if cuInit finds no device
    }
    if (ordinal < 0 || ordinal >= count) {
        ErrorDetails details;
        details.category = count == 0 ? ErrorCategory::no_device : ErrorCategory::invalid_device;
        details.device = ordinal;
        details.message = count == 0 ? "the driver shows no device; probe(), or devquery, says why"
                                     : "the driver shows " + std::to_string(count) + " device(s), counted from 0";
        throw Error(std::move(details), where);
    }
    call<&EntryPoints::device_get>(*driver_, ordinal, where, &handle_, ordinal);
}

Device Device::with_pci_bus_id(std::shared_ptr<const Driver> driver, const std::string& id, SourceLocation where) {
    device_count(*driver, where);  // initialises the driver
    abi::Device handle = 0;
    call<&EntryPoints::device_get_by_pci_bus_id>(*driver, detail::no_ordinal, where, &handle, id.c_str());
    return Device(std::move(driver), handle, where);  // handles of devices are ordinals
}

std::string Device::name(SourceLocation where) const {
    char text[256] = {};
    call<&EntryPoints::device_get_name>(*driver_, ordinal_, where, text, static_cast<int>(sizeof(text)) - 1, handle_);
    return text;
}

std::string Device::uuid(SourceLocation where) const {
    abi::Uuid uuid{};
    call<&EntryPoints::device_get_uuid>(*driver_, ordinal_, where, &uuid, handle_);
    return uuid_text(uuid, is_mig_instance(where) ? "MIG-" : "GPU-");
}

std::string Device::card_uuid(SourceLocation where) const {
    abi::Uuid uuid{};
    call<&EntryPoints::device_get_physical_uuid>(*driver_, ordinal_, where, &uuid, handle_);
    return uuid_text(uuid, "GPU-");
}

bool Device::is_mig_instance(SourceLocation where) const { return name(where).find(" MIG ") != std::string::npos; }

std::string Device::pci_bus_id(SourceLocation where) const {
    char text[32] = {};
    call<&EntryPoints::device_get_pci_bus_id>(*driver_, ordinal_, where, text, static_cast<int>(sizeof(text)) - 1, handle_);
    return text;
}

std::size_t Device::total_memory(SourceLocation where) const {
    std::size_t bytes = 0;
    call<&EntryPoints::device_total_memory>(*driver_, ordinal_, where, &bytes, handle_);
    return bytes;
}

int Device::attribute(abi::DeviceAttribute attribute, SourceLocation where) const {
    int value = 0;
    call<&EntryPoints::device_get_attribute>(*driver_, ordinal_, where, &value, attribute, handle_);
    return value;
}

std::optional<int> Device::try_attribute(abi::DeviceAttribute attribute, SourceLocation where) const {
    int value = 0;
    const abi::Status result = detail::invoke<&EntryPoints::device_get_attribute>(*driver_, ordinal_, where, &value, attribute, handle_);
    if (result == abi::Status::success) return value;
    if (result == abi::Status::invalid_value || result == abi::Status::not_supported) return std::nullopt;
    detail::throw_failed_call(*driver_, entry_point_info<&EntryPoints::device_get_attribute>, result, ordinal_, where);
}

Device::ComputeCapability Device::compute_capability(SourceLocation where) const {
    return {attribute(abi::DeviceAttribute::compute_capability_major, where),
            attribute(abi::DeviceAttribute::compute_capability_minor, where)};
}

int Device::multiprocessor_count(SourceLocation where) const { return attribute(abi::DeviceAttribute::multiprocessor_count, where); }

abi::ComputeMode Device::compute_mode(SourceLocation where) const {
    return static_cast<abi::ComputeMode>(attribute(abi::DeviceAttribute::compute_mode, where));
}

bool Device::supports_memory_pools(SourceLocation where) const {
    const EntryPoints& api = driver_->api();
    if (api.memory_allocate_from_pool_async == nullptr || api.memory_free_async == nullptr ||
        api.device_get_default_memory_pool == nullptr) {
        return false;
    }
    return attribute(abi::DeviceAttribute::memory_pools_supported, where) != 0;
}

bool Device::supports_multiprocessor_affinity(SourceLocation where) const {
    if (driver_->api().device_get_execution_affinity_support == nullptr) return false;
    int is_supported = 0;
    call<&EntryPoints::device_get_execution_affinity_support>(*driver_, ordinal_, where, &is_supported,
                                                              abi::ExecutionAffinityType::multiprocessor_count, handle_);
    return is_supported != 0;
}

bool Device::can_access_peer(const Device& peer, SourceLocation where) const {
    int can_access = 0;
    call<&EntryPoints::device_can_access_peer>(*driver_, ordinal_, where, &can_access, handle_, peer.handle_);
    return can_access != 0;
}

Device::PeerLink Device::peer_link(const Device& peer, SourceLocation where) const {
    const auto ask = [&](abi::PeerAttribute attribute) {
        int value = 0;
        call<&EntryPoints::device_get_peer_attribute>(*driver_, ordinal_, where, &value, attribute, handle_, peer.handle_);
        return value;
    };
    return {.can_access = ask(abi::PeerAttribute::access_supported) != 0,
            .native_atomics = ask(abi::PeerAttribute::native_atomics_supported) != 0,
            .array_access = ask(abi::PeerAttribute::array_access_supported) != 0,
            .performance_rank = ask(abi::PeerAttribute::performance_rank)};
}

std::string to_string(const Device& device) { return "device " + std::to_string(device.ordinal()); }

std::ostream& operator<<(std::ostream& out, const Device& device) { return out << to_string(device); }

int device_count(const Driver& driver, SourceLocation where) {
    try {
        driver.initialize(where);
    } catch (const Error& error) {
        if (error.code() != abi::Status::no_device) throw;
        return 0;
    }
    int count = 0;
    call<&EntryPoints::device_get_count>(driver, detail::no_ordinal, where, &count);
    require_plausible_count(driver, count, where);
    return count;
}

int device_count(SourceLocation where) { return device_count(*Driver::system(where), where); }

Device device(int ordinal, SourceLocation where) { return Device(Driver::system(where), ordinal, where); }

std::vector<Device> devices(const std::shared_ptr<const Driver>& driver, SourceLocation where) {
    std::vector<Device> all;
    const int count = device_count(*driver, where);
    for (int ordinal = 0; ordinal < count; ++ordinal) all.emplace_back(driver, ordinal, where);
    return all;
}

std::vector<Device> devices(SourceLocation where) { return devices(Driver::system(where), where); }

}  // namespace cupool
