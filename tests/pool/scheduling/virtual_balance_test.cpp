// Kernels of very unequal length on simulated devices of unequal speed, by the virtual clock.
#include <algorithm>
#include <cupool/driver/event.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/pool/device_pool.hpp>
#include <deque>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr char spin_ptx[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry spin(.param .u64 iterations)
{
    .reg .pred %p;
    .reg .b64 %left;
    ld.param.u64 %left, [iterations];
again:
    sub.u64 %left, %left, 1;
    setp.ne.u64 %p, %left, 0;
    @%p bra again;
    ret;
}
)";
constexpr double instructions_of_iteration = 3;

/// Devices so slow that next to a job all else takes no time: calls, and the latency of starts.
std::vector<SimulatedDevice> slow_devices(const std::vector<int>& kilohertz) {
    std::vector<SimulatedDevice> devices(kilohertz.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
        devices[i].multiprocessor_count = 1;
        devices[i].clock_khz = kilohertz[i];
    }
    return devices;
}

/// Microseconds by the virtual clock.
class VirtualClock {
public:
    explicit VirtualClock(const DeviceContext& context)
        : stream_(context.context()), start_(context.context(), {.timing = true}), mark_(context.context(), {.timing = true}) {
        start_.record(stream_);
        start_.synchronize();
    }
    double now() {
        mark_.record(stream_);
        mark_.synchronize();
        return 1000 * static_cast<double>(elapsed_milliseconds(start_, mark_));
    }

private:
    Stream stream_;
    Event start_;
    Event mark_;
};

/// A device at its jobs, of which it has one at work and one waiting.
class Station {
public:
    explicit Station(const DeviceContext& context)
        : stream_(context.context()), module_(context.context(), spin_ptx), spin_(module_.kernel<std::uint64_t>("spin")) {}

    void give(LoadBalancer::Lease lease, std::uint64_t iterations) {
        spin_.launch({1, 1}, stream_, iterations);
        Event done(stream_.context());
        done.record(stream_);
        jobs_.push_back({std::move(lease), std::move(done)});
    }
    std::size_t job_count() const { return jobs_.size(); }
    bool is_done() const { return !jobs_.empty() && jobs_.front().done.query(); }
    void finish() {
        jobs_.front().done.synchronize();
        jobs_.front().lease.complete();
        jobs_.pop_front();
    }

private:
    struct Job {
        LoadBalancer::Lease lease;
        Event done;
    };
    Stream stream_;
    Module module_;
    Kernel<std::uint64_t> spin_;
    std::deque<Job> jobs_;
};

/// Waits for any job to be done, as a program does that is told.
void finish_one(std::vector<Station>& stations) {
    while (true) {
        for (Station& station : stations) {
            if (station.is_done()) return station.finish();  // asking takes a little of the clock's time
        }
    }
}

}  // namespace

TEST_CASE("skewed kernels on devices of unequal speed end within 5% of the best there is, by the virtual clock", "[balance]") {
    const std::vector<int> kilohertz{3, 6, 9, 15};
    Machine machine(slow_devices(kilohertz));
    machine.simulator.reset();
    machine.simulator.set_devices(slow_devices(kilohertz));
    machine.simulator.set_seed(9);
    machine.driver = Machine::open();
    const DevicePool pool = DevicePool::all(machine.driver);
    std::vector<Station> stations;
    std::vector<LoadBalancer::Candidate> candidates;
    for (std::size_t i = 0; i < pool.device_count(); ++i) {
        stations.emplace_back(pool.context_at(i));
        candidates.push_back({pool.device_at(i), 1});  // told to be alike: their speeds must be learned
    }
    VirtualClock clock(pool.context_at(0));
    LoadBalancer balancer(
        candidates, nullptr, [&] { return clock.now(); }, 1e9);

    std::mt19937 random(3);
    std::lognormal_distribution<double> skewed(6, 1.5);
    std::vector<std::uint64_t> jobs(1000);
    for (std::uint64_t& job : jobs) job = 1 + static_cast<std::uint64_t>(skewed(random));
    const double start = clock.now();
    for (const std::uint64_t job : jobs) {
        while (std::accumulate(stations.begin(), stations.end(), std::size_t{0},
                               [](std::size_t sum, const Station& station) { return sum + station.job_count(); }) >= 2 * stations.size()) {
            finish_one(stations);
        }
        LoadBalancer::Lease lease = balancer.select_device(static_cast<double>(job));
        Station& station = stations[static_cast<std::size_t>(lease.device())];
        station.give(std::move(lease), job);
    }
    for (Station& station : stations) {
        while (station.job_count() > 0) station.finish();
    }
    const double makespan = clock.now() - start;

    // 64 instructions a clock; the virtual clock adds up to a quarter to each kernel's time.
    const auto microseconds = [](double iterations, double khz) {
        return 1.125 * iterations * instructions_of_iteration / 64 / khz * 1000;
    };
    const double total = microseconds(static_cast<double>(std::accumulate(jobs.begin(), jobs.end(), std::uint64_t{0})), 3 + 6 + 9 + 15);
    const double longest = microseconds(static_cast<double>(*std::max_element(jobs.begin(), jobs.end())), 15);
    CAPTURE(makespan, total, longest);
    CHECK(makespan <= 1.05 * std::max(total, longest));
    CHECK(makespan >= 0.95 * std::max(total, longest));  // else the clock is not understood
}
