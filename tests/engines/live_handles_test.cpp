// Linked last, so that it runs after every other case of this executable.
#include <dlfcn.h>
#include <cupool/simulator/simulator.hpp>

#include "catch.hpp"
#include "engines.hpp"

#include <cupool/driver/driver.hpp>

using namespace cupool;
using namespace cupool::test;

TEST_CASE("no case before this one has left anything alive in the simulated driver") {
    if (!is_simulated()) CUPOOL_SKIP("skipped: counts handles of the simulated driver");
    void* const library = dlopen(Driver::system()->report().library_path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library != nullptr);
    const auto live_count = reinterpret_cast<decltype(cupoolSimLiveCount)*>(dlsym(library, "cupoolSimLiveCount"));
    REQUIRE(live_count != nullptr);
    CupoolSimLiveCounts counts{};
    live_count(&counts);
    // The pool's contexts, and the modules and the streams for copies kept with each, from the host and to other devices, are the process's
    // for good.
    CHECK(counts.streams <= 2 * engine_pool().device_count());
    counts.streams = 0;
    counts.primary_context_retains = 0;
    counts.modules = 0;
    CHECK(Simulator::to_string(counts) == "nothing");
    dlclose(library);
}
