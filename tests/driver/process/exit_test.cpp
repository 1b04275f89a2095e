#include <algorithm>

#include "child_process.hpp"
#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("objects that outlive the start of exit are leaked without a call of the driver") {
    const Finished child = run_child({"statics"}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK(child.output.empty());
}

TEST_CASE("static, thread_local and atexit objects may go in any order, around the driver's end") {
    std::string order = "aist";
    REQUIRE(std::is_sorted(order.begin(), order.end()));
    do {
        const Finished child = run_child({"tear-down", order}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
        INFO(order << ": " << child.output);
        CHECK(child.exit_code == 0);
        // Those set up before the driver was initialised outlive it; a thread's own do not.
        const auto outlives = [&](char what) { return order.find(what) < order.find('i') ? 1 : 0; };
        CHECK(child.output == std::to_string(outlives('s') + outlives('a')) + " left\n");
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a process may exit while its kernels run") {
    const Finished child = run_child({"exit-during-kernel"}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK(child.output == "1 left\n");
}
