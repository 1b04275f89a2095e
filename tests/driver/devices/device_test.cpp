#include <cupool/driver/device.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a device answers for itself without a context") {
    Machine machine;
    const Device device(machine.driver, 1);
    CHECK(device.ordinal() == 1);
    CHECK(device.name() == "NVIDIA H200");
    CHECK(device.total_memory() == 150'754'820'096);
    CHECK(device.compute_capability() == Device::ComputeCapability{9, 0});
    CHECK(device.compute_capability() >= Device::ComputeCapability{7, 5});
    CHECK(device.multiprocessor_count() == 132);
    CHECK(device.attribute(abi::DeviceAttribute::warp_size) == 32);
    CHECK(device.supports_memory_pools());
    CHECK(device.uuid().size() == 40);
    CHECK(device.uuid().substr(0, 4) == "GPU-");
    CHECK(device.uuid() != Device(machine.driver, 0).uuid());
    CHECK(device.pci_bus_id().find(':') != std::string::npos);
    CHECK(to_string(device) == "device 1");
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
    const Device copy = device;
    CHECK(copy.name() == device.name());
}

TEST_CASE("a MIG instance's identifier says what it is") {
    SimulatedDevice instance;
    instance.name = "NVIDIA H200 MIG 1g.18gb";
    Machine machine(std::vector<SimulatedDevice>{instance});
    CHECK(Device(machine.driver, 0).uuid().substr(0, 4) == "MIG-");
}

TEST_CASE("peers are told of") {
    Machine machine;
    const Device first(machine.driver, 0);
    const Device second(machine.driver, 1);
    CHECK(first.can_access_peer(second));
    machine.simulator.set_peer_reachable(0, 1, false);
    CHECK_FALSE(first.can_access_peer(second));
}

TEST_CASE("an ordinal that no device has is refused, and the error says how many there are") {
    Machine machine;
    for (const int ordinal : {-1, 2, 1000}) {
        const Error error = error_of([&] { Device(machine.driver, ordinal); });
        CHECK(error.category() == ErrorCategory::invalid_device);
        CHECK(error.device() == ordinal);
        CHECK_THAT(error.what(), contains_text("2 device"));
    }
}

TEST_CASE("no device is not an invalid one") {
    Machine machine(std::vector<SimulatedDevice>{});
    CHECK(device_count(*machine.driver) == 0);
    CHECK(devices(machine.driver).empty());
    CHECK(error_of([&] { Device(machine.driver, 0); }).category() == ErrorCategory::no_device);
}
