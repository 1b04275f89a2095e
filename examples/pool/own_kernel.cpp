// Runs a PTX kernel of the program on all GPUs: each works on its slice of two arrays.

#include <cupool/cupool.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

int main() {
    constexpr std::uint64_t total = 1'000'003;
    constexpr float a = 2;
    try {
        std::ifstream file(SAXPY_PTX);
        const std::string ptx{std::istreambuf_iterator<char>(file), {}};

        std::vector<float> x(total, 3);
        std::vector<float> y(total);
        for (std::uint64_t i = 0; i < total; ++i) y[i] = static_cast<float>(i % 1000);

        const auto pool = cupool::DevicePool::all();
        struct Slice {
            std::uint64_t offset = 0;
            cupool::DeviceBuffer<float> x;
            cupool::DeviceBuffer<float> y;
        };
        std::vector<Slice> slices(pool.device_count());
        const auto configure = [&](const cupool::Partition& part) {  // runs on the thread of the device
            Slice& slice = slices[part.index];
            slice = {part.offset, {part.count, part.context}, {part.count, part.context}};
            cupool::copy_async(slice.x.span(), std::span(x).subspan(part.offset, part.count), part.context.stream());
            cupool::copy_async(slice.y.span(), std::span(y).subspan(part.offset, part.count), part.context.stream());
            const auto blocks = static_cast<unsigned>((part.count + 255) / 256);
            return cupool::PartitionLaunch{cupool::LaunchShape{blocks, 256}, std::tuple{slice.x.span(), slice.y.span(), a}};
        };
        const cupool::RunReport report = pool.launch_partitioned("saxpy", ptx, total, configure).get();

        for (std::size_t i = 0; i < slices.size(); ++i) {
            const auto part = std::span(y).subspan(slices[i].offset, slices[i].y.size());
            if (!part.empty()) cupool::copy(part, slices[i].y.span(), pool.context_at(i).stream());
        }
        for (std::uint64_t i = 0; i < total; ++i) {
            if (y[i] != a * 3 + static_cast<float>(i % 1000)) {
                std::cerr << "item " << i << " is wrong\n";
                return 1;
            }
        }
        std::cout << total << " items on " << pool << ": " << report << '\n' << pool.metrics();
    } catch (const cupool::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
