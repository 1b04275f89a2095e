#include <cupool/driver/probe.hpp>
#include <sstream>
#include <stdexcept>

#include "child_process.hpp"
#include "environment_variable.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

ProbeReport probe_simulator() {
    LoadOptions options;
    options.library_path = CUPOOL_SIMULATOR_LIBRARY;
    return probe(options);
}

}  // namespace

TEST_CASE("a probe lists the devices and makes nothing") {
    SimulatedDevice small;
    small.name = "NVIDIA T4";
    small.compute_capability_major = 7;
    small.compute_capability_minor = 5;
    small.memory_bytes = std::uint64_t{16} << 30;
    Machine machine(std::vector<SimulatedDevice>{{}, small});
    const ProbeReport report = probe_simulator();
    CHECK(report.reason == Reason::none);
    CHECK(report.explanation.empty());
    CHECK(report.library.simulated);
    CHECK(report.library.version == 13000);
    REQUIRE(report.devices.size() == 2);
    CHECK(report.usable_device_count() == 2);
    CHECK(report.devices[0].name == "NVIDIA H200");
    CHECK(report.devices[0].multiprocessor_count == 132);
    CHECK(report.devices[0].uuid.rfind("GPU-", 0) == 0);
    CHECK_FALSE(report.devices[0].pci_bus_id.empty());
    CHECK(report.devices[0].uuid != report.devices[1].uuid);
    CHECK(report.devices[1].ordinal == 1);
    CHECK(report.devices[1].name == "NVIDIA T4");
    CHECK(report.devices[1].compute_capability_major == 7);
    CHECK(report.devices[1].compute_capability_minor == 5);
    CHECK(report.devices[1].total_memory == std::size_t{16} << 30);
    CHECK(machine.simulator.call_count("cuDevicePrimaryCtxRetain") == 0);
    CHECK(machine.simulator.call_count("cuCtxCreate") == 0);
    std::ostringstream out;
    out << report;
    CHECK_THAT(out.str(), contains_text("NVIDIA T4"));
}

TEST_CASE("a probe says why there is no device") {
    SECTION("none") {
        Machine machine(std::vector<SimulatedDevice>{});
        const ProbeReport report = probe_simulator();
        CHECK(report.reason == Reason::no_visible_device);
        CHECK(report.error().category() == ErrorCategory::no_device);
        CHECK_FALSE(report.explanation.empty());
    }
    struct Case {
        int answer;
        Reason reason;
        ErrorCategory category;
    };
    for (const Case& expected :
         {Case{100, Reason::no_visible_device, ErrorCategory::no_device}, Case{101, Reason::no_visible_device, ErrorCategory::no_device},
          Case{2, Reason::kernel_driver, ErrorCategory::driver_unavailable}, Case{600, Reason::not_ready, ErrorCategory::not_ready},
          Case{802, Reason::not_ready, ErrorCategory::not_ready}, Case{803, Reason::kernel_driver, ErrorCategory::driver_unavailable},
          Case{804, Reason::kernel_driver, ErrorCategory::driver_unavailable},
          Case{999, Reason::kernel_driver, ErrorCategory::driver_unavailable},
          Case{46, Reason::device_unhealthy, ErrorCategory::driver_unavailable}}) {
        Machine machine;
        machine.simulator.plan_fault("cuInit", 1, expected.answer, cupool_sim_always);
        const ProbeReport report = probe_simulator();
        INFO("cuInit answers " << expected.answer);
        CHECK(report.reason == expected.reason);
        CHECK(report.devices.empty());
        CHECK(report.error().category() == expected.category);
        CHECK(report.error().reason() == expected.reason);
        bool has_evidence = false;
        for (const Evidence& evidence : report.evidence) {
            has_evidence = has_evidence ||
                           (evidence.subject == "cuInit" && evidence.finding.find(std::to_string(expected.answer)) != std::string::npos);
        }
        CHECK(has_evidence);

        // The driver itself says the same when it is used.
        const Error error = error_of([&] { Device(machine.driver, 0); });
        CHECK(error.category() == expected.category);
        CHECK(error.reason() == expected.reason);
        CHECK(error.code() == static_cast<abi::Status>(expected.answer));
        CHECK_THAT(error.what(), contains_text(report.explanation));
    }
}

TEST_CASE("a probe says that an empty CUDA_VISIBLE_DEVICES hides every device") {
    const EnvironmentVariable hidden("CUDA_VISIBLE_DEVICES", "");
    Machine machine;
    machine.simulator.reset();  // reads the environment
    const ProbeReport report = probe_simulator();
    CHECK(report.reason == Reason::no_visible_device);
    CHECK(report.devices.empty());
    CHECK_THAT(report.explanation, contains_text("CUDA_VISIBLE_DEVICES"));
}

TEST_CASE("one bad device does not hide the others") {
    SimulatedDevice prohibited;
    prohibited.compute_mode = static_cast<int>(abi::ComputeMode::prohibited);
    SECTION("some") {
        Machine machine(std::vector<SimulatedDevice>{{}, prohibited, {}});
        const ProbeReport report = probe_simulator();
        CHECK(report.reason == Reason::partial);
        CHECK(report.usable_device_count() == 2);
        CHECK(report.devices[1].reason == Reason::device_unhealthy);
        CHECK_THAT(report.explanation, contains_text("device 1"));
        CHECK_THAT(report.explanation, contains_text("prohibited"));
    }
    SECTION("all") {
        Machine machine(std::vector<SimulatedDevice>{prohibited});
        const ProbeReport report = probe_simulator();
        CHECK(report.reason == Reason::device_unhealthy);
        CHECK(report.usable_device_count() == 0);
        CHECK(report.error().category() == ErrorCategory::driver_unavailable);
    }
    SECTION("one that does not answer") {
        Machine machine;
        machine.simulator.plan_fault("cuDeviceTotalMem", 2, 999);
        const ProbeReport report = probe_simulator();
        CHECK(report.reason == Reason::partial);
        CHECK(report.devices[0].usable());
        CHECK_FALSE(report.devices[1].usable());
        CHECK_THAT(report.devices[1].explanation, contains_text("cuDeviceTotalMem"));
    }
}

TEST_CASE("what no driver would answer is a finding about the library") {
    const Machine machine;
    LoadOptions options;
    options.library_path = CUPOOL_MISBEHAVING_DRIVER;
    struct Case {
        const char* variable;
        const char* answer;
    };
    for (const Case& wrong :
         {Case{"CUPOOL_TEST_COUNT", "-5"}, Case{"CUPOOL_TEST_COUNT", "1000000000"}, Case{"CUPOOL_TEST_VERSION", "-1"}}) {
        const EnvironmentVariable answer(wrong.variable, wrong.answer);
        INFO(wrong.variable << " is " << wrong.answer);
        const ProbeReport report = probe(options);
        CHECK(report.reason == Reason::library_unusable);
        CHECK_FALSE(report.failed);
        CHECK(report.devices.empty());
        CHECK_THAT(report.explanation, contains_text(wrong.answer));
    }
    const EnvironmentVariable answer("CUPOOL_TEST_COUNT", "-5");
    const Error error = error_of([&] { device_count(*Driver::open(options)); });
    CHECK(error.category() == ErrorCategory::driver_unavailable);
    CHECK(error.reason() == Reason::library_unusable);
}

TEST_CASE("a probe's text has no control characters") {
    const Machine machine;
    const EnvironmentVariable name("CUPOOL_TEST_NAME", "red \x1b[31m");
    LoadOptions options;
    options.library_path = CUPOOL_MISBEHAVING_DRIVER;
    const ProbeReport report = probe(options);
    REQUIRE_FALSE(report.devices.empty());
    CHECK(report.devices[0].name == "red \x1b[31m");
    std::ostringstream out;
    out << report;
    CHECK_THAT(out.str(), contains_text("red \\x1b[31m"));
    CHECK(out.str().find('\x1b') == std::string::npos);
}

TEST_CASE("a probe survives whatever a resolver throws") {
    LoadOptions options;
    options.resolver = [](const char*) -> void* { throw 1; };
    const ProbeReport report = probe(options);
    CHECK(report.failed);
    CHECK(report.reason == Reason::device_unhealthy);
    CHECK_THAT(report.explanation, contains_text("no std::exception"));
    options.resolver = [](const char*) -> void* { throw std::runtime_error("the resolver's own words"); };
    CHECK(probe(options).explanation == "the resolver's own words");
}

TEST_CASE("a probe survives every allocation that fails") {
    const Finished child = run_child({"probe-out-of-memory"});
    INFO(child.output);
    CHECK(child.exit_code == 0);
}

TEST_CASE("a probe of nothing says so and does not throw") {
    LoadOptions options;
    options.library_path = "/none/libcuda.so.1";
    const ProbeReport report = probe(options);
    CHECK(report.reason == Reason::no_library);
    CHECK(report.error().category() == ErrorCategory::driver_unavailable);
    CHECK_FALSE(report.evidence.empty());
    REQUIRE(report.library.attempts.size() == 1);
    CHECK(report.library.attempts[0].path == "/none/libcuda.so.1");
}
