#include <cupool/driver/probe.hpp>
#include <cupool/driver/visible_devices.hpp>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

using Ordinals = std::vector<int>;
constexpr int none = -1;

/// The ordinal of each entry, for what a driver shows.
Ordinals ordinals_of(const VisibleDevices& visible) {
    Ordinals ordinals;
    for (const VisibleEntry& entry : visible.entries) {
        CHECK(entry.why.empty() == entry.ordinal.has_value());
        ordinals.push_back(entry.ordinal.value_or(none));
    }
    return ordinals;
}

/// The same for what the simulated driver makes of the variable, on a machine of three; it is the driver that chooses.
VisibleDevices seen(const char* variable) {
    const EnvironmentVariable visible("CUDA_VISIBLE_DEVICES", variable);
    Machine machine(std::vector<SimulatedDevice>(3));
    machine.simulator.reset();
    SimulatedDevice instance;
    instance.name = "NVIDIA H200 MIG 1g.18gb";
    machine.simulator.set_devices({{}, {}, instance});
    machine.driver = Machine::open();
    const VisibleDevices mapped = visible_devices(machine.driver);
    // Each entry shows the device that has its UUID, or the number that these devices' UUIDs end with.
    for (const Device& device : devices(machine.driver)) {
        const std::string entry = mapped.entry_of(device.ordinal());
        const std::string uuid = device.uuid();
        CHECK((uuid.compare(0, entry.size(), entry) == 0 || uuid.back() == entry.back()));
    }
    CHECK_FALSE(mapped.is_outdated);
    return mapped;
}

std::string why(const VisibleDevices& visible, std::size_t index) { return visible.entries.at(index).why; }

}  // namespace

TEST_CASE("each entry of CUDA_VISIBLE_DEVICES is the device that the driver takes it for", "[visible]") {
    CHECK(ordinals_of(seen("0,1,2")) == Ordinals{0, 1, 2});
    CHECK(ordinals_of(seen("2,0")) == Ordinals{0, 1});
    CHECK(ordinals_of(seen(" 2 , GPU-c00f001d-513d-4c0d-8000-000000000001")) == Ordinals{0, 1});
    CHECK(ordinals_of(seen("MIG-c00f001d,1")) == Ordinals{0, 1});
    CHECK(ordinals_of(seen("")) == Ordinals{});
    const VisibleDevices visible = seen("2,0");
    CHECK(visible.entry_of(0) == "2");
    CHECK(visible.entry_of(1) == "0");
    CHECK(visible.entry_of(2).empty());
}

TEST_CASE("an entry that is no device says why", "[visible]") {
    const VisibleDevices missing = seen("1,7,2");
    CHECK(ordinals_of(missing) == Ordinals{0, none, none});
    CHECK_THAT(why(missing, 1), contains_text("no device of this index"));
    CHECK_THAT(why(missing, 2), contains_text("no further than \"7\""));
    CHECK_THAT(why(seen("1,-1"), 1), contains_text("negative"));
    CHECK_THAT(why(seen("1,x"), 1), contains_text("neither an index nor a UUID"));
    CHECK_THAT(why(seen("1,,2"), 1), contains_text("empty"));
    CHECK_THAT(why(seen("GPU-c00f,2"), 0), contains_text("or more than one"));
    CHECK_THAT(why(seen("GPU-dead"), 0), contains_text("no device whose UUID begins so"));
    CHECK_THAT(why(seen("1,MIG-dead"), 1), contains_text("no such instance"));
}

TEST_CASE("a list that names a device twice shows none, and a probe says why", "[visible]") {
    const EnvironmentVariable visible("CUDA_VISIBLE_DEVICES", "1,0,1");
    Machine machine(std::vector<SimulatedDevice>(2));
    machine.simulator.reset();
    machine.simulator.set_devices({{}, {}});
    LoadOptions options;
    options.library_path = CUPOOL_SIMULATOR_LIBRARY;
    const ProbeReport report = probe(options);
    CHECK(report.reason == Reason::no_visible_device);
    CHECK_THAT(report.explanation, contains_text("may name a device twice"));
    REQUIRE(ordinals_of(report.visible_devices) == Ordinals{none, none, none});
    for (const VisibleEntry& entry : report.visible_devices.entries) CHECK_THAT(entry.why, contains_text("twice, as this does with \"1\""));
}

TEST_CASE("a variable that the driver cannot have read shows nothing", "[visible]") {
    const std::vector<std::string> uuids{"GPU-aa", "GPU-bb"};
    for (const char* const variable : {"0", "", "GPU-bb,GPU-aa"}) {
        const VisibleDevices visible = map_visible_devices(variable, uuids);
        CHECK(visible.is_outdated);
        CHECK(visible.entry_of(0).empty());
    }
    CHECK_FALSE(map_visible_devices("GPU-a,GPU-bb", uuids).is_outdated);
    CHECK_FALSE(map_visible_devices("MIG-GPU-cc/1/0,1", uuids).is_outdated);  // the old form has no UUID of the instance's own
    const std::vector<std::string> unknown(2);                                // by a driver before CUDA 11.4
    CHECK(ordinals_of(map_visible_devices("GPU-bb,GPU-aa", unknown)) == Ordinals{0, 1});
    CHECK(map_visible_devices(std::nullopt, uuids).entries.empty());
}

TEST_CASE("the mapping as text", "[visible]") {
    const std::vector<std::string> uuids{"GPU-aa"};
    CHECK(to_string(map_visible_devices("3,9", uuids)) ==
          "CUDA_VISIBLE_DEVICES=3,9\n  \"3\" is device 0\n  \"9\" is no device: there is no device of this index\n");
    CHECK(to_string(map_visible_devices(std::nullopt, uuids)) == "CUDA_VISIBLE_DEVICES is not set\n");
}

TEST_CASE("a probe has the mapping", "[visible]") {
    for (const char* const variable : {"1,5", "5"}) {
        const EnvironmentVariable visible("CUDA_VISIBLE_DEVICES", variable);
        const Machine machine;
        LoadOptions options;
        options.library_path = CUPOOL_SIMULATOR_LIBRARY;
        const ProbeReport report = probe(options);
        CHECK(report.visible_devices.variable == variable);
        CHECK(report.visible_devices.entries.size() == std::string(variable).size() / 2 + 1);
        CHECK(report.visible_devices.entries.back().why == "there is no device of this index");
    }
}
