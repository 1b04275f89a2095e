#include <cupool/pool/device_pool.hpp>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr int busy = 46;
constexpr int ecc_error = 214;

std::vector<int> excluded_of(const DevicePool& pool) {
    std::vector<int> devices;
    for (const ExcludedDevice& device : pool.excluded_devices()) devices.push_back(device.device);
    return devices;
}

}  // namespace

TEST_CASE("devices that cannot be opened are left out with their reason", "[unusable]") {
    SimulatedDevice prohibited;
    prohibited.compute_mode = static_cast<int>(abi::ComputeMode::prohibited);
    Machine machine(std::vector<SimulatedDevice>{{}, {}, prohibited, {}});
    machine.simulator.set_device_health(0, busy);
    machine.simulator.set_device_health(3, ecc_error);
    const DevicePool pool = DevicePool::all(machine.driver, UnusableDevices::exclude);
    CHECK(pool.devices() == std::vector<int>{1});
    REQUIRE(excluded_of(pool) == std::vector<int>{0, 2, 3});
    for (const ExcludedDevice& device : pool.excluded_devices()) CHECK(device.reason == Reason::device_unhealthy);
    CHECK_THAT(pool.excluded_devices()[0].why, contains_text("46"));
    CHECK_THAT(pool.excluded_devices()[2].why, contains_text("214"));
    for (int i = 0; i < 4; ++i) CHECK(pool.submit([](const DeviceContext& context) { return context.device(); }).get() == 1);
    CHECK(machine.simulator.live_counts().primary_context_retains == 1);
}

TEST_CASE("devices are left out of a chosen list, whose order stays", "[unusable]") {
    Machine machine(std::vector<SimulatedDevice>(4));
    machine.simulator.set_device_health(0, busy);
    const std::vector<int> wanted{3, 0, 1};
    const DevicePool pool = DevicePool::with_devices(machine.driver, wanted, UnusableDevices::exclude);
    CHECK(pool.devices() == std::vector<int>{3, 1});
    CHECK(excluded_of(pool) == std::vector<int>{0});
    CHECK(machine.simulator.live_counts().primary_context_retains == 2);
}

TEST_CASE("a pool whose devices are all left out is none, and names all reasons", "[unusable]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    machine.simulator.set_device_health(0, busy);
    machine.simulator.set_device_health(1, ecc_error);
    const Error error = error_of([&] { (void)DevicePool::all(machine.driver, UnusableDevices::exclude); });
    CHECK(error.category() == ErrorCategory::no_device);
    CHECK(error.reason() == Reason::device_unhealthy);
    CHECK(error.code() == abi::Status::device_unavailable);
    for (const char* const text : {"device 0: ", "46", "device 1: ", "214"}) CHECK_THAT(error.what(), contains_text(text));
}

TEST_CASE("a device that cannot be opened makes the construction fail where that is asked for", "[unusable]") {
    Machine machine(std::vector<SimulatedDevice>(3));
    machine.simulator.set_device_health(1, busy);
    const Error error = error_of([&] { (void)DevicePool::all(machine.driver, UnusableDevices::fail); });
    CHECK(error.code() == abi::Status::device_unavailable);
    CHECK(error.device() == 1);
    CHECK(machine.simulator.live_counts().primary_context_retains == 0);
    machine.simulator.set_device_health(1, 0);
    const DevicePool pool = DevicePool::all(machine.driver, UnusableDevices::fail);
    CHECK(pool.device_count() == 3);
    CHECK(pool.excluded_devices().empty());
    CHECK(machine.simulator.live_counts().primary_context_retains == 3);
}

TEST_CASE("nobody is asked unless the program wants it", "[unusable]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    machine.simulator.set_device_health(1, busy);
    const DevicePool pool = DevicePool::all(machine.driver);
    CHECK(pool.device_count() == 2);
    CHECK(pool.excluded_devices().empty());
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
}

TEST_CASE("a pool of all or of the host has the devices that a probe finds usable", "[unusable]") {
    // The host's own driver, in this process: no other case asks for that, and none of its devices is used here.
    const EnvironmentVariable own_driver("CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY);
    SimulatedDevice prohibited;
    prohibited.compute_mode = static_cast<int>(abi::ComputeMode::prohibited);
    const Machine machine(std::vector<SimulatedDevice>{prohibited, {}, {}});
    const DevicePool pool = DevicePool::all_or_host();
    CHECK_FALSE(pool.is_host());
    CHECK(pool.devices() == std::vector<int>{1, 2});
    REQUIRE(excluded_of(pool) == std::vector<int>{0});
    CHECK(pool.excluded_devices()[0].reason == Reason::device_unhealthy);
    CHECK_THAT(pool.excluded_devices()[0].why, contains_text("prohibited"));
    CHECK_THAT(error_of([] { (void)DevicePool::all_or_host(UnusableDevices::fail); }).what(), contains_text("prohibited"));
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
}

TEST_CASE("a device fault is no reason to leave a device out", "[unusable]") {
    Machine machine(std::vector<SimulatedDevice>(2));
    machine.simulator.plan_fault({.call = "cuDevicePrimaryCtxRetain", .nth = 2, .result = 700, .duration = cupool_sim_sticky});
    CHECK(error_of([&] { (void)DevicePool::all(machine.driver, UnusableDevices::exclude); }).category() == ErrorCategory::device_fault);
}

TEST_CASE("a pool's members say which devices they are", "[identity]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const std::vector<int> wanted{2, 0};
    const DevicePool pool = DevicePool::with_devices(machine.driver, wanted);
    const std::vector<DeviceIdentity> identities = pool.identities();
    REQUIRE(identities.size() == 2);
    CHECK(identities[0].ordinal == 2);
    CHECK(identities[0].uuid == Device(machine.driver, 2).uuid());
    CHECK(identities[1] == pool.identity_at(1));
    CHECK(identities[0].pci_bus_id != identities[1].pci_bus_id);
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
    CHECK(error_of([&] { (void)pool.identity_at(2); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)DevicePool::host().identity_at(0); }).category() == ErrorCategory::unsupported);
    CHECK(DevicePool::host().identities().empty());
}
