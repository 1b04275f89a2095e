#include "pool_tour.hpp"

#include <atomic>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/peer_manager.hpp>
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
    std::vector<DeviceBuffer<std::uint32_t>> buffers;
    for (std::size_t i = 0; i < 3; ++i) buffers.emplace_back(100, pool.context_at(i));
    std::atomic<int> wrong{0};  // assertions are for one thread
    std::atomic<int> works{0};

    const auto act = [&](std::size_t number) {
        const auto own = static_cast<int>(number % 3);
        switch (number % 8) {
            case 0: {
                MsmConfig config;
                config.c = 4;
                config.bitsize = 4;
                JacobianPoint<curve> sum;
                pool.msm<curve>(scalars, points, config, sum, number % 16 == 0 ? MsmSpread::automatic : MsmSpread::all_devices);
                if (to_affine(sum) != six) ++wrong;
                break;
            }
            case 1:
                for (int i = 0; i < 100; ++i) {
                    if (pool.next_device() > 2) ++wrong;
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
                if (path.route != PeerRoute::direct) ++wrong;
                break;
            }
            case 6:
                for (int i = 0; i < 10; ++i) {
                    auto lease = pool.balancer().select_device(3);
                    (void)pool.balancer().rebalance();
                    lease.complete();
                }
                break;
            default:
                if (to_prometheus(pool.metrics()).empty() || pool.identities().size() != 3) ++wrong;
                pool.synchronize_all();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < threads_count; ++i) {
        threads.emplace_back([&, i] {
            try {
                act(i);
            } catch (const std::exception&) {
                ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(works >= 8 * 10 + 8 * 2);  // two or three devices, as one of them is away for a while
    for (const DeviceLoad& load : pool.balancer().loads()) CHECK(load.in_flight == 0);
}
