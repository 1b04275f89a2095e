// One thread of the program per GPU, which selects the GPU and runs MSMs there; one thread on the host
// if there is no GPU.

#include <cupool/cupool.hpp>

#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace {

constexpr auto curve = cupool::Curve::bn254;
constexpr std::size_t size = 1 << 8;
constexpr std::uint64_t jobs = 8;

/// (job + 1) (1 + 2 + ... + size) G, the sum of (i + 1) G each (job + 1) times.
bool is_right(std::uint64_t job, const cupool::JacobianPoint<curve>& sum) {
    const cupool::Scalar expected{{(job + 1) * (size * (size + 1) / 2)}};
    return cupool::to_affine(sum) == cupool::multiply(cupool::generator<curve>(), expected);
}

}  // namespace

int main() {
    try {
        const std::vector<cupool::AffinePoint<curve>> points = cupool::generator_multiples<curve>(1, size);
        const auto pool = cupool::DevicePool::all_or_host();
        std::mutex mutex;  // guards the output and the first failure
        std::optional<cupool::Error> failure;
        bool all_right = true;

        std::vector<std::thread> threads;
        for (std::size_t index = 0; index < pool.device_count(); ++index) {
            threads.emplace_back([&, index] {
                try {
                    auto config = cupool::MsmConfig::default_for_host();
                    if (!pool.is_host()) {
                        cupool::set_device(pool.device_at(index));  // a new thread has no current device
                        config = cupool::MsmConfig::default_for_device(cupool::get_device());
                    }
                    for (std::uint64_t job = index; job < jobs; job += pool.device_count()) {
                        const std::vector<cupool::Scalar> scalars(size, cupool::Scalar{{job + 1}});
                        cupool::JacobianPoint<curve> sum;
                        const cupool::RunReport report = cupool::msm<curve>(std::span(scalars), std::span(points), config, sum);
                        const std::lock_guard lock(mutex);
                        std::cout << "MSM " << job << ": " << report << '\n';
                        all_right = all_right && is_right(job, sum);
                    }
                } catch (const cupool::Error& error) {
                    const std::lock_guard lock(mutex);
                    failure = error;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        if (failure) throw *failure;
        std::cout << (all_right ? "all are right\n" : "a sum is wrong\n");
        return all_right ? 0 : 1;
    } catch (const cupool::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
