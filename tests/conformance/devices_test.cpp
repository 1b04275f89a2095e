#include <cupool/driver/device_attribute.hpp>
#include <limits>
#include <string>

#include "gpus.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a device tells who it is", "[devices]") {
    CUPOOL_NEEDS_GPUS(1);
    const Device& device = gpus()[0].device();
    CHECK(device.ordinal() == 0);
    CHECK_FALSE(device.name().empty());
    CHECK(device.uuid().size() == std::string("GPU-").size() + 36);
    CHECK(device.total_memory() > std::size_t{1} << 30);
    CHECK(device.multiprocessor_count() > 0);
}

TEST_CASE("an ordinal that no device has is refused", "[devices]") {
    CUPOOL_NEEDS_GPUS(1);
    for (const int ordinal : {-1, static_cast<int>(gpus().size()), std::numeric_limits<int>::max()}) {
        CHECK(error_of([&] { Device(Driver::system(), ordinal); }).category() == ErrorCategory::invalid_device);
    }
}

TEST_CASE("every attribute is asked by its name", "[devices]") {
    CUPOOL_NEEDS_GPUS(1);
    const Device& device = gpus()[0].device();
    CHECK(device_attributes().size() > 140);
    for (const auto& [attribute, name] : device_attributes()) {
        INFO(name);
        const auto value = device.try_attribute(attribute);
        CHECK((value.has_value() || gpus()[0].driver().version() < 13000));
        CHECK(attribute_name(attribute) == name);
    }
    CHECK(attribute_name(abi::DeviceAttribute::warp_size) == "warp_size");
    CHECK(device.try_attribute(abi::DeviceAttribute::warp_size) == 32);
    CHECK(attribute_name(abi::DeviceAttribute{9999}).empty());
    CHECK_FALSE(device.try_attribute(abi::DeviceAttribute{9999}).has_value());
}

TEST_CASE("a device is found by its PCI slot", "[devices]") {
    CUPOOL_NEEDS_GPUS(1);
    for (const ContextView gpu : gpus()) {
        const Device found = Device::with_pci_bus_id(Driver::system(), gpu.device().pci_bus_id());
        CHECK(found.ordinal() == gpu.ordinal());
        CHECK(found.uuid() == gpu.device().uuid());
    }
    CHECK(error_of([] { Device::with_pci_bus_id(Driver::system(), "no slot"); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([] { Device::with_pci_bus_id(Driver::system(), "0000:ee:1f.0"); }).category() == ErrorCategory::invalid_device);
}

TEST_CASE("a device that is no MIG instance is its own card", "[devices]") {
    CUPOOL_NEEDS_GPUS(1);
    const Device& device = gpus()[0].device();
    if (device.is_mig_instance()) {
        CHECK(device.card_uuid() != device.uuid());
    } else {
        CHECK(device.card_uuid() == device.uuid());
    }
    CHECK(device.card_uuid().rfind("GPU-", 0) == 0);
}
