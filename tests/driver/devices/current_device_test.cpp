#include <cupool/driver/current_device.hpp>
#include <memory>
#include <thread>

#include "child_process.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a thread that has chosen no device says so") {
    std::thread([] {
        CHECK_FALSE(try_get_device());
        CHECK(error_of([] { (void)get_device(); }).category() == ErrorCategory::invalid_device);
        CHECK(error_of([] { check_device(0); }).category() == ErrorCategory::invalid_device);
        CHECK(error_of([] { (void)current_device_context(); }).category() == ErrorCategory::invalid_device);
    }).join();
}

TEST_CASE("threads, guards and coroutines choose devices") {
    // In a process of its own, whose driver is the simulated one.
    const Finished child = run_child({"choose-devices"}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}, {"CUPOOL_SIM_DEVICES", "3"}});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK(child.output.empty());
}
