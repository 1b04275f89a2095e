// A pool in a child that was forked while other threads used it: every entry says so at once, and a new pool works.
#include <algorithm>
#include <atomic>
#include <cupool/driver/log.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <cupool/pool/pool_graph.hpp>
#include <cupool/pool/sliced_array.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "forked_child.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"
#include "support/lazy_constant.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = ForkSubject::curve;
constexpr std::size_t terms = ForkSubject::terms;
constexpr const char* empty_kernel = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry nothing(.param .u64 offset, .param .u64 count)
{
ret;
}
)";

/// What needs devices.
class DeviceSubject {
public:
    explicit DeviceSubject(const DevicePool& pool)
        : pool_(pool),
          peers_(pool),
          graph_(std::in_place, pool, [](std::size_t, const DeviceContext&) {}),
          array_(std::in_place, pool, 100),
          launch_(pool.launch_partitioned("nothing", empty_kernel, 10, configure)),
          buffer_(std::in_place, 64, pool.context_at(0)),
          prepared_(std::span<const AffinePoint<curve>>(generator_multiples<curve>(1, terms)), config_of(pool)) {
        peers_.create_buffer<int>("shared", 16, pool.device_at(0));
    }

    std::vector<Call> calls() {
        return {
            {"next_device", [this] { (void)pool_.next_device(); }},
            {"best_available_device", [this] { (void)pool_.best_available_device(); }},
            {"quarantine",
             [this] {
                 pool_.quarantine(1, "test");
                 pool_.readmit(1);
             }},
            {"readmit", [this] { pool_.readmit(1); }},
            {"divide", [this] { (void)pool_.divide(100); }},
            {"identities", [this] { (void)pool_.identities(); }},
            {"launch_partitioned", [this] { pool_.launch_partitioned("nothing", empty_kernel, 10, configure, Shares::even).get(); }},
            {"path", [this] { (void)peers_.path(0, 1); }},
            {"paths", [this] { (void)to_string(peers_); }},
            {"buffer", [this] { (void)peers_.buffer<int>("shared", 1); }},
        };
    }

    std::vector<Call> calls_of_child() {
        std::vector<Call> all = calls();
        all.push_back({"new peer manager", [this] { PeerManager{pool_}; }});
        all.push_back({"remove_buffer", [this] { peers_.remove_buffer("shared"); }});
        all.push_back({"graph.launch", [this] { graph_->launch(); }});
        all.push_back({"graph.synchronize", [this] { graph_->synchronize(); }});
        all.push_back({"graph.devices", [this] { (void)graph_->devices(); }});
        all.push_back({"array.size", [this] { (void)array_->size(); }});
        all.push_back({"array.slice", [this] { (void)array_->slice(0); }});
        all.push_back({"array.prefetch", [this] { array_->prefetch_async(); }});
        all.push_back({"launch.wait", [this] { launch_->wait(); }});
        all.push_back({"launch.get", [this] { (void)launch_->get(); }});
        all.push_back({"check_division", [this] { pool_.check_division(Division({0, 1}, {{0, 1}, {1, 1}})); }});
        all.push_back({"reduce_results", [this] {
                           int sum = 0;
                           const std::vector<DeviceSpan<const int>> buffers{buffer_->span()};
                           pool_.reduce_results<int>(buffers, ReduceOperation::sum, sum);
                       }});
        all.push_back({"msm of prepared bases", [this] {
                           JacobianPoint<curve> sum;
                           MsmConfig config;
                           config.ctx = prepared_.context();
                           const std::vector<Scalar> scalars(terms, Scalar{{3}});
                           cupool::msm<curve>(Operand<Scalar>(std::span(scalars)), prepared_, config, sum);
                       }});
        return all;
    }

    void drop() {
        graph_.reset();
        array_.reset();
        launch_.reset();
        buffer_.reset();
    }

private:
    static PartitionLaunch<> configure(const Partition&) { return {LaunchShape{1, 32}, {}}; }
    static PrepareConfig config_of(const DevicePool& pool) {
        PrepareConfig config;
        config.ctx = pool.context_at(0);
        return config;
    }

    DevicePool pool_;
    PeerManager peers_;
    std::optional<PoolGraph> graph_;
    std::optional<SlicedArray<int>> array_;
    std::optional<PendingLaunch> launch_;
    std::optional<DeviceBuffer<int>> buffer_;
    PreparedBases<curve> prepared_;
};

/// Threads that make calls over and over until this goes.
class Hammer {
public:
    explicit Hammer(const std::vector<std::vector<Call>>& lists) {
        for (const std::vector<Call>& calls : lists) {
            threads_.emplace_back([this, calls] {
                for (std::size_t i = 0; !done_; ++i) {
                    try {
                        calls[i % calls.size()].call();
                    } catch (const Error& error) {
                        if (error.category() == ErrorCategory::forked) ++refused_;
                    }
                }
            });
        }
    }
    ~Hammer() {
        done_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    Hammer(const Hammer&) = delete;
    Hammer& operator=(const Hammer&) = delete;

    /// How many calls were told that they were in a forked child, which they were not.
    int refused() const { return refused_; }

private:
    std::atomic<bool> done_{false};
    std::atomic<int> refused_{0};
    std::vector<std::thread> threads_;
};

std::vector<Call> rotated(std::vector<Call> calls, std::size_t by) {
    std::rotate(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(by % calls.size()), calls.end());
    return calls;
}

/// A constant that takes as long to compute as the test wants.
struct SlowConstant {
    static inline std::atomic<bool> is_begun{false};
    static inline std::atomic<bool> may_end{false};

    SlowConstant() {
        is_begun = true;
        while (!may_end) std::this_thread::yield();
    }
    int value = 7;
};

constexpr int forks = 300;

}  // namespace

TEST_CASE("a pool in a child that is forked at any moment says so, and a new one works", "[fork]") {
    if (is_sanitized) CUPOOL_SKIP(sanitizer_and_forks);
    set_log_callback([](LogLevel, std::string_view) {});
    set_log_level(LogLevel::debug);
    {
        const Machine machine(std::vector<SimulatedDevice>(2));
        std::optional<DevicePool> pool = DevicePool::all(machine.driver);
        std::optional<DevicePool> host = DevicePool::host(2);
        ForkSubject on_devices(*pool);
        ForkSubject on_host(*host);
        DeviceSubject devices(*pool);
        const auto lists = {on_devices.calls(), rotated(on_devices.calls(), 7), on_host.calls(), rotated(on_host.calls(), 10),
                            devices.calls()};
        const Hammer hammer(lists);
        for (int i = 0; i < forks; ++i) {
            CAPTURE(i);
            const std::string wrong = in_child([&]() -> std::string {
                for (const auto& calls : {on_devices.calls_of_child(), on_host.calls_of_child(), devices.calls_of_child()}) {
                    if (std::string name = first_unrefused(calls); !name.empty()) return name + " does not answer forked";
                }
                if (!new_pool_computes(on_host.points())) return "a new pool does not work";
                const DevicePool moved = std::move(*pool);
                pool.reset();
                host.reset();
                on_devices.drop_lease();
                devices.drop();
                return {};
            });
            REQUIRE(wrong == "");
        }
        CHECK(hammer.refused() == 0);
    }
    set_log_level(LogLevel::off);
    set_log_callback({});
}

TEST_CASE("a child that is forked while threads make their first host pool makes its own", "[fork]") {
    if (is_sanitized) CUPOOL_SKIP(sanitizer_and_forks);
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, terms);
    const std::vector<Call> makes{{"host pool", [&] { (void)new_pool_computes(points); }}};
    const Hammer hammer({makes, makes});
    for (int i = 0; i < forks; ++i) {
        CAPTURE(i);
        REQUIRE(in_child([&] { return new_pool_computes(points) ? "" : "a new pool does not work"; }) == "");
    }
}

TEST_CASE("a child that is forked while a constant is computed computes its own", "[fork]") {
    std::thread computes([] { (void)detail::lazy_constant<SlowConstant>(); });
    while (!SlowConstant::is_begun) std::this_thread::yield();
    const std::string wrong = in_child([]() -> std::string {
        SlowConstant::may_end = true;
        return detail::lazy_constant<SlowConstant>().value == 7 ? "" : "a wrong constant";
    });
    SlowConstant::may_end = true;
    computes.join();
    CHECK(wrong == "");
}

TEST_CASE("a balancer in a forked child says so", "[fork]") {
    const std::vector<LoadBalancer::Candidate> candidates{{0, 1}, {1, 1}};
    std::optional<LoadBalancer> balancer(std::in_place, candidates);
    std::optional<LoadBalancer::Lease> lease = balancer->select_device();
    const std::vector<Call> calls{
        {"select_device", [&] { (void)balancer->select_device(); }},
        {"select_devices", [&] { (void)balancer->select_devices(2); }},
        {"lease", [&] { (void)balancer->lease(0); }},
        {"report_completion", [&] { balancer->report_completion(0, 1); }},
        {"rebalance", [&] { (void)balancer->rebalance(); }},
        {"set_available", [&] { balancer->set_available(0, true); }},
        {"set_policy", [&] { balancer->set_policy(std::make_unique<LeastBusy>()); }},
        {"allows_takeover", [&] { (void)balancer->allows_takeover(); }},
        {"loads", [&] { (void)balancer->loads(); }},
        {"begin", [&] { lease->begin(); }},
        {"move_to", [&] { lease->move_to(1); }},
        {"complete", [&] { lease->complete(); }},
    };
    const std::string wrong = in_child([&] {
        const std::string name = first_unrefused(calls);
        lease.reset();
        balancer.reset();
        return name;
    });
    CHECK(wrong == "");
    CHECK(balancer->loads().size() == 2);
}

TEST_CASE("bases that were prepared on the host go on working in a forked child", "[fork]") {
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, terms);
    const PreparedBases<curve> bases(std::span<const AffinePoint<curve>>(points), PrepareConfig{});
    const std::string wrong = in_child([&]() -> std::string {
        MsmConfig config;
        config.ctx = DeviceContext::host(1);
        JacobianPoint<curve> sum;
        const std::vector<Scalar> scalars(terms, Scalar{{2}});
        cupool::msm<curve>(Operand<Scalar>(std::span(scalars)), bases, config, sum);
        return to_affine(sum) == multiply(generator<curve>(), Scalar{{terms * (terms + 1)}}) ? "" : "a wrong sum";
    });
    CHECK(wrong == "");
}
