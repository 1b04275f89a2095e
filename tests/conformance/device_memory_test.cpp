// Plain and stream-ordered buffers, and what their misuse is answered.
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

DeviceContext plain_context() { return DeviceContext::in(gpus()[0]).with_memory_pool({}); }

std::vector<std::uint32_t> counted(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
}

}  // namespace

TEST_CASE("what is written to a buffer is read from it, plain or of the device's pool", "[memory]") {
    CUPOOL_NEEDS_GPUS(1);
    for (const DeviceContext& context : {plain_context(), DeviceContext::in(gpus()[0])}) {
        const std::vector<std::uint32_t> numbers = counted(1000);
        DeviceBuffer<std::uint32_t> first(numbers.size(), context);
        DeviceBuffer<std::uint32_t> second(numbers.size(), context);
        std::vector<std::uint32_t> read(numbers.size());
        copy<std::uint32_t>(first.span(), numbers, context.stream());
        copy<std::uint32_t>(second.span(), first.span(), context.stream());
        copy<std::uint32_t>(read, second.span(), context.stream());
        CHECK(read == numbers);
    }
}

TEST_CASE("fills set elements of 1, 2 and 4 bytes", "[memory]") {
    CUPOOL_NEEDS_GPUS(1);
    const DeviceContext context = plain_context();
    const StreamView stream = context.stream();
    DeviceBuffer<std::uint32_t> words(4, context);
    std::vector<std::uint32_t> read(4);
    fill(words.span(), 0x01020304U, stream);
    const DeviceSpan<std::uint16_t> halves(words.span().pointer() + 4, 2, words.device());
    const DeviceSpan<std::uint8_t> bytes(words.span().pointer() + 8, 1, words.device());
    fill(halves, std::uint16_t{0xabcd}, stream);
    fill(bytes, std::uint8_t{0xff}, stream);
    copy<std::uint32_t>(read, words.span(), stream);
    CHECK(read == std::vector<std::uint32_t>{0x01020304, 0xabcdabcd, 0x010203ff, 0x01020304});
    fill(DeviceSpan<float>(words.span().pointer(), 1, words.device()), 1.0F, stream);
    copy<std::uint32_t>(read, words.span(), stream);
    CHECK(read[0] == 0x3f800000);
}

TEST_CASE("copies by address alone find out what lies there", "[memory]") {
    CUPOOL_NEEDS_GPUS(1);
    const DeviceContext context = plain_context();
    DeviceBuffer<std::uint32_t> buffer(4, context);
    const std::vector<std::uint32_t> numbers = counted(4);
    std::vector<std::uint32_t> read(4);
    copy_bytes(buffer.span().pointer(), reinterpret_cast<abi::DevicePointer>(numbers.data()), 16, context.stream());
    copy_bytes(reinterpret_cast<abi::DevicePointer>(read.data()), buffer.span().pointer(), 16, context.stream());
    CHECK(read == numbers);
    const CurrentContext current(gpus()[0]);
    read.assign(4, 0);
    CHECK(raw().copy_unified(reinterpret_cast<abi::DevicePointer>(read.data()), buffer.span().pointer(), 16) == Answer::success);
    CHECK(read == numbers);
    CHECK(raw().copy_unified(0, 0, 0) == Answer::success);
}

TEST_CASE("sizes that cannot be counted are refused before the driver is asked", "[memory]") {
    CUPOOL_NEEDS_GPUS(1);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const Error error = error_of([] { DeviceBuffer<std::uint64_t>(most / 4, plain_context()); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK_FALSE(error.code().has_value());
}

TEST_CASE("memory that is not there is out of memory, and says how much was asked for", "[memory]") {
    CUPOOL_NEEDS_GPUS(1);
    constexpr std::size_t tebibyte = std::size_t{1} << 40;
    for (const DeviceContext& context : {plain_context(), DeviceContext::in(gpus()[0])}) {
        const auto result = DeviceBuffer<std::byte>::try_allocate(tebibyte, context);
        REQUIRE_FALSE(result.has_value());
        CHECK(result.error().category() == ErrorCategory::out_of_memory);
        CHECK(result.error().message().find("1099511627776") != std::string::npos);
    }
}

TEST_CASE("no elements make no allocation", "[memory]") {
    CUPOOL_NEEDS_GPUS(1);
    const DeviceBuffer<int> empty(0, plain_context());
    CHECK(empty.empty());
    CHECK(empty.span().pointer() == 0);
}

TEST_CASE("plain memory: misuse and its answers", "[memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    abi::DevicePointer pointer = 0;
    CHECK(raw().memory_allocate(&pointer, 0) == Answer::invalid_value);
    CHECK(raw().memory_allocate(nullptr, 16) == Answer::invalid_value);
    REQUIRE(raw().memory_allocate(&pointer, 3 * mib) == Answer::success);
    CHECK(raw().memory_free(pointer + 256) == Answer::invalid_value);
    CHECK(raw().set_words(pointer + 2, 1, 1) == Answer::invalid_value);
    CHECK(raw().set_halfwords(pointer + 1, 1, 1) == Answer::invalid_value);
    CHECK(raw().set_bytes(pointer, 1, 64 * mib) == Answer::invalid_value);
    CHECK(raw().set_bytes(0x1234, 1, 4) == Answer::invalid_value);
    CHECK(raw().set_halfwords(pointer, 1, 8) == Answer::success);
    int value = 0;
    CHECK(raw().copy_host_to_device(pointer + 3 * mib - 2, &value, 4) == Answer::invalid_value);
    CHECK(raw().memory_free(pointer) == Answer::success);
    CHECK(raw().memory_free(pointer) == Answer::invalid_value);
    CHECK(raw().copy_device_to_host(&value, pointer, 4) == Answer::invalid_value);
    CHECK(raw().set_bytes(pointer, 1, 4) == Answer::invalid_value);
    CHECK(raw().memory_free(0) == Answer::success);
}

TEST_CASE("stream-ordered memory: misuse and its answers", "[memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    abi::DevicePointer pointer = 0;
    REQUIRE(raw().memory_allocate_async(&pointer, 1000, nullptr) == Answer::success);
    CHECK(raw().memory_free_async(pointer + 8, nullptr) == Answer::invalid_value);
    CHECK(raw().memory_free_async(pointer, nullptr) == Answer::success);
    CHECK(raw().memory_free_async(pointer, nullptr) == Answer::invalid_value);
    CHECK(raw().set_bytes_async(pointer, 1, 16, nullptr) == Answer::invalid_value);
    CHECK(raw().context_synchronize() == Answer::success);
}

TEST_CASE("a call that needs a context and finds none says so", "[memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    abi::Context before{};
    REQUIRE(raw().context_get_current(&before) == Answer::success);
    REQUIRE(raw().context_set_current(nullptr) == Answer::success);
    abi::DevicePointer pointer = 0;
    CHECK(raw().memory_allocate(&pointer, 16) == Answer::invalid_context);
    CHECK(raw().memory_allocate_managed(&pointer, 16, 1) == Answer::invalid_context);
    std::size_t pitch = 0;
    CHECK(raw().memory_allocate_pitch(&pointer, &pitch, 16, 16, 4) == Answer::invalid_context);
    CHECK(raw().memory_get_address_range(nullptr, nullptr, 16) == Answer::success);  // asked for nothing
    CHECK(raw().set_bytes(16, 1, 16) == Answer::invalid_context);
    CHECK(raw().context_set_current(before) == Answer::success);
}

TEST_CASE("a buffer leaves the thread's current context as it was", "[memory]") {
    CUPOOL_NEEDS_GPUS(1);
    abi::Context before{};
    abi::Context after{};
    raw().context_get_current(&before);
    {
        DeviceBuffer<int> buffer(10, plain_context());
        fill(buffer.span(), 1, buffer.stream());
    }
    raw().context_get_current(&after);
    CHECK(before == after);
}

TEST_CASE("a span of one device is not for the stream of another", "[memory][misuse]") {
    CUPOOL_NEEDS_GPUS(2);
    DeviceBuffer<int> buffer(10, plain_context());
    const StreamView foreign(gpus()[1]);
    std::vector<int> host(10);
    for (const Error& error :
         {error_of([&] { fill(buffer.span(), 1, foreign); }), error_of([&] { copy<int>(host, buffer.span(), foreign); }),
          error_of([&] { copy<int>(buffer.span(), buffer.span(), foreign); })}) {
        CHECK(error.category() == ErrorCategory::wrong_context);
        CHECK(error.device() == 1);
    }
}
