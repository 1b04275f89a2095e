#include "child_process.hpp"
#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("objects that outlive the start of exit are leaked without a call of the driver") {
    const Finished child = run_child({"statics"}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK(child.output.empty());
}
