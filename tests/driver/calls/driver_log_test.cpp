#include <algorithm>
#include <cupool/driver/driver_log.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

void fail_a_call(const Machine& machine) {
    machine.driver->initialize();
    CHECK(machine.driver->api().device_get(nullptr, 0) == abi::Status::invalid_value);
}

std::size_t count_of_lines(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

TEST_CASE("the driver's log tells of the calls that failed since it was read") {
    const Machine machine;
    fail_a_call(machine);
    DriverLog log(machine.driver);
    CHECK(log.new_lines().empty());
    fail_a_call(machine);
    fail_a_call(machine);
    const std::string lines = log.new_lines();
    CHECK(count_of_lines(lines) == 2);
    CHECK_THAT(lines, contains_text("Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuDeviceGet\n"));
    CHECK(log.new_lines().empty());
    fail_a_call(machine);
    log.skip();
    CHECK(log.new_lines().empty());
}

TEST_CASE("where lines of the driver's log are lost, the first line says so") {
    const Machine machine;
    machine.driver->initialize();
    DriverLog log(machine.driver);
    for (int i = 0; i < 1000; ++i) fail_a_call(machine);
    const std::string lines = log.new_lines();
    CHECK(lines.size() <= 25'600);
    CHECK(lines.substr(0, lines.find('\n')).ends_with("older lines of the log are lost"));
    CHECK(lines.ends_with("Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuDeviceGet\n"));
}

TEST_CASE("the log of a driver that keeps none is empty") {
    const Machine machine(std::vector<SimulatedDevice>(1), 12080);
    machine.driver->initialize();
    DriverLog log(machine.driver);
    fail_a_call(machine);
    log.skip();
    CHECK(log.new_lines().empty());
}

TEST_CASE("the driver's log that cannot be read is empty") {
    Machine machine;
    machine.driver->initialize();
    DriverLog log(machine.driver);
    fail_a_call(machine);
    machine.simulator.plan_fault("cuLogsDumpToMemory", 1, static_cast<int>(abi::Status::invalid_value));
    CHECK(log.new_lines().empty());
    machine.simulator.plan_fault("cuLogsCurrent", 1, static_cast<int>(abi::Status::invalid_value));
    CHECK(error_of([&] { log.skip(); }).call() == "cuLogsCurrent");
}
