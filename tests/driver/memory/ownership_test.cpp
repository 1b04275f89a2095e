// A buffer that goes is freed after its last use, on whatever stream that was: the simulated driver watches the order.

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Fills a buffer on three streams, a part on each, and drops it. \return what the simulated driver has to say against that
std::string report_after(bool pooled, bool tells, std::uint64_t seed) {
    Machine machine(std::vector<SimulatedDevice>(1));
    machine.simulator.set_checks(cupool_sim_check_ordering);
    if (seed != 0) machine.simulator.set_seed(seed);
    try {
        DeviceContext context = DeviceContext::for_device(machine.driver, 0);
        if (!pooled) context = context.with_memory_pool({});
        const Stream streams[] = {Stream(context.context()), Stream(context.context()), Stream(context.context())};
        {
            DeviceBuffer<int> buffer(1000, context.with_stream(streams[0]));
            for (std::size_t i = 0; i < std::size(streams); ++i) {
                fill_bytes_async(buffer.span().subspan(300 * i, 300), 1, streams[i]);
                if (i > 0 && tells) buffer.record_use(streams[i]);
            }
        }
        context.context().synchronize();
    } catch (const Error& error) {
        CHECK(error.category() == ErrorCategory::device_fault);
    }
    const std::string report = machine.simulator.device_fault_report();
    try {
        machine.simulator.reset();
    } catch (const std::logic_error&) {  // what a device that has died leaves alive is not the question here
    }
    return report;
}

}  // namespace

TEST_CASE("a buffer used on three streams and dropped is freed after the last use") {
    for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
        for (const bool pooled : {true, false}) {
            INFO((pooled ? "pooled" : "plain") << ", seed " << seed);
            CHECK(report_after(pooled, true, seed).empty());
        }
        // Without a word of the other streams nothing orders the free behind them.
        const std::string report = report_after(true, false, seed);
        CHECK_FALSE(report.empty());
        if (seed != 0) CHECK_THAT(report, contains_text("seed " + std::to_string(seed)));
    }
}
