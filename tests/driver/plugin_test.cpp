#include "child_process.hpp"
#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("a plugin that embeds cupool can be unloaded and loaded again") {
    const Finished child = run_child({"plugin", CUPOOL_TEST_PLUGIN}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK(child.output.empty());
}
