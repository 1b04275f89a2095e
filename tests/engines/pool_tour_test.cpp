#include "pool_tour.hpp"

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("all that a pool does, with one, two, four ... of the engine's devices", "[tour]") {
    if (engine_pool().is_host()) CUPOOL_SKIP("skipped: the engine is the host, which has no devices");
    for (std::size_t devices = 1; devices <= engine_pool().device_count(); devices *= 2) {
        CAPTURE(devices);
        CHECK_NOTHROW(tour(DevicePool::with_devices(std::span(engine_pool().devices()).first(devices))));
    }
}
