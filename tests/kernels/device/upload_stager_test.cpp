#include "transfer/upload_stager.hpp"

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <numeric>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr detail::StagingSizes small_sizes{.chunk_bytes = 64, .chunks_a_thread = 2, .max_threads = 3, .min_bytes = 256};

std::vector<std::byte> counted_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
    return bytes;
}

}  // namespace

TEST_CASE("an upload stager copies host memory of any kind and size") {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    detail::UploadStager stager(context.context(), small_sizes);
    for (const std::size_t count : {1, 255, 256, 257, 64 * 6, 64 * 6 + 1, 5000}) {
        const auto pageable = counted_bytes(count);
        PinnedBuffer<std::byte> pinned(count, context.context());
        std::copy(pageable.begin(), pageable.end(), pinned.data());
        for (const std::span<const std::byte> from : {std::span<const std::byte>(pageable), std::span<const std::byte>(pinned)}) {
            for (const unsigned threads : {1U, 2U, 8U}) {
                DeviceBuffer<std::byte> there(count, context);
                context.stream().synchronize();
                stager.copy(there.span().pointer(), from, threads);
                stager.stream().synchronize();
                std::vector<std::byte> back(count);
                copy(std::span(back), there.span(), context.stream());
                INFO(count << " bytes, " << threads << " threads");
                CHECK(back == pageable);
            }
        }
    }
}

TEST_CASE("an upload stager makes strided host memory contiguous") {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    detail::UploadStager stager(context.context(), small_sizes);
    const auto pageable = counted_bytes(3000);
    PinnedBuffer<std::byte> pinned(pageable.size(), context.context());
    std::copy(pageable.begin(), pageable.end(), pinned.data());
    struct Shape {
        std::size_t run, count, stride;
    };
    // Too few bytes to be staged; runs shorter and longer than a chunk; no gap.
    for (const Shape& shape : {Shape{10, 7, 13}, Shape{30, 90, 33}, Shape{150, 6, 500}, Shape{100, 30, 100}, Shape{1000, 1, 0}}) {
        std::vector<std::byte> expected;
        for (std::size_t i = 0; i < shape.count; ++i) {
            const auto begin = pageable.begin() + static_cast<std::ptrdiff_t>(i * shape.stride);
            expected.insert(expected.end(), begin, begin + static_cast<std::ptrdiff_t>(shape.run));
        }
        for (const std::span<const std::byte> from : {std::span<const std::byte>(pageable), std::span<const std::byte>(pinned)}) {
            DeviceBuffer<std::byte> there(expected.size(), context);
            context.stream().synchronize();
            stager.copy(there.span().pointer(), {from.first(shape.run), shape.count, shape.stride}, 3);
            stager.stream().synchronize();
            std::vector<std::byte> back(expected.size());
            copy(std::span(back), there.span(), context.stream());
            INFO(shape.count << " runs of " << shape.run << " bytes");
            CHECK(back == expected);
        }
    }
}

TEST_CASE("pageable memory has been read when the copy of an upload stager returns") {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    detail::UploadStager stager(context.context(), small_sizes);
    auto bytes = counted_bytes(4096);
    const auto before = bytes;
    DeviceBuffer<std::byte> there(bytes.size(), context);
    context.stream().synchronize();
    stager.copy(there.span().pointer(), std::span<const std::byte>(bytes), 3);
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    stager.stream().synchronize();
    std::vector<std::byte> back(bytes.size());
    copy(std::span(back), there.span(), context.stream());
    CHECK(back == before);
}

TEST_CASE("a rate follows the last copies, by steps") {
    detail::CopyRate rate;
    constexpr std::size_t many = 100'000'000;
    for (const double nanoseconds : {1.0 / 40, 1.0 / 10, 1.0 / 300}) {
        for (int i = 0; i < 30; ++i) {
            const double before = rate.nanoseconds_per_byte();
            rate.learn(many, nanoseconds * many * 1e-6);
            CHECK(rate.nanoseconds_per_byte() / before <= 1.5001);
            CHECK(rate.nanoseconds_per_byte() / before >= 0.7499);
        }
        CHECK(rate.nanoseconds_per_byte() == Approx(nanoseconds).epsilon(1e-4));
    }
    const double known = rate.nanoseconds_per_byte();
    rate.learn(1000, 5);
    CHECK(rate.nanoseconds_per_byte() == known);
    for (int i = 0; i < 30; ++i) rate.learn(many, 0);
    CHECK(rate.nanoseconds_per_byte() > 0);
    for (int i = 0; i < 100; ++i) rate.learn(many, 1e9);
    CHECK(rate.nanoseconds_per_byte() < 100);
}
