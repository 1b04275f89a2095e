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
    // devices, page-locked memory for the results of as many MSMs and reductions as ran at once, and
    // the workspace of a reduction.
    constexpr std::size_t max_msms_at_once = 4;  // "MSMs from several threads at once"
    constexpr std::size_t max_reductions_at_once = 1;
    const std::size_t devices = engine_pool().device_count();
    CHECK(counts.streams <= 2 * devices);
    CHECK(counts.host_allocations <= (max_msms_at_once + max_reductions_at_once) * devices);
    CHECK(counts.device_allocations <= max_reductions_at_once * devices);
    counts.streams = 0;
    counts.host_allocations = 0;
    counts.device_allocations = 0;
    counts.primary_context_retains = 0;
    counts.modules = 0;
    CHECK(Simulator::to_string(counts) == "nothing");
    dlclose(library);
}
