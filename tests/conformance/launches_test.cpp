// Launches with options, what kernels are, and how many fit.
#include <algorithm>
#include <cupool/driver/linker.hpp>

#include "kernels.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

LaunchOptions cooperative() {
    LaunchOptions options;
    options.cooperative = true;
    return options;
}

}  // namespace

TEST_CASE("blocks of a cooperative launch wait for each other", "[launches]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const auto meet = bench.module.kernel<DeviceSpan<int>>("meet");
    const unsigned blocks = is_simulated() ? 16 : static_cast<unsigned>(bench.context.device().multiprocessor_count());
    meet.launch_with(cooperative(), {blocks, 32}, bench.stream, bench.values.span());
    CHECK(bench.result().front() == static_cast<int>(blocks));
    LaunchOptions with_priority = cooperative();
    with_priority.priority = 0;
    meet.launch_with(with_priority, {blocks, 32}, bench.stream, bench.values.span().subspan(1, 1));
    CHECK(bench.result()[1] == static_cast<int>(blocks));
}

TEST_CASE("a cooperative launch that does not fit is refused", "[launches]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const auto nothing = bench.module.kernel<>("nothing");
    const auto fitting = static_cast<unsigned>(nothing.max_active_blocks(1024) * bench.context.device().multiprocessor_count());
    CHECK_NOTHROW(nothing.launch_with(cooperative(), {is_simulated() ? 1 : fitting, 1024}, bench.stream));
    const Error error = error_of([&] { nothing.launch_with(cooperative(), {fitting + 1, 1024}, bench.stream); });
    CHECK(error.code() == abi::Status::cooperative_launch_too_large);
    CHECK(error.category() == ErrorCategory::launch_failure);
    bench.stream.synchronize();
}

TEST_CASE("launches with options do the same work", "[launches]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    LaunchOptions options;
    options.priority = -1;
    options.programmatic_stream_serialization = bench.context.device().compute_capability() >= Device::ComputeCapability{9, 0};
    bench.add.launch_with(options, Bench::shape, bench.stream, bench.values.span(), 3, Bench::count);
    bench.add.launch_with({}, Bench::shape, bench.stream, bench.values.span(), 4, Bench::count);
    CHECK(bench.result() == Bench::all(7));
}

TEST_CASE("clusters divide the grid", "[launches]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    if (bench.context.device().attribute(abi::DeviceAttribute::cluster_launch) == 0) CUPOOL_SKIP("the device has no clusters");
    LaunchOptions options;
    options.cluster = Extent(2);
    bench.add.launch_with(options, {4, 32}, bench.stream, bench.values.span(), 1, Bench::count);
    CHECK(bench.result() == Bench::all(1));
    CHECK(error_of([&] {
              bench.add.launch_with(options, {3, 32}, bench.stream, bench.values.span(), 1, Bench::count);
          }).category() == ErrorCategory::launch_failure);
    try {
        const int clusters = bench.add.max_active_clusters({4, 32}, Extent(2));
        CHECK(clusters > 0);
    } catch (const Error& error) {
        CHECK(error.category() == ErrorCategory::unsupported);
    }
    options.cluster = Extent(16);
    CHECK(error_of([&] {
              bench.add.launch_with(options, {16, 32}, bench.stream, bench.values.span(), 1, Bench::count);
          }).category() == ErrorCategory::launch_failure);
    bench.stream.synchronize();
}

TEST_CASE("a launch that is too big is refused, and names what was asked", "[launches]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const auto nothing = bench.module.kernel<>("nothing");
    CHECK(error_of([&] { nothing.launch({1, 1025}, bench.stream); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { nothing.launch({0, 32}, bench.stream); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { nothing.launch({1, Extent(1, 1, 65)}, bench.stream); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { nothing.launch({1, 32, 1U << 20}, bench.stream); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { bench.module.kernel<>("cramped").launch({1, 65}, bench.stream); }).code() == abi::Status::invalid_value);
    CHECK_THAT(error_of([&] { nothing.launch({1, 1025}, bench.stream); }).what(), contains_text("1025x1x1"));
}

TEST_CASE("a kernel's parameters are told, and arguments that are not like them refused", "[launches]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    if (bench.context.driver().version() < 12040) CUPOOL_SKIP("a driver of CUDA 12.4 or newer tells parameters");
    const std::vector<KernelParameterInfo> parameters = bench.add.parameters();
    REQUIRE(parameters.size() == 3);
    CHECK(parameters[0].bytes == 8);
    CHECK(parameters[1].offset == 8);
    CHECK(parameters[2].offset == 12);
    const Error fewer = error_of([&] { bench.module.kernel<DeviceSpan<int>, int>("add"); });
    CHECK(fewer.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(fewer.what(), contains_text("3 of 8, 4, 4 bytes, and not 2 of 8, 4 bytes"));
    CHECK(error_of([&] { bench.module.kernel<DeviceSpan<int>, int, std::uint64_t>("add"); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { bench.module.kernel<int>("nothing"); }).category() == ErrorCategory::invalid_argument);
    CHECK_NOTHROW(bench.module.kernel<abi::DevicePointer, float, unsigned>("add"));
}

TEST_CASE("a kernel's attributes are told and set", "[launches]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    using abi::FunctionAttribute;
    const auto cramped = bench.module.kernel<>("cramped");
    CHECK(cramped.attribute(FunctionAttribute::max_threads_per_block) == 64);
    CHECK(cramped.attribute(FunctionAttribute::shared_size_bytes) == 0);
    CHECK(cramped.attribute(FunctionAttribute::ptx_version) == 75);
    const auto capability = bench.context.device().compute_capability();
    CHECK(cramped.attribute(FunctionAttribute::binary_version) == capability.major * 10 + capability.minor);
    CHECK(cramped.attribute(FunctionAttribute::cluster_size_must_be_set) == 0);
    CHECK(cramped.attribute(FunctionAttribute::required_cluster_width) == 0);
    cramped.set_attribute(FunctionAttribute::preferred_shared_memory_carveout, 50);
    CHECK(cramped.attribute(FunctionAttribute::preferred_shared_memory_carveout) == 50);
    cramped.set_attribute(FunctionAttribute::max_dynamic_shared_size_bytes, 64 * 1024);
    CHECK(cramped.attribute(FunctionAttribute::max_dynamic_shared_size_bytes) == 64 * 1024);
    cramped.set_cache_config(abi::CacheConfig::prefer_shared);
    CHECK(error_of([&] { cramped.set_attribute(FunctionAttribute::register_count, 8); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { cramped.set_attribute(FunctionAttribute::preferred_shared_memory_carveout, 101); }).code() ==
          abi::Status::invalid_value);
    CHECK(error_of([&] { cramped.attribute(static_cast<FunctionAttribute>(999)); }).code() == abi::Status::invalid_value);
    CHECK(cramped.module_handle() == bench.module.handle());
}

TEST_CASE("how many fit is told", "[launches]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const auto nothing = bench.module.kernel<>("nothing");
    const Device& device = bench.context.device();
    const int threads = device.attribute(abi::DeviceAttribute::max_threads_per_multiprocessor);
    CHECK(nothing.max_active_blocks(1024) == threads / 1024);
    const BlockSize size = nothing.potential_block_size();
    CHECK(size.block == 1024);
    CHECK(size.min_grid == device.multiprocessor_count() * (threads / 1024));
    CHECK(nothing.potential_block_size(0, 256).block == 256);
    CHECK(bench.module.kernel<>("cramped").potential_block_size().block == 64);
    const std::size_t alone = nothing.available_dynamic_shared_bytes(1, 128);
    const std::size_t shared = nothing.available_dynamic_shared_bytes(16, 128);
    CHECK(alone == 49152);
    CHECK(alone > shared);
    CHECK(shared > 0);
    CHECK(error_of([&] { nothing.available_dynamic_shared_bytes(64, 1024); }).code() == abi::Status::invalid_value);
}
