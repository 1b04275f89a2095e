// A plugin that embeds cupool, with a pool whose last copy goes in its own work.

#include <chrono>
#include <cupool/pool/device_pool.hpp>
#include <future>
#include <optional>
#include <thread>

/// Returns when the last copy has gone, while work of the pool still waits.
extern "C" __attribute__((visibility("default"))) int cupool_test_pool_plugin_work() {
    try {
        std::optional<cupool::DevicePool> pool = cupool::DevicePool::host(1);
        std::promise<void> go;
        auto work = [last = pool, gone = go.get_future().share()](const cupool::DeviceContext&) mutable {
            gone.wait();
            last.reset();
        };
        std::future<void> dropped = pool->submit_at(0, std::move(work));
        for (int i = 0; i < 5; ++i) {
            (void)pool->submit_at(0, [](const cupool::DeviceContext&) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
        }
        pool.reset();
        go.set_value();
        dropped.get();
        return 0;
    } catch (...) {
        return 1;
    }
}
