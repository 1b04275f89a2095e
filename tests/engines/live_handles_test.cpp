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
    // The pool's contexts, and what is kept with each are the process's for good: modules, streams for copies from the host and to other
    // devices, and page-locked memory for the results of as many MSMs as ran at once.
    constexpr std::size_t most_msms_at_once = 4;  // "MSMs from several threads at once"
    CHECK(counts.streams <= 2 * engine_pool().device_count());
    CHECK(counts.host_allocations <= most_msms_at_once * engine_pool().device_count());
    counts.streams = 0;
    counts.host_allocations = 0;
    counts.primary_context_retains = 0;
    counts.modules = 0;
    CHECK(Simulator::to_string(counts) == "nothing");
    dlclose(library);
}
