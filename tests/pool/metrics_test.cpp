#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
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

TEST_CASE("metrics as text", "[metrics]") {
    const PoolMetrics metrics{
        {{.device = 2, .launches = 5, .errors = 1, .bytes = 4096, .in_flight = 3, .busy_microseconds = 1500000, .quarantined = true}}};
    CHECK(to_string(metrics) == "device 2: 5 launches, 1 failed, 3 in flight, 4096 bytes moved, busy for 1500000 us, quarantined\n");
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
                                              "cupool_busy_seconds_total{device=\"2\"} 1.5", "cupool_quarantined{device=\"2\"} 1"});
    CHECK(to_prometheus({{{}}}).find("cupool_in_flight{device=\"host\"} 0") != std::string::npos);
}
