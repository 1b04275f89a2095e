#include <cupool/driver/device_identity.hpp>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a device's identity is what it is called everywhere", "[identity]") {
    const EnvironmentVariable visible("CUDA_VISIBLE_DEVICES", "1,0");
    SimulatedDevice instance;
    instance.name = "NVIDIA H200 MIG 1g.18gb";
    const Machine machine(std::vector<SimulatedDevice>{instance, {}});
    const Device whole(machine.driver, 0);
    const DeviceIdentity identity = identity_of(whole);
    CHECK(identity.ordinal == 0);
    CHECK(identity.name == "NVIDIA H200");
    CHECK(identity.uuid == whole.uuid());
    CHECK(identity.card_uuid == identity.uuid);
    CHECK(identity.pci_bus_id == whole.pci_bus_id());
    CHECK_FALSE(identity.is_mig_instance);
    CHECK(identity.visible_as == "1");
    CHECK(to_string(identity) ==
          "device 0: NVIDIA H200, " + whole.uuid() + ", at " + whole.pci_bus_id() + ", \"1\" in CUDA_VISIBLE_DEVICES");

    const DeviceIdentity part = identity_of(Device(machine.driver, 1));
    CHECK(part.is_mig_instance);
    CHECK(part.uuid.substr(0, 4) == "MIG-");
    CHECK(part.card_uuid.substr(0, 4) == "GPU-");
    CHECK_THAT(to_string(part), contains_text("an instance of GPU-"));
}

TEST_CASE("a driver that cannot tell UUIDs leaves them out", "[identity]") {
    const Machine machine(std::vector<SimulatedDevice>(1), 11030);
    CHECK(identity_of(Device(machine.driver, 0)).uuid.empty());
}
