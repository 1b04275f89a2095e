#include <algorithm>
#include <cmath>
#include <cupool/driver/error.hpp>
#include <cupool/pool/load_balancer.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// A balancer over devices 0, 1, ... whose clock the test turns.
struct Balance {
    explicit Balance(const std::vector<double>& capabilities, std::unique_ptr<BalancingPolicy> policy = nullptr)
        : balancer(candidates(capabilities), std::move(policy), [this] { return now; }) {}

    static std::vector<LoadBalancer::Candidate> candidates(const std::vector<double>& capabilities) {
        std::vector<LoadBalancer::Candidate> list;
        for (const double capability : capabilities) list.push_back({static_cast<int>(list.size()), capability});
        return list;
    }

    double now = 1000;
    LoadBalancer balancer;
};

/// Jobs handed out one by one to devices that work at their true speeds. \return when the last one is done
double makespan(Balance& balance, const std::vector<double>& jobs, const std::vector<double>& speeds) {
    struct Running {
        LoadBalancer::Lease lease;
        double begins;
        double ends;
    };
    std::vector<std::vector<Running>> queues(speeds.size());
    const double start = balance.now;
    std::vector<double> free_at(speeds.size(), start);
    std::size_t next = 0;
    // Every device has at most two jobs: one at work and one waiting, as a pool that is fed by callers has.
    while (next < jobs.size() || std::any_of(queues.begin(), queues.end(), [](const auto& queue) { return !queue.empty(); })) {
        const auto waiting = std::accumulate(queues.begin(), queues.end(), std::size_t{0},
                                             [](std::size_t sum, const auto& queue) { return sum + queue.size(); });
        if (next < jobs.size() && waiting < 2 * speeds.size()) {
            LoadBalancer::Lease lease = balance.balancer.select_device(jobs[next]);
            const auto device = static_cast<std::size_t>(lease.device());
            const double begins = std::max(free_at[device], balance.now);
            free_at[device] = begins + jobs[next] / speeds[device];
            queues[device].push_back({std::move(lease), begins, free_at[device]});
            ++next;
            continue;
        }
        std::size_t earliest = queues.size();
        for (std::size_t i = 0; i < queues.size(); ++i) {
            if (!queues[i].empty() && (earliest == queues.size() || queues[i].front().ends < queues[earliest].front().ends)) earliest = i;
        }
        balance.now = queues[earliest].front().ends;
        queues[earliest].front().lease.complete();
        queues[earliest].erase(queues[earliest].begin());
    }
    return balance.now - start;
}

}  // namespace

TEST_CASE("work goes where it is done first", "[balance]") {
    Balance balance({1, 2});
    auto first = balance.balancer.select_device(10);
    CHECK(first.device() == 1);
    auto second = balance.balancer.select_device(10);  // 20 units on device 1 would take as long as 10 on device 0
    CHECK(second.device() == 0);
    auto third = balance.balancer.select_device(10);
    CHECK(third.device() == 1);
    CHECK(balance.balancer.loads()[1].outstanding == 20);
    CHECK(balance.balancer.loads()[1].in_flight == 2);
    third.complete();
    first = std::move(second);  // ends the first lease
    CHECK(balance.balancer.loads()[1].outstanding == 0);
    CHECK(balance.balancer.loads()[1].in_flight == 0);
    CHECK(balance.balancer.loads()[0].in_flight == 1);
}

TEST_CASE("several devices are leased for one job, each once, the best first", "[balance]") {
    Balance balance({1, 3, 2});
    auto busy = balance.balancer.lease(1, 30);
    const auto devices_of = [](const std::vector<LoadBalancer::Lease>& leases) {
        std::vector<int> devices;
        for (const LoadBalancer::Lease& lease : leases) devices.push_back(lease.device());
        return devices;
    };
    {
        const std::vector<LoadBalancer::Lease> leases = balance.balancer.select_devices(2, 6);
        CHECK(devices_of(leases) == std::vector<int>{2, 0});
        CHECK(leases[0].work() == 6);
        CHECK(balance.balancer.loads()[2].outstanding == 6);
        CHECK(devices_of(balance.balancer.select_devices(9, 1)) == std::vector<int>{2, 0, 1});
    }
    for (const DeviceLoad& load : balance.balancer.loads()) CHECK(load.in_flight == (load.device == 1 ? 1 : 0));
    balance.balancer.set_available(2, false);
    CHECK(devices_of(balance.balancer.select_devices(3, 6)) == std::vector<int>{0, 1});
    CHECK(balance.balancer.select_devices(0).empty());
    CHECK(error_of([&] { (void)balance.balancer.select_devices(1, -1); }).category() == ErrorCategory::invalid_argument);
    balance.balancer.set_available(0, false);
    balance.balancer.set_available(1, false);
    CHECK(error_of([&] { (void)balance.balancer.select_devices(1); }).category() == ErrorCategory::no_device);
}

TEST_CASE("speeds are learned from completed leases, and waiting does not count", "[balance]") {
    Balance balance({1, 1});
    for (int i = 0; i < 20; ++i) {
        auto slow = balance.balancer.lease(0, 100);
        auto waiting = balance.balancer.lease(0, 100);
        auto fast = balance.balancer.lease(1, 100);
        balance.now += 10;
        fast.complete();
        balance.now += 30;
        slow.complete();
        balance.now += 40;
        waiting.complete();
    }
    const std::vector<DeviceLoad> loads = balance.balancer.loads();
    CHECK(loads[0].speed == Approx(2.5));
    CHECK(loads[1].speed == Approx(10));
}

TEST_CASE("a device that was never measured is as fast, for its capability, as the measured ones", "[balance]") {
    Balance balance({1, 3});
    for (const double took : {10000.0, 10.0}) {  // the first one, which compiles kernels, says nothing
        auto lease = balance.balancer.lease(0, 100);
        balance.now += took;
        lease.complete();
        CHECK(balance.balancer.loads()[0].speed == Approx(took == 10 ? 10 : 1));
    }
    CHECK(balance.balancer.loads()[0].speed == Approx(10));
    CHECK(balance.balancer.loads()[1].speed == Approx(30));
}

TEST_CASE("old load is forgotten", "[balance]") {
    Balance balance({1, 1}, std::make_unique<LeastBusy>());
    balance.balancer.report_completion(0, 8000);
    CHECK(balance.balancer.loads()[0].busy == Approx(8000));
    CHECK(balance.balancer.select_device().device() == 1);
    balance.now += 2e6;  // two half-lives
    CHECK(balance.balancer.loads()[0].busy == Approx(2000));
    balance.balancer.report_completion(1, 3000);
    CHECK(balance.balancer.select_device().device() == 0);
}

TEST_CASE("reported work counts as load and as speed", "[balance]") {
    Balance balance({1, 2});
    CHECK(balance.balancer.select_device().device() == 1);
    balance.balancer.report_completion(1, 10e6);
    CHECK(balance.balancer.loads()[1].speed == Approx(1e-7));
    CHECK(balance.balancer.select_device().device() == 0);  // though the other one has the capability
    balance.balancer.report_completion(0, 1e6, 10);
    CHECK(balance.balancer.loads()[0].speed == Approx(1e-5));
    auto waiting = balance.balancer.lease(0, 3);
    CHECK(balance.balancer.select_device().device() == 0);  // 100 ms a job and 1 s expected again, for 10 s
    balance.now += 60e6;                                    // all that was reported has faded; the speeds have not
    CHECK(balance.balancer.loads()[1].reported == Approx(0).margin(1e-6));
    CHECK(balance.balancer.select_device().device() == 0);
    CHECK(error_of([&] { balance.balancer.report_completion(0, 1, -1); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { balance.balancer.report_completion(2, 1); }).category() == ErrorCategory::invalid_device);
}

TEST_CASE("a report moves the choice away from an idle device, and leases outweigh it", "[balance]") {
    Balance balance({1, 1});
    const auto first = balance.balancer.lease(0, 1);
    CHECK(balance.balancer.select_device().device() == 1);
    balance.balancer.report_completion(1, 10e6);
    CHECK(balance.balancer.select_device().device() == 0);
    const auto more = balance.balancer.lease(0, 5);
    CHECK(balance.balancer.select_device().device() == 1);
}

TEST_CASE("plans to rebalance come of reports as of leases", "[balance]") {
    Balance balance({1, 1});
    for (int i = 0; i < 4; ++i) balance.balancer.report_completion(1, 100);
    CHECK(balance.balancer.loads()[1].reported == Approx(400));
    const std::vector<Migration> plan = balance.balancer.rebalance();
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].from == 1);
    CHECK(plan[0].to == 0);
    CHECK(plan[0].work == Approx(2));  // of the four jobs that are expected again
    for (int i = 0; i < 4; ++i) balance.balancer.report_completion(0, 100);
    CHECK(balance.balancer.rebalance().empty());
}

TEST_CASE("turns begin with the first device", "[balance]") {
    Balance balance({1, 1, 1}, std::make_unique<TakingTurns>());
    for (const int device : {0, 1, 2, 0}) CHECK(balance.balancer.select_device().device() == device);
    balance.balancer.set_available(1, false);
    for (const int device : {2, 0, 2}) CHECK(balance.balancer.select_device().device() == device);
}

TEST_CASE("a balancer refuses a repeated device", "[balance]") {
    const LoadBalancer::Candidate twice[] = {{0, 1}, {1, 1}, {0, 2}};
    const Error error = error_of([&] { LoadBalancer balancer(twice); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(error.what(), contains_text("device 0 stands in the list twice"));
}

TEST_CASE("skewed jobs on devices of unequal speed end within 5% of the best there is", "[balance]") {
    const std::vector<double> speeds{1, 2, 3, 5};
    for (const unsigned seed : {1u, 2u, 3u}) {
        std::mt19937 random(seed);
        std::lognormal_distribution<double> skewed(0, 1.5);
        std::vector<double> jobs(1000);
        for (double& job : jobs) job = skewed(random);
        const double total_time = std::accumulate(jobs.begin(), jobs.end(), 0.0) / std::accumulate(speeds.begin(), speeds.end(), 0.0);
        const double longest_time = *std::max_element(jobs.begin(), jobs.end()) / *std::max_element(speeds.begin(), speeds.end());
        CAPTURE(seed);
        SECTION("their capabilities told truly, seed " + std::to_string(seed)) {
            Balance balance(speeds);
            CHECK(makespan(balance, jobs, speeds) <= 1.05 * std::max(total_time, longest_time));
        }
        SECTION("told to be equal, so that speeds must be learned, seed " + std::to_string(seed)) {
            Balance balance({1, 1, 1, 1});
            CHECK(makespan(balance, jobs, speeds) <= 1.05 * std::max(total_time, longest_time));
        }
    }
}

TEST_CASE("a plan to rebalance, carried out, leaves nothing to plan", "[balance]") {
    Balance balance({1, 1, 2});
    std::vector<LoadBalancer::Lease> leases;
    for (int i = 0; i < 40; ++i) leases.push_back(balance.balancer.lease(0, 1));
    const std::vector<Migration> plan = balance.balancer.rebalance();
    REQUIRE(plan.size() == 2);
    CHECK(plan[0].from == 0);
    CHECK(plan[0].to == 2);
    CHECK(plan[0].work == Approx(20));
    CHECK(plan[1].to == 1);
    CHECK(plan[1].work == Approx(10));
    CHECK(balance.balancer.rebalance().size() == 2);  // a plan alone moves nothing
    std::size_t next = 0;
    for (const Migration& migration : plan) {
        for (double moved = 0; moved < migration.work; moved += 1) leases[next++].move_to(migration.to);
    }
    CHECK(balance.balancer.rebalance().empty());
    CHECK(balance.balancer.loads()[2].outstanding == Approx(20));
}

TEST_CASE("rebalancing tolerates what is within the threshold, and what cannot be divided", "[balance]") {
    Balance balance({1, 1});
    std::vector<LoadBalancer::Lease> leases;
    for (int i = 0; i < 11; ++i) leases.push_back(balance.balancer.lease(0, 1));
    for (int i = 0; i < 9; ++i) leases.push_back(balance.balancer.lease(1, 1));
    CHECK(balance.balancer.rebalance(0.2).empty());
    CHECK(balance.balancer.rebalance(0.1).size() == 1);

    Balance coarse({1, 1});
    const auto only = coarse.balancer.lease(0, 5);  // moving half of it is impossible, moving all of it changes nothing
    CHECK(coarse.balancer.rebalance().empty());
}

TEST_CASE("plans to rebalance leases of any size come to an end, and send none back", "[balance]") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::lognormal_distribution<double> skewed(0, 1.5);
        std::vector<double> speeds(2 + seed % 5);
        for (double& speed : speeds) speed = 1 + skewed(random);
        Balance balance(speeds);
        struct Moving {
            LoadBalancer::Lease lease;
            std::set<int> before;  ///< devices that it was on
        };
        std::vector<Moving> leases;
        for (int i = 0; i < 60; ++i) {
            const int device = static_cast<int>(random() % (1 + random() % speeds.size()));
            leases.push_back({balance.balancer.lease(device, skewed(random)), {device}});
        }
        const auto latest = [&] {
            double most = 0;
            for (const DeviceLoad& load : balance.balancer.loads()) most = std::max(most, load.outstanding / load.speed);
            return most;
        };
        // Carried out to the letter a plan leaves every device its fair share, but for moves smaller than an average lease.
        std::vector<double> planned;
        for (const DeviceLoad& load : balance.balancer.loads()) planned.push_back(load.outstanding);
        const double work = std::accumulate(planned.begin(), planned.end(), 0.0);
        const double speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
        const std::vector<Migration> plan = balance.balancer.rebalance();
        for (const Migration& migration : plan) {
            planned[static_cast<std::size_t>(migration.from)] -= migration.work;
            planned[static_cast<std::size_t>(migration.to)] += migration.work;
        }
        const double spread = work / static_cast<double>(leases.size()) * static_cast<double>(speeds.size());
        for (std::size_t i = 0; i < speeds.size() && !plan.empty(); ++i) CHECK(std::abs(planned[i] - work / speed * speeds[i]) <= spread);

        std::size_t rounds = 0;
        for (bool any_moved = true; any_moved; ++rounds) {
            any_moved = false;
            const double before = latest();
            for (const Migration& migration : balance.balancer.rebalance()) {
                double left = migration.work;
                for (Moving& moving : leases) {
                    if (moving.lease.device() != migration.from || moving.lease.work() > left) continue;
                    left -= moving.lease.work();
                    moving.lease.move_to(migration.to);
                    any_moved = true;
                    CHECK(moving.before.insert(migration.to).second);
                }
            }
            CHECK(latest() <= before * (1 + 1e-9));
            REQUIRE(rounds < 20);
        }
    }
}

TEST_CASE("a quarantined device gets no work, and what it has is to move", "[balance]") {
    Balance balance({1, 1});
    const auto stranded = balance.balancer.lease(0, 4);
    balance.balancer.set_available(0, false);
    for (int i = 0; i < 5; ++i) CHECK(balance.balancer.select_device().device() == 1);
    const std::vector<Migration> plan = balance.balancer.rebalance();
    REQUIRE(plan.size() == 1);
    CHECK(plan[0].from == 0);
    CHECK(plan[0].to == 1);
    CHECK(plan[0].work == Approx(4));
    balance.balancer.set_available(1, false);
    CHECK(error_of([&] { (void)balance.balancer.select_device(); }).category() == ErrorCategory::no_device);
    CHECK(balance.balancer.rebalance().empty());

    Balance wide({1, 1, 1, 1});
    const auto alone = wide.balancer.lease(2, 1);
    wide.balancer.set_available(2, false);
    REQUIRE(wide.balancer.rebalance().size() == 1);  // though each of the others' fair share is a third of it
    CHECK(wide.balancer.rebalance()[0].work == Approx(1));
}

TEST_CASE("time before a lease moved is not the new device's", "[balance]") {
    Balance balance({1, 1});
    for (int i = 0; i < 2; ++i) {
        auto lease = balance.balancer.lease(0, 100);
        balance.now += 1000;
        lease.move_to(1);
        balance.now += 10;
        lease.complete();
    }
    CHECK(balance.balancer.loads()[1].speed == Approx(10));
}

TEST_CASE("policies: in turns, and one of the program's own", "[balance]") {
    Balance balance({1, 1, 1}, std::make_unique<TakingTurns>());
    balance.balancer.set_available(1, false);
    std::vector<int> chosen;
    for (int i = 0; i < 4; ++i) chosen.push_back(balance.balancer.select_device().device());
    CHECK(chosen == std::vector<int>{0, 2, 0, 2});

    struct Last final : BalancingPolicy {
        std::size_t select(std::span<const DeviceLoad> loads, double) override { return loads.size() - 1; }
    };
    balance.balancer.set_policy(std::make_unique<Last>());
    CHECK(balance.balancer.select_device().device() == 2);
    balance.balancer.set_available(2, false);
    CHECK(error_of([&] { (void)balance.balancer.select_device(); }).category() == ErrorCategory::internal);
    CHECK(error_of([&] { balance.balancer.set_policy(nullptr); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("a balancer refuses nonsense", "[balance]") {
    CHECK(error_of([] { Balance balance({}); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([] { Balance balance({1, 0}); }).category() == ErrorCategory::invalid_argument);
    Balance balance({1});
    CHECK(error_of([&] { (void)balance.balancer.select_device(-1); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)balance.balancer.select_device(std::numeric_limits<double>::quiet_NaN()); }).category() ==
          ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)balance.balancer.lease(3); }).category() == ErrorCategory::invalid_device);
    CHECK(error_of([&] { balance.balancer.report_completion(0, -1); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("leases outlive their balancer", "[balance]") {
    std::optional<LoadBalancer::Lease> lease;
    {
        Balance balance({1});
        LoadBalancer own(Balance::candidates({1}));
        lease = own.select_device();
    }
    lease->complete();
}

TEST_CASE("many threads balance at once", "[balance]") {
    LoadBalancer balancer(Balance::candidates({1, 1, 1}));
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&balancer] {
            for (int j = 0; j < 200; ++j) {
                auto lease = balancer.select_device(j % 7);
                if (j % 3 == 0) lease.move_to(j % 2);
                if (j % 5 != 0) lease.complete();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const DeviceLoad& load : balancer.loads()) {
        CHECK(load.in_flight == 0);
        CHECK(load.outstanding == 0);
    }
}

TEST_CASE("work that is no number is refused, and however much there is of it speeds stay finite", "[balance]") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    constexpr double huge = 1.7e308;
    double now = 0;
    LoadBalancer balancer(std::vector<LoadBalancer::Candidate>{{0, huge}, {1, huge}, {2, 1e-308}}, nullptr, [&now] { return now; });
    const auto category_of = [&](double work) { return error_of([&] { (void)balancer.select_device(work); }).category(); };
    for (const double work : {infinite, -infinite, std::nan(""), -1.0}) {
        CAPTURE(work);
        CHECK(category_of(work) == ErrorCategory::invalid_argument);
        CHECK(error_of([&] { (void)balancer.lease(0, work); }).category() == ErrorCategory::invalid_argument);
        CHECK(error_of([&] { balancer.report_completion(0, 1, work); }).category() == ErrorCategory::invalid_argument);
        CHECK(error_of([&] { balancer.report_completion(0, work, 1); }).category() == ErrorCategory::invalid_argument);
    }
    for (int i = 0; i < 5; ++i) {
        LoadBalancer::Lease first = balancer.lease(0, huge);
        LoadBalancer::Lease second = balancer.lease(0, huge);
        for (const DeviceLoad& load : balancer.loads()) CHECK(std::isfinite(load.outstanding));
        now += 1e-3;
        first.complete();
        second.complete();
        balancer.report_completion(1, huge, 1e-308);
        balancer.report_completion(2, 1e-300, huge);
        (void)balancer.rebalance();
    }
    for (const DeviceLoad& load : balancer.loads()) {
        CHECK(std::isfinite(load.speed));
        CHECK(load.speed > 0);
        CHECK(std::isfinite(load.busy));
        CHECK(std::isfinite(load.reported));
        CHECK(load.outstanding == 0);
    }
}
