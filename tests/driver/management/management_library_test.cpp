// The binding of NVML, beside a library that looks like it.
#include <cstdlib>
#include <cupool/driver/management_library.hpp>

#include "catch.hpp"

using cupool::ManagementLibrary;
using cupool::XidEvents;
using namespace std::chrono_literals;

namespace {

const std::string fake = CUPOOL_FAKE_NVML;

/// Sets a variable as long as it lives.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

}  // namespace

TEST_CASE("the management library reads the sensors of a device") {
    const ManagementLibrary library(fake);
    CHECK(library.finding().empty());
    REQUIRE(library.works());
    const auto device = library.device_at("0000:11:00.0");
    REQUIRE(device);
    const auto readings = library.readings(*device);
    CHECK(readings.total_memory == 1000);
    CHECK(readings.used_memory == 101);
    CHECK(readings.utilisation == 51);
    CHECK(readings.memory_utilisation == 20);
    CHECK(readings.power == 300.5);
    CHECK(readings.temperature == 40);
    CHECK(readings.corrected_errors == 7);
    CHECK(readings.uncorrected_errors == 2);
    CHECK(library.persistence(*device) == true);
    CHECK(library.mig_cards() == 1);
    CHECK(library.memory_of_processes(*device) == std::map<std::uint64_t, std::uint64_t>{{4711, 64}});
    CHECK_FALSE(library.device_at("0000:77:00.0"));
}

TEST_CASE("readings that a device does not give are unknown") {
    const Variable silent("CUPOOL_FAKE_NVML_SILENT", "1");
    const ManagementLibrary library(fake);
    const auto device = library.device_at("0000:10:00.0");
    REQUIRE(device);
    const auto readings = library.readings(*device);
    CHECK_FALSE(readings.total_memory);
    CHECK_FALSE(readings.utilisation);
    CHECK_FALSE(readings.power);
    CHECK_FALSE(readings.temperature);
    CHECK_FALSE(readings.uncorrected_errors);
    CHECK_FALSE(library.persistence(*device));
    CHECK(library.memory_of_processes(*device).empty());
    XidEvents events(library, {*device});
    CHECK_FALSE(events.works());
    CHECK_FALSE(events.wait(1ms));
}

TEST_CASE("a management library that is absent, none or refuses says why and answers nothing") {
    const Variable init("CUPOOL_FAKE_NVML_INIT", "18");
    for (const auto& [path, words] : {std::pair<std::string, std::string>{"/absent/libnvidia-ml.so.1", "/absent/libnvidia-ml.so.1"},
                                      {CUPOOL_UNRELATED_LIBRARY, "nvmlInit_v2"},
                                      {"relative.so", "absolute path"},
                                      {fake, "answered 18"}}) {
        const ManagementLibrary library(path);
        INFO(path << ": " << library.finding());
        CHECK_FALSE(library.works());
        CHECK(library.finding().find(words) != std::string::npos);
        CHECK_FALSE(library.device_at("0000:10:00.0"));
        CHECK_FALSE(library.mig_cards());
    }
}

TEST_CASE("CUPOOL_NVML names the management library") {
    const Variable chosen("CUPOOL_NVML", CUPOOL_FAKE_NVML);
    CHECK(ManagementLibrary().works());
    const Variable relative("CUPOOL_NVML", "relative.so");
    CHECK_FALSE(ManagementLibrary().works());
}

TEST_CASE("Xid errors come as events of the device that they name") {
    const Variable xid("CUPOOL_FAKE_NVML_XID", "79");
    const ManagementLibrary library(fake);
    XidEvents events(library, {*library.device_at("0000:10:00.0"), *library.device_at("0000:11:00.0")});
    REQUIRE(events.works());
    const auto event = events.wait(10s);
    REQUIRE(event);
    CHECK(event->device == 1);
    CHECK(event->number == 79);
    CHECK_FALSE(events.wait(1ms));
    CHECK(events.works());
}
