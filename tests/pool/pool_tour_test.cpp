#include "pool_tour.hpp"

#include <atomic>
#include <cupool/driver/copy.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <mutex>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("all that a pool does, with 1, 2, 3, 4 and 8 devices", "[tour]") {
    for (const std::size_t devices : {1, 2, 3, 4, 8}) {
        const Machine machine((std::vector<SimulatedDevice>(devices)));
        CAPTURE(devices);
        CHECK_NOTHROW(tour(DevicePool::all(machine.driver)));
    }
}

TEST_CASE("64 threads do everything with one pool at once", "[threads]") {
    constexpr Curve curve = Curve::bn254;
    constexpr std::size_t threads_count = 64;
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    const PeerManager peers(pool);
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, 3);
    const std::vector<Scalar> scalars(3, Scalar{{1}});
    const AffinePoint<curve> six = multiply(generator<curve>(), Scalar{{6}});
    const std::vector<Scalar> twice(6, Scalar{{1}});
    PrepareConfig prepare;
    prepare.c = 4;
    prepare.bitsize = 4;
    const PooledBases<curve> bases = pool.prepare<curve>(points, prepare, MsmSpread::all_devices);
    const std::string nothing_ptx =
        ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing(.param .u64 offset, .param .u64 count) { ret; }\n";
    std::mutex wrong_mutex;  // assertions are for one thread
    std::string wrong;
    std::atomic<int> works{0};
    const auto note_wrong = [&](std::size_t number, const std::string& what) {
        const std::lock_guard lock(wrong_mutex);
        wrong += "act " + std::to_string(number % 16) + ": " + what + '\n';
    };

    const auto act = [&](std::size_t number) {
        const auto own = static_cast<int>(number % 3);
        switch (number % 16) {
            case 0:
            case 8: {
                MsmConfig config;
                config.c = 4;
                config.bitsize = 4;
                JacobianPoint<curve> sum;
                pool.msm<curve>(scalars, points, config, sum, number % 16 == 0 ? MsmSpread::automatic : MsmSpread::all_devices);
                if (to_affine(sum) != six) note_wrong(number, "wrong answer");
                break;
            }
            case 1:
                for (int i = 0; i < 100; ++i) {
                    if (pool.next_device() > 2) note_wrong(number, "wrong answer");
                }
                break;
            case 2:
                for (int i = 0; i < 10; ++i) pool.submit([&](const DeviceContext&) { ++works; }).get();
                break;
            case 3: pool.for_each_device([&](std::size_t, const DeviceContext&) { ++works; }); break;
            case 4:
                pool.quarantine(2, "for a while");
                pool.readmit(2);
                break;
            case 5: {
                const PeerPath path = peers.path(own, (own + 1) % 3);
                if (path.route != PeerRoute::direct) note_wrong(number, "wrong answer");
                break;
            }
            case 6:
                for (int i = 0; i < 10; ++i) {
                    auto lease = pool.balancer().select_device(3);
                    (void)pool.balancer().rebalance();
                    lease.complete();
                }
                break;
            case 7:
                for (const DeviceContext& context : pool) works += context.device() / 3;
                if (pool.best_available_device(1000) > 2) note_wrong(number, "wrong answer");
                break;
            case 9: {
                std::vector<JacobianPoint<curve>> sums(2);
                pool.msm<curve>(twice, bases, MsmConfig{}, std::span(sums));
                if (to_affine(sums[0]) != six || to_affine(sums[1]) != six) note_wrong(number, "wrong answer");
                break;
            }
            case 10: {
                const auto configure = [](const Partition&) { return PartitionLaunch{LaunchShape{1, 1}, std::tuple{}}; };
                if (pool.launch_partitioned("nothing", nothing_ptx, 3, configure).get().devices.size() < 2)
                    note_wrong(number, "wrong answer");
                break;
            }
            case 11: {
                const KernelOperand one = KernelOperand::value(std::uint64_t{1});
                if (!pool.submit_kernel({nothing_ptx, "nothing", {1, 1}, {one, one}}).get().arrays.empty())
                    note_wrong(number, "wrong answer");
                break;
            }
            case 12: {
                DeviceBuffer<int> source(100, pool.context(own));
                DeviceBuffer<int> target(100, pool.context((own + 1) % 3));
                fill(source.span(), own, pool.context(own).stream());
                fill(target.span(), -1, pool.context((own + 1) % 3).stream());
                peers.copy<int>(target.span(), source.span());
                const DeviceSpan<const int> both[] = {source.span(), target.span()};
                const DeviceBuffer<int> sums = pool.reduce_results<int>(both, ReduceOperation::sum);
                std::vector<int> back(100);
                copy(std::span(back), sums.span(), pool.context(own).stream());
                if (back != std::vector<int>(100, 2 * own)) note_wrong(number, "wrong answer");
                break;
            }
            case 13: {
                const std::vector<int> numbers(10, own);
                int sum = -1;
                pool.reduce<int>(numbers, ReduceOperation::sum, sum);
                if (sum != 10 * own) note_wrong(number, "wrong answer");
                break;
            }
            default:
                if (to_prometheus(pool.metrics()).empty() || pool.identities().size() != 3) note_wrong(number, "wrong answer");
                pool.synchronize_all();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < threads_count; ++i) {
        threads.emplace_back([&, i] {
            try {
                act(i);
            } catch (const std::exception& error) {
                note_wrong(i, error.what());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    INFO(wrong);
    CHECK(wrong.empty());
    CHECK(works >= 4 * 10 + 4 * 2);  // two or three devices, as one of them is away for a while
    for (const DeviceLoad& load : pool.balancer().loads()) CHECK(load.in_flight == 0);
}
