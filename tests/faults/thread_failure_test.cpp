// The Nth thread that each program starts is refused by the system, for N = 1, 2, ... until none is; and that and all after it. Each time
// there is a right answer or an Error that says so; no future is lost, nothing is left alive, and a second attempt succeeds.

#include <atomic>
#include <cupool/driver/log.hpp>
#include <cupool/kernels/point.hpp>
#include <functional>
#include <iostream>
#include <string>

#include "catch.hpp"
#include "failing_new.hpp"
#include "failing_threads.hpp"
#include "stage.hpp"
#include "watchdog.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::chrono::seconds patience{300};
constexpr Curve curve = Curve::bn254;

bool is_refusal(const Outcome& outcome) {
    const std::optional<Error> error = outcome.error();
    return error && error->category() == ErrorCategory::io && error->message().find("thread") != std::string::npos;
}

/// \return whether there was a thread to refuse
bool refuse_thread(const Program& program, std::uint64_t nth, FailingThreads::Duration duration) {
    std::optional<InDriver> driver_at_work(std::in_place);
    Stage stage;
    driver_at_work.reset();
    Outcome outcome;
    bool has_failed = false;
    {
        const FailingThreads failing(nth, duration);
        outcome = attempt(program, stage.world());
        has_failed = FailingThreads::has_failed();
    }
    if (!outcome.is_right && !(has_failed && is_refusal(outcome))) FAIL_CHECK(outcome.words());
    const Outcome again = attempt(program, stage.world());
    CHECK(again.words() == "");
    CHECK(Simulator::to_string(stage.end()) == "nothing");
    driver_at_work.emplace();
    return has_failed;
}

/// All that a pool of the host does, each step by itself: what the others come to does not matter to it. \return how many steps failed
/// for want of a thread. \throws what is no such failure
int use_host_pool() {
    int refused = 0;
    const auto step = [&refused](const std::function<bool()>& work) {
        try {
            if (!work()) throw std::logic_error("a wrong answer");
        } catch (const Error& error) {
            if (error.category() != ErrorCategory::io) throw;
            ++refused;
        }
    };
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, 300);
    const std::vector<Scalar> scalars(points.size(), Scalar{{2}});
    const AffinePoint<curve> expected = multiply(generator<curve>(), Scalar{{300 * 301}});
    std::optional<DevicePool> pool = DevicePool::host(3);
    step([&] { return pool->submit([](const DeviceContext&) { return 7; }).get() == 7; });
    step([&] { return pool->submit_at(0, [](const DeviceContext&) { return 8; }).get() == 8; });
    step([&] {
        std::atomic<int> calls{0};
        pool->for_each_device([&](std::size_t, const DeviceContext&) { ++calls; });
        return calls == 1;
    });
    step([&] {
        std::int64_t sum = 0;
        const std::vector<std::int64_t> numbers(1'000'000, 1);
        pool->reduce<std::int64_t>(numbers, ReduceOperation::sum, sum);
        return sum == 1'000'000;
    });
    step([&] {
        JacobianPoint<curve> sum;
        pool->msm<curve>(scalars, points, MsmConfig{}, sum);
        return to_affine(sum) == expected;
    });
    step([&] {
        JacobianPoint<curve> sum;
        pool->submit_msm<curve>(scalars, points, MsmConfig{}, sum).get();
        return to_affine(sum) == expected;
    });
    step([&] {
        JacobianPoint<curve> sum;
        const PooledBases<curve> bases = pool->prepare<curve>(points, PrepareConfig{});
        pool->msm<curve>(scalars, bases, MsmConfig{}, sum);
        return to_affine(sum) == expected;
    });
    step([&] {
        pool->synchronize_all();
        return true;
    });
    step([&] {  // the last copy goes in the pool's own work, behind which more waits
        std::promise<void> go;
        std::future<void> dropped = pool->submit_at(0, [last = pool, gone = go.get_future().share()](const DeviceContext&) mutable {
            gone.wait();
            last.reset();
        });
        std::future<int> behind = pool->submit_at(0, [](const DeviceContext&) { return 9; });
        pool.reset();
        go.set_value();
        dropped.get();
        return behind.get() == 9;
    });
    return refused;
}

}  // namespace

TEST_CASE("every thread is refused, once and for ever, and each time there is a right answer or an error") {
    set_log_callback([](LogLevel, std::string_view) {});
    set_log_level(LogLevel::debug);
    Watchdog watchdog(patience);
    std::uint64_t all = 0;
    for (const Program& program : programs()) {
        if (program.on_demand) continue;
        for (const auto duration : {FailingThreads::Duration::once, FailingThreads::Duration::for_ever}) {
            for (std::uint64_t nth = 1;; ++nth, ++all) {
                const std::string what = std::string(program.name) + ": thread " + std::to_string(nth) +
                                         (duration == FailingThreads::Duration::once ? "" : " and all after it");
                watchdog.begin(what);
                INFO(what);
                if (!refuse_thread(program, nth, duration)) break;
            }
        }
    }
    std::cout << all << " refusals\n";
    CHECK(all > 0);
    set_log_level(LogLevel::off);
    set_log_callback({});
}

TEST_CASE("every thread of a host pool is refused, and work goes on with fewer threads or says why not") {
    Watchdog watchdog(patience);
    for (const auto duration : {FailingThreads::Duration::once, FailingThreads::Duration::for_ever}) {
        bool has_failed = true;
        for (std::uint64_t nth = 1; has_failed; ++nth) {
            watchdog.begin("host pool: thread " + std::to_string(nth));
            CAPTURE(nth);
            const FailingThreads failing(nth, duration);
            CHECK_NOTHROW(use_host_pool());
            has_failed = FailingThreads::has_failed();
        }
    }
    CHECK(use_host_pool() == 0);
}
