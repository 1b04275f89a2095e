#include <cupool/driver/copy.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <locale>
#include <sstream>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("metrics count what a pool did", "[metrics]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto points = generator_multiples<Curve::bn254>(1, 8);
    const std::vector<Scalar> scalars(8, Scalar{{3}});
    JacobianPoint<Curve::bn254> sum;
    const RunReport report = pool.msm<Curve::bn254>(scalars, points, MsmConfig{}, sum, MsmSpread::all_devices);
    const PoolMetrics metrics = pool.metrics();
    REQUIRE(metrics.devices.size() == 2);
    for (const DeviceMetrics& device : metrics.devices) {
        CHECK(device.launches == 1);
        CHECK(device.errors == 0);
        CHECK(device.in_flight == 0);
        CHECK(device.busy_microseconds > 0);
    }
    CHECK(metrics.devices[0].bytes + metrics.devices[1].bytes == report.bytes);
}

TEST_CASE("metrics count the bytes of bases, of work by data, and between devices", "[metrics]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto bytes = [&](std::size_t index) { return pool.metrics().devices[index].bytes; };
    const auto points = generator_multiples<Curve::bn254>(1, 7);
    (void)pool.prepare<Curve::bn254>(points, PrepareConfig{}, MsmSpread::all_devices);
    CHECK(bytes(0) == 4 * sizeof points[0]);
    CHECK(bytes(1) == 3 * sizeof points[0]);

    pool.quarantine(1, "the other one is to do it");
    const KernelWork nothing{
        ".version 6.3\n.target sm_75\n.address_size 64\n"
        ".visible .entry nothing(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 d) { ret; }\n",
        "nothing",
        {1, 1},
        {KernelOperand::input(std::vector<char>(100)), KernelOperand::inout(std::vector<char>(10)), KernelOperand::output<char>(1),
         KernelOperand::value(7)}};
    std::uint64_t before = bytes(0);
    CHECK(pool.submit_kernel(nothing).get().bytes_moved == 100 + 20 + 2);
    CHECK(bytes(0) - before == 122);

    DeviceBuffer<int> here(25, pool.context(0));
    DeviceBuffer<int> there(25, pool.context(1));
    const PeerManager peers(pool);
    before = bytes(0) + bytes(1);
    peers.copy<int>(there.span(), here.span());
    CHECK(bytes(0) + bytes(1) - before == 100 + 100);
    const DeviceSpan<const int> buffers[] = {here.span(), there.span()};
    (void)pool.reduce_results<int>(buffers, ReduceOperation::sum);
    CHECK(bytes(0) + bytes(1) - before == 200 + 200);
}

TEST_CASE("metrics as text", "[metrics]") {
    const PoolMetrics metrics{{{.device = 2,
                                .launches = 5,
                                .errors = 1,
                                .bytes = 4096,
                                .in_flight = 3,
                                .busy_microseconds = 1500000,
                                .taken_over = 2,
                                .quarantined = true}}};
    CHECK(to_string(metrics) ==
          "device 2: 5 launches, 1 failed, 3 in flight, 4096 bytes moved, busy for 1500000 us, 2 taken over, quarantined\n");
    std::istringstream lines(to_prometheus(metrics));
    std::vector<std::string> samples;
    std::string line;
    std::string previous;
    while (std::getline(lines, line)) {
        if (line.rfind('#', 0) != 0) samples.push_back(line);
        if (line.rfind("# TYPE ", 0) == 0) CHECK(previous.rfind("# HELP ", 0) == 0);
        previous = line;
    }
    CHECK(samples == std::vector<std::string>{"cupool_launches_total{device=\"2\"} 5", "cupool_errors_total{device=\"2\"} 1",
                                              "cupool_bytes_total{device=\"2\"} 4096", "cupool_in_flight{device=\"2\"} 3",
                                              "cupool_busy_seconds_total{device=\"2\"} 1.5", "cupool_taken_over_total{device=\"2\"} 2",
                                              "cupool_quarantined{device=\"2\"} 1"});
    struct Grouped final : std::numpunct<char> {
        char do_thousands_sep() const override { return '.'; }
        char do_decimal_point() const override { return ','; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Grouped));
    const std::string long_lived = to_prometheus({{{.device = 1, .launches = 1000000, .busy_microseconds = 86400000001}}});
    std::locale::global(before);
    CHECK_THAT(long_lived, contains_text("cupool_launches_total{device=\"1\"} 1000000\n"));
    CHECK_THAT(long_lived, contains_text("cupool_busy_seconds_total{device=\"1\"} 86400.000001\n"));
    CHECK(to_prometheus({{{}}}).find("cupool_in_flight{device=\"host\"} 0") != std::string::npos);
}
