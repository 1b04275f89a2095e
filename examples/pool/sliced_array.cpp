// An array that the host and all GPUs share: each GPU works on the slice in its own memory.

#include <cupool/cupool.hpp>

#include <fstream>
#include <iostream>
#include <iterator>

int main() {
    constexpr std::size_t total = 1'000'003;
    constexpr float a = 2;
    try {
        std::ifstream file(SAXPY_PTX);
        const std::string ptx{std::istreambuf_iterator<char>(file), {}};

        const auto pool = cupool::DevicePool::all();
        cupool::SlicedArray<float> x(pool, total);
        cupool::SlicedArray<float> y(pool, x.division());
        for (std::size_t i = 0; i < total; ++i) {
            x[i] = 3;
            y[i] = static_cast<float>(i % 1000);
        }
        x.prefetch_async();  // each slice to its GPU
        y.prefetch_async();

        // y = a x + y. The launch is divided like the arrays, so that each device works on its own slices.
        const auto configure = [&](const cupool::Partition& part) {
            const auto blocks = static_cast<unsigned>((part.count + 255) / 256);
            return cupool::PartitionLaunch{cupool::LaunchShape{blocks, 256}, std::tuple{x.slice(part.index), y.slice(part.index), a}};
        };
        const cupool::RunReport report = pool.launch_partitioned("saxpy", ptx, x.division(), configure).get();

        for (std::size_t i = 0; i < total; ++i) {
            if (y[i] != a * 3 + static_cast<float>(i % 1000)) {
                std::cerr << "item " << i << " is wrong\n";
                return 1;
            }
        }
        for (std::size_t i = 0; i < y.slice_count(); ++i) {
            std::cout << "device " << pool.device_at(i) << " had items " << y.offset(i) << " to " << y.offset(i + 1) - 1 << '\n';
        }
        std::cout << report << '\n';
    } catch (const cupool::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
