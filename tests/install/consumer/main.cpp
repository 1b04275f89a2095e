// 2 G + 3 G = 5 G on whatever this host has, by its pool and by one rank if there is an MPI library, and a device of the installed
// simulated driver.
#include <array>
#include <cupool/cluster/mpi_pool.hpp>
#include <cupool/cupool.hpp>
#include <cupool/simulator/simulator.hpp>
#include <iostream>

int main() {
    constexpr cupool::Curve curve = cupool::Curve::bn254;
    const auto g = cupool::generator<curve>();
    const std::array points = {g, g};
    const std::array<cupool::Scalar, 2> scalars = {{{{2}}, {{3}}}};

    const auto pool = cupool::DevicePool::all_or_host();
    cupool::JacobianPoint<curve> result;
    const cupool::RunReport report = pool.msm<curve>(scalars, points, cupool::MsmConfig{}, result);
    std::cout << pool << ": " << report << '\n';

    try {
        const cupool::MpiPool ranks(pool);
        ranks.msm<curve>(scalars, points, cupool::MsmConfig{}, result);
        std::cout << ranks.library() << ": " << ranks.size() << " rank\n";
    } catch (const cupool::Error& error) {
        std::cout << error.what() << '\n';
        if (error.category() != cupool::ErrorCategory::unsupported) return 1;
    }

    const cupool::Simulator simulator(CUPOOL_SIMULATOR_LIBRARY);
    cupool::LoadOptions options;
    options.library_path = CUPOOL_SIMULATOR_LIBRARY;
    std::cout << cupool::DeviceContext::for_device(cupool::Driver::open(options), 0) << '\n';

    return cupool::to_affine(result) == cupool::multiply(g, cupool::Scalar{{5}}) ? 0 : 1;
}
