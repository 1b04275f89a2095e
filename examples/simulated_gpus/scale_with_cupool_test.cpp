// Runs the kernel through the driver layer of cupool on four simulated GPUs: no GPU, libcuda or CUDA header.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/simulator/simulator.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

TEST_CASE("a kernel on each of four GPUs") {
    cupool::Simulator simulator(CUPOOL_SIMULATOR_LIBRARY, std::vector<cupool::SimulatedDevice>(4));
    cupool::LoadOptions options;
    options.library_path = CUPOOL_SIMULATOR_LIBRARY;
    const auto driver = cupool::Driver::open(options);

    std::ifstream file(SCALE_PTX);
    const std::string ptx{std::istreambuf_iterator<char>(file), {}};
    for (int device = 0; device < 4; ++device) {
        const auto context = cupool::DeviceContext::for_device(driver, device);
        const cupool::Module module(context.context(), ptx);
        const auto scale = module.kernel<cupool::DeviceSpan<float>, float, std::uint32_t>("scale");
        std::vector<float> numbers(1000, 1.5F);
        cupool::DeviceBuffer<float> there(numbers.size(), context);
        cupool::copy_async(there.span(), std::span<const float>(numbers), context.stream());
        scale.launch({8, 128}, context.stream(), there.span(), 2.0F, std::uint32_t{1000});
        cupool::copy(std::span<float>(numbers), cupool::DeviceSpan<const float>(there.span()), context.stream());
        CHECK(numbers == std::vector<float>(1000, static_cast<float>(3)));
    }
}
