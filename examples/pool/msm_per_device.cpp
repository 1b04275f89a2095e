// Many MSMs on all GPUs, or on the host's cores if there is none: each goes to the device that is
// expected to finish it first.

#include <cupool/cupool.hpp>

#include <iostream>
#include <vector>

int main() {
    constexpr auto curve = cupool::Curve::bn254;
    constexpr std::size_t size = 1 << 8;
    constexpr std::size_t jobs = 12;
    try {
        const std::vector<cupool::AffinePoint<curve>> points = cupool::generator_multiples<curve>(1, size);

        std::vector<std::vector<cupool::Scalar>> scalars;
        for (std::size_t job = 0; job < jobs; ++job) scalars.emplace_back(size, cupool::Scalar{{job + 1}});

        // Declared after the data of its work: the destructor, which waits for the work, runs first.
        const auto pool = cupool::DevicePool::all_or_host();
        std::vector<std::future<cupool::JacobianPoint<curve>>> sums;
        for (const auto& own : scalars) {
            sums.push_back(pool.submit(
                [&](const cupool::DeviceContext& context) {
                    cupool::MsmConfig config;
                    config.ctx = context;
                    cupool::JacobianPoint<curve> sum;
                    cupool::msm<curve>(std::span(own), std::span(points), config, sum);
                    return sum;
                },
                static_cast<double>(size)));
        }
        for (std::size_t job = 0; job < jobs; ++job) {
            // (job + 1) (1 + 2 + ... + size) G
            const cupool::Scalar expected{{(job + 1) * (size * (size + 1) / 2)}};
            if (cupool::to_affine(sums[job].get()) != cupool::multiply(cupool::generator<curve>(), expected)) {
                std::cerr << "MSM " << job << " is wrong\n";
                return 1;
            }
        }
        std::cout << jobs << " MSMs of " << size << " terms on " << pool << ":\n" << pool.metrics();
    } catch (const cupool::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
