#include "child_process.hpp"
#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("a plugin that embeds cupool can be unloaded and loaded again") {
#if defined(__SANITIZE_THREAD__)
    CUPOOL_SKIP("skipped: the thread sanitizer forgets which library an exit handler is of, and runs it when that is gone");
#endif
    // What cupool keeps until the process ends is lost with a plugin, a little each time: not what the leak sanitizer is to tell.
    const Finished child =
        run_child({"plugin", CUPOOL_TEST_PLUGIN}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}, {"ASAN_OPTIONS", "detect_leaks=0"}});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK(child.output.empty());
}
