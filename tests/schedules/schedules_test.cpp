// Small programs that use a host pool, or its workers alone, under a scheduler that runs one thread at a time, in an order that a seed
// determines, and a fork at its points. CUPOOL_SCHEDULE_SEEDS=n runs so many seeds, CUPOOL_SCHEDULE_SEED=n the one of a failure.
#include <cstdlib>
#include <cupool/driver/log.hpp>
#include <functional>
#include <iostream>
#include <random>
#include <string>

#include "catch.hpp"
#include "forked_child.hpp"
#include "sanitizers.hpp"
#include "schedule.hpp"
#include "workloads.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

struct Seeds {
    std::uint64_t first;
    std::uint64_t end;
};

/// Those of the environment, or the first `count`.
Seeds seeds(std::uint64_t count) {
    if (const char* one = std::getenv("CUPOOL_SCHEDULE_SEED")) {
        const std::uint64_t seed = std::stoull(one);
        return {seed, seed + 1};
    }
    if (const char* many = std::getenv("CUPOOL_SCHEDULE_SEEDS")) return {0, std::stoull(many)};
    return {0, count};
}

struct Run {
    std::string wrong;
    std::uint64_t points = 0;
    std::uint64_t forks = 0;
    std::uint64_t trace_hash = 0;
};

/// What a child finds wrong that was forked at any point of a workload.
std::string ask_child(ForkSubject* subject, const std::vector<AffinePoint<ForkSubject::curve>>& points) {
    if (subject != nullptr) {
        if (std::string name = first_unrefused(subject->calls_of_child()); !name.empty()) return name + " does not answer forked";
        subject->drop_lease();
    }
    return new_pool_computes(points) ? "" : "a new pool does not work";
}

using IsDue = std::function<bool(std::uint64_t point)>;

/// Up to its first fork a run has the same points as one without.
Run run(
    const Workload& workload, std::uint64_t seed, IsDue fork_is_due = [](std::uint64_t) { return false; }) {
    static const auto points = generator_multiples<ForkSubject::curve>(1, ForkSubject::terms);
    Run result;
    ForkSubject* subject = nullptr;
    const auto fork = [&] {
        const std::string wrong = in_child([&] { return ask_child(subject, points); });
        if (result.wrong.empty() && !wrong.empty()) result.wrong = "in a forked child: " + wrong;
    };
    Schedule schedule(seed, workload.name + ", CUPOOL_SCHEDULE_SEED=" + std::to_string(seed), {std::move(fork_is_due), fork});
    try {
        workload.run(subject);
    } catch (const std::exception& error) {
        result.wrong = error.what();
    }
    schedule.end();
    result.points = schedule.points();
    result.forks = schedule.forks();
    result.trace_hash = schedule.trace_hash();
    return result;
}

/// How many points and forks all runs had.
class Totals {
public:
    void add(const Run& run) {
        points_ += run.points;
        forks_ += run.forks;
    }
    ~Totals() { std::cout << points_ << " schedule points, " << forks_ << " forks\n"; }

private:
    std::uint64_t points_ = 0;
    std::uint64_t forks_ = 0;
};

/// Lets lines be logged at every level, and drops them.
class DroppedLines {
public:
    DroppedLines() {
        set_log_callback([](LogLevel, std::string_view) {});
        set_log_level(LogLevel::debug);
    }
    ~DroppedLines() {
        set_log_level(LogLevel::off);
        set_log_callback({});
    }
    DroppedLines(const DroppedLines&) = delete;
    DroppedLines& operator=(const DroppedLines&) = delete;
};

}  // namespace

// The sanitizers replace the same functions themselves, and the thread sanitizer would not see whom a modelled wait waits for.
#define CUPOOL_SKIP_UNDER_SANITIZERS \
    if (is_sanitized) CUPOOL_SKIP("skipped: a sanitizer replaces the functions that the scheduler replaces")

TEST_CASE("a seed determines the order of all schedule points", "[schedules]") {
    CUPOOL_SKIP_UNDER_SANITIZERS;
    for (const Workload& workload : workloads()) {
        (void)run(workload, 0);  // what the process computes once
        std::uint64_t different = 0;
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            CAPTURE(workload.name, seed);
            const Run first = run(workload, seed);
            const Run second = run(workload, seed);
            CHECK(first.points == second.points);
            CHECK(first.trace_hash == second.trace_hash);
            if (run(workload, seed + 1).trace_hash != first.trace_hash) ++different;
        }
        CAPTURE(workload.name);
        CHECK(different > 5);
    }
}

TEST_CASE("the pool's threads come to the right end in every order, and with a fork at any point", "[schedules]") {
    CUPOOL_SKIP_UNDER_SANITIZERS;
    const DroppedLines dropped;
    Totals totals;
    const Seeds chosen = seeds(1000);
    for (std::uint64_t seed = chosen.first; seed < chosen.end; ++seed) {
        std::mt19937_64 draw(seed);
        for (const Workload& workload : workloads()) {
            INFO(workload.name << ", CUPOOL_SCHEDULE_SEED=" << seed);
            const Run unforked = run(workload, seed);
            REQUIRE(unforked.wrong == "");
            const std::uint64_t fork_point = 1 + draw() % unforked.points;
            CAPTURE(fork_point);
            const Run forked = run(workload, seed, [=](std::uint64_t point) { return point == fork_point; });
            REQUIRE(forked.wrong == "");
            totals.add(unforked);
            totals.add(forked);
        }
    }
}

TEST_CASE("a child that is forked at each schedule point of a run is told so, and makes a new pool", "[schedules]") {
    CUPOOL_SKIP_UNDER_SANITIZERS;
    const DroppedLines dropped;
    Totals totals;
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        for (const Workload& workload : workloads()) {
            INFO(workload.name << ", CUPOOL_SCHEDULE_SEED=" << seed);
            const Run run_with_forks = run(workload, seed, [](std::uint64_t) { return true; });
            REQUIRE(run_with_forks.wrong == "");
            totals.add(run_with_forks);
        }
    }
}
