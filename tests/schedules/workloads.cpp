#include "workloads.hpp"

#include <atomic>
#include <cupool/driver/log.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "scheduling/device_threads.hpp"

namespace cupool::test {

namespace {

constexpr Curve curve = ForkSubject::curve;
constexpr std::size_t terms = ForkSubject::terms;

/// Computed before any schedule.
const std::vector<AffinePoint<curve>>& points() {
    static const auto& multiples = *new std::vector<AffinePoint<curve>>(generator_multiples<curve>(1, terms));
    return multiples;
}

void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(std::string("does not hold: ") + what);
}

/// A thread whose failure its end rethrows.
class Helper {
public:
    explicit Helper(std::function<void()> function)
        : thread_([this, work = std::move(function)] {
              try {
                  work();
              } catch (...) {
                  failure_ = std::current_exception();
              }
          }) {}
    void join() {
        thread_.join();
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    std::exception_ptr failure_;
    std::thread thread_;  // last: it uses the above
};

/// What a child asks, for as long as this lives.
class Asked {
public:
    Asked(ForkSubject*& place, const DevicePool& pool) : place_(place), subject_(pool) { place_ = &subject_; }
    ~Asked() { place_ = nullptr; }
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;

private:
    ForkSubject*& place_;
    ForkSubject subject_;
};

void submit_from_two_threads(ForkSubject*& subject) {
    const DevicePool pool = DevicePool::host(2);
    const Asked asked(subject, pool);
    std::atomic<int> calls{0};
    const auto submit = [&] {
        std::vector<std::future<int>> results;
        for (int i = 0; i < 3; ++i) {
            results.push_back(pool.submit([&calls, i](const DeviceContext&) { return ++calls, i; }));
            results.push_back(pool.submit_at(0, [&calls, i](const DeviceContext&) { return ++calls, i; }));
        }
        for (int i = 0; i < 6; ++i) require(results[static_cast<std::size_t>(i)].get() == i / 2, "each result is its own");
    };
    Helper helper(submit);
    submit();
    helper.join();
    require(calls == 12, "each piece is done once");
    pool.synchronize_all();
    require(pool.balancer().loads().at(0).in_flight == 1, "all leases but the subject's have ended");
    require(pool.metrics().devices.at(0).in_flight == 0, "nothing is in flight");
}

void fail_in_tasks(ForkSubject*& subject) {
    const DevicePool pool = DevicePool::host(2);
    const Asked asked(subject, pool);
    const auto fails = [&pool] {
        std::future<void> failed = pool.submit([](const DeviceContext&) { throw std::runtime_error("the task's"); });
        try {
            failed.get();
        } catch (const std::runtime_error&) {
            return;
        }
        throw std::logic_error("a task's exception is lost");
    };
    Helper helper(fails);
    fails();
    helper.join();
    std::atomic<int> calls{0};
    pool.for_each_device([&](std::size_t, const DeviceContext&) { ++calls; });
    require(calls == 1, "the pool goes on");
    require(pool.metrics().devices.at(0).in_flight == 0, "nothing is in flight");
}

void compute(ForkSubject*& subject) {
    const DevicePool pool = DevicePool::host(2);
    const Asked asked(subject, pool);
    const std::vector<Scalar> scalars(terms, Scalar{{2}});
    const AffinePoint<curve> expected = multiply(generator<curve>(), Scalar{{terms * (terms + 1)}});
    Helper helper([&] {
        const std::vector<std::int64_t> numbers(1000, 3);
        std::int64_t sum = 0;
        pool.reduce<std::int64_t>(numbers, ReduceOperation::sum, sum);
        require(sum == 3000, "the sum of numbers");
        JacobianPoint<curve> point;
        const PooledBases<curve> bases = pool.prepare<curve>(points(), PrepareConfig{});
        pool.submit_msm<curve>(scalars, bases, MsmConfig{}, point).get();
        require(to_affine(point) == expected, "the MSM of prepared bases");
    });
    JacobianPoint<curve> point;
    std::future<RunReport> report = pool.submit_msm<curve>(scalars, points(), MsmConfig{}, point);
    JacobianPoint<curve> other;
    pool.msm<curve>(scalars, points(), MsmConfig{}, other);
    report.get();
    helper.join();
    require(to_affine(point) == expected && to_affine(other) == expected, "the MSMs");
}

void drop_pool_before_its_work_ends(ForkSubject*&) {
    std::optional<DevicePool> pool = DevicePool::host(2);
    std::vector<std::future<int>> results;
    for (int i = 0; i < 4; ++i) results.push_back(pool->submit([i](const DeviceContext&) { return i; }));
    JacobianPoint<curve> point;
    const std::vector<Scalar> scalars(terms, Scalar{{2}});
    std::future<RunReport> report = pool->submit_msm<curve>(scalars, points(), MsmConfig{}, point);
    pool.reset();
    for (int i = 0; i < 4; ++i) require(results[static_cast<std::size_t>(i)].get() == i, "the work is done");
    report.get();
    require(to_affine(point) == multiply(generator<curve>(), Scalar{{terms * (terms + 1)}}), "the MSM is done");
}

/// The last copy of each of two pools goes in a piece of its own work, behind which more waits.
void tear_down_from_within(ForkSubject*&) {
    const auto tear_down = [] {
        std::optional<DevicePool> pool = DevicePool::host(2);
        std::promise<void> go;
        std::future<void> dropped = pool->submit_at(0, [last = pool, gone = go.get_future().share()](const DeviceContext&) mutable {
            gone.wait();
            last.reset();
        });
        std::future<int> behind = pool->submit_at(0, [](const DeviceContext&) { return 9; });
        pool.reset();
        go.set_value();
        dropped.get();
        require(behind.get() == 9, "work behind the last copy's end is done");
    };
    Helper helper(tear_down);
    tear_down();
    helper.join();
}

void log_lines(ForkSubject*& subject) {
    std::atomic<int> lines{0};
    const auto count = [&lines](LogLevel, std::string_view) { ++lines; };
    set_log_callback(count);
    {
        const DevicePool pool = DevicePool::host(2);
        const Asked asked(subject, pool);
        const auto log = [](const DeviceContext&) { detail::log(LogLevel::warning, "a line of a task's"); };
        Helper helper([&] {
            for (int i = 0; i < 3; ++i) set_log_callback(count);
        });
        std::vector<std::future<void>> logged;
        for (int i = 0; i < 3; ++i) logged.push_back(pool.submit(log));
        for (std::future<void>& task : logged) task.get();
        helper.join();
    }
    set_log_callback([](LogLevel, std::string_view) {});
    require(lines == 3, "no line is lost");
}

/// All to the first device.
class First final : public BalancingPolicy {
public:
    std::size_t select(std::span<const DeviceLoad> loads, double) override {
        std::size_t index = 0;
        while (!loads[index].available) ++index;
        return index;
    }
};

/// The threads of three members. The first member gets all tasks and is quarantined meanwhile.
void take_work_over(ForkSubject*&) {
    constexpr int tasks = 8;
    const std::vector<LoadBalancer::Candidate> candidates{{0, 1}, {1, 1}, {2, 1}};
    LoadBalancer balancer(candidates, std::make_unique<First>());
    std::atomic<int> begun{0};
    std::atomic<int> done{0};
    {
        detail::DeviceThreads threads(3,
                                      {[&](std::size_t) { ++begun; }, [](std::size_t) { return true; }, [](std::size_t, std::size_t) {}});
        threads.set_balancer(balancer);
        const auto post = [&] {
            for (int i = 0; i < tasks / 2; ++i) {
                auto lease = std::make_shared<LoadBalancer::Lease>(balancer.select_device(1 + i));
                const auto member = static_cast<std::size_t>(lease->device());
                const auto run = [&balancer, &done, lease](std::size_t) {
                    lease->begin();
                    (void)balancer.loads();  // a task that has schedule points
                    lease->complete();
                    ++done;
                    return true;
                };
                threads.post(member, {run, std::move(lease)});
            }
        };
        Helper helper(post);
        post();
        balancer.set_available(0, false);
        threads.redistribute(0);
        balancer.set_available(0, true);
        threads.look_again();
        (void)balancer.rebalance();
        helper.join();
        threads.finish();
    }
    require(begun >= 1 && begun <= 3, "each member has at most one thread");
    require(done == tasks, "each task runs once");
    for (const DeviceLoad& load : balancer.loads()) require(load.in_flight == 0 && load.outstanding == 0, "all leases have ended");
}

/// The thread that met a fault runs the queued tasks.
void fail_waiting_work(ForkSubject*&) {
    std::atomic<int> done{0};
    detail::DeviceThreads threads(2, {[](std::size_t) {}, [](std::size_t) { return true; }, [](std::size_t, std::size_t) {}});
    const auto post = [&] {
        for (std::size_t i = 0; i < 4; ++i) {
            threads.post(i % 2, {[&done](std::size_t) { return ++done, true; }, nullptr});
        }
    };
    Helper helper(post);
    post();
    threads.do_waiting();
    helper.join();
    threads.finish();
    require(done == 8, "each task runs once");
}

void balance(ForkSubject*&) {
    const std::vector<LoadBalancer::Candidate> candidates{{0, 1}, {1, 2}};
    std::optional<LoadBalancer> balancer(std::in_place, candidates);
    const auto lease = [&] {
        for (int i = 0; i < 4; ++i) {
            LoadBalancer::Lease one = balancer->select_device(3);
            one.begin();
            for (const Migration& move : balancer->rebalance()) one.move_to(move.to);
            if (i % 2 == 0) one.complete();
            balancer->report_completion(1, 10);
        }
    };
    Helper helper(lease);
    balancer->set_policy(std::make_unique<LeastBusy>());
    lease();
    std::vector<LoadBalancer::Lease> left = balancer->select_devices(2);
    helper.join();
    for (const DeviceLoad& load : balancer->loads()) require(load.in_flight == 1, "the other leases have ended");
    balancer.reset();
    left.clear();
}

}  // namespace

const std::vector<Workload>& workloads() {
    static const auto& all = *new std::vector<Workload>{
        {"submit from two threads", submit_from_two_threads},
        {"fail in tasks", fail_in_tasks},
        {"compute", compute},
        {"drop a pool before its work ends", drop_pool_before_its_work_ends},
        {"tear down from within", tear_down_from_within},
        {"log lines", log_lines},
        {"take work over", take_work_over},
        {"fail waiting work", fail_waiting_work},
        {"balance", balance},
    };
    (void)points();
    return all;
}

}  // namespace cupool::test
