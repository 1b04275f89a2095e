#include <cupool/driver/copy.hpp>
#include <cupool/driver/managed_buffer.hpp>
#include <cupool/driver/pointer_info.hpp>
#include <vector>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t count = 64 * 1024;  // 256 KiB: real devices here take a few MiB of managed memory at most

}  // namespace

TEST_CASE("managed memory is one array for the host and every device", "[managed]") {
    CUPOOL_NEEDS_GPUS(1);
    ManagedBuffer<std::uint32_t> array(count, gpus()[0]);
    for (const ContextView gpu : gpus()) {
        const StreamView stream(gpu);
        array[1] = 5;
        fill(array.device_span(gpu.ordinal()).subspan(2, 1), 9U, stream);
        CHECK(array[1] == 5);
        CHECK(array[2] == 9);
    }
}

TEST_CASE("what is advised of managed memory, and where it was prefetched to, can be asked", "[managed]") {
    CUPOOL_NEEDS_GPUS(1);
    const StreamView stream(gpus()[0]);
    ManagedBuffer<std::uint32_t> array(count, gpus()[0]);
    CHECK_FALSE(array.is_read_mostly());
    CHECK_FALSE(array.advised_location().has_value());
    CHECK_FALSE(array.prefetched_location().has_value());
    array.advise_read_mostly();
    CHECK(array.is_read_mostly());
    array.advise_read_mostly(false);
    CHECK_FALSE(array.is_read_mostly());
    array.advise_location(gpus()[0].ordinal());
    CHECK(array.advised_location() == gpus()[0].ordinal());
    array.advise_location(ManagedBuffer<std::uint32_t>::on_host);
    CHECK(array.advised_location() == ManagedBuffer<std::uint32_t>::on_host);
    array.advise_location(std::nullopt);
    CHECK_FALSE(array.advised_location().has_value());
    array.advise_accessed_by(gpus()[0].ordinal());
    array.advise_accessed_by(gpus()[0].ordinal(), false);
    array[7] = 3;
    array.prefetch_async(stream);
    stream.synchronize();
    CHECK(array.prefetched_location() == gpus()[0].ordinal());
    CHECK(array[7] == 3);
    array.prefetch_to_host_async(stream);
    stream.synchronize();
    CHECK(array.prefetched_location() == ManagedBuffer<std::uint32_t>::on_host);
    array.prefetch_async(0, count / 2, stream);
    stream.synchronize();
    CHECK_FALSE(array.prefetched_location().has_value());
    CHECK(array[7] == 3);
}

TEST_CASE("parts of a managed array are prefetched to several devices", "[managed]") {
    CUPOOL_NEEDS_GPUS(2);
    ManagedBuffer<std::uint32_t> array(count, gpus()[0]);
    array[count - 1] = 3;
    array.prefetch_async(0, count / 2, StreamView(gpus()[0]));
    array.prefetch_async(count / 2, count / 2, StreamView(gpus()[1]));
    StreamView(gpus()[0]).synchronize();
    StreamView(gpus()[1]).synchronize();
    CHECK_FALSE(array.prefetched_location().has_value());
    CHECK(array[count - 1] == 3);
}

TEST_CASE("managed memory: misuse and its answers", "[managed][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    abi::DevicePointer pointer = 0;
    CHECK(raw().memory_allocate_managed(&pointer, 0, 1) == Answer::invalid_value);
    CHECK(raw().memory_allocate_managed(nullptr, 16, 1) == Answer::invalid_value);
    CHECK(raw().memory_allocate_managed(&pointer, 16, 0) == Answer::invalid_value);
    REQUIRE(raw().memory_allocate_managed(&pointer, 8192, 1) == Answer::success);
    CHECK(raw().memory_prefetch_async(pointer, 0, 0, nullptr) == Answer::invalid_value);
    CHECK(raw().memory_prefetch_async(pointer, 64 * 1024 * 1024, 0, nullptr) == Answer::invalid_value);
    CHECK(raw().memory_prefetch_async(pointer, 8192, 1000, nullptr) == Answer::invalid_device);
    CHECK(raw().memory_advise(pointer, 8192, static_cast<abi::MemoryAdvice>(99), 0) == Answer::invalid_value);
    CHECK(raw().memory_advise(pointer, 8192, abi::MemoryAdvice::set_preferred_location, 1000) == Answer::invalid_device);
    int value = 0;
    CHECK(raw().memory_range_get_attribute(&value, 3, abi::MemoryRangeAttribute::read_mostly, pointer, 8192) == Answer::invalid_value);
    CHECK(raw().memory_free(pointer + 8) == Answer::invalid_value);
    CHECK(raw().memory_free(pointer) == Answer::success);
    CHECK(raw().memory_free(pointer) == Answer::invalid_value);
    REQUIRE(raw().memory_allocate(&pointer, 8192) == Answer::success);
    CHECK(raw().memory_prefetch_async(pointer, 8192, 0, nullptr) == Answer::invalid_value);
    CHECK(raw().memory_advise(pointer, 8192, abi::MemoryAdvice::set_read_mostly, 0) == Answer::invalid_value);
    CHECK(raw().memory_free(pointer) == Answer::success);
}

TEST_CASE("a part past the end of a managed array is refused", "[managed][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const ManagedBuffer<int> array(10, gpus()[0]);
    CHECK(error_of([&] { array.prefetch_async(5, 6, StreamView(gpus()[0])); }).category() == ErrorCategory::invalid_argument);
}
