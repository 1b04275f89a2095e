#include <cupool/driver/pitched_buffer.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t width = 7;
constexpr std::size_t height = 5;

std::vector<std::uint32_t> counted() {
    std::vector<std::uint32_t> numbers(width * height);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

std::vector<std::uint32_t> read(PitchedSpan<const std::uint32_t> span, StreamView stream) {
    std::vector<std::uint32_t> elements(span.width() * span.height());
    copy_async<const std::uint32_t>(elements, span, stream);
    stream.synchronize();
    return elements;
}

}  // namespace

TEST_CASE("rows go to the device and come back, whole and in rectangles", "[pitched]") {
    CUPOOL_NEEDS_GPUS(1);
    const StreamView stream(gpus()[0]);
    PitchedBuffer<std::uint32_t> buffer(width, height, gpus()[0]);
    PitchedBuffer<std::uint32_t> other(2, 2, gpus()[0]);
    CHECK(buffer.pitch_bytes() >= width * sizeof(std::uint32_t));
    CHECK(buffer.pitch_bytes() % sizeof(std::uint32_t) == 0);
    const std::vector<std::uint32_t> numbers = counted();
    copy_async<std::uint32_t>(buffer.span(), numbers, stream);
    CHECK(read(buffer.span(), stream) == numbers);
    CHECK(read(buffer.span().block(2, 3, 2, 2), stream) == std::vector<std::uint32_t>{23, 24, 30, 31});
    copy_async<std::uint32_t>(other.span(), buffer.span().block(5, 0, 2, 2), stream);
    CHECK(read(other.span(), stream) == std::vector<std::uint32_t>{5, 6, 12, 13});
    fill_async(buffer.span().block(0, 1, 2, 2), 99U, stream);
    CHECK(read(buffer.span().block(0, 0, 3, 3), stream) == std::vector<std::uint32_t>{0, 1, 2, 99, 99, 9, 99, 99, 16});
    std::vector<std::uint32_t> row(width);
    copy<std::uint32_t>(row, buffer.span().row(4), stream);
    CHECK(row.back() == numbers.back());
}

TEST_CASE("rectangles are set in elements of 1 and 2 bytes too", "[pitched]") {
    CUPOOL_NEEDS_GPUS(1);
    const StreamView stream(gpus()[0]);
    PitchedBuffer<std::uint8_t> bytes(width, 2, gpus()[0]);
    PitchedBuffer<std::uint16_t> halves(width, 2, gpus()[0]);
    fill_async(bytes.span(), std::uint8_t{1}, stream);
    fill_async(bytes.span().block(6, 1, 1, 1), std::uint8_t{2}, stream);
    fill_async(halves.span(), std::uint16_t{0x102}, stream);
    std::vector<std::uint8_t> read_bytes(2 * width);
    std::vector<std::uint16_t> read_halves(2 * width);
    copy_async<std::uint8_t>(read_bytes, bytes.span(), stream);
    copy_async<std::uint16_t>(read_halves, halves.span(), stream);
    stream.synchronize();
    CHECK(std::accumulate(read_bytes.begin(), read_bytes.end(), 0) == 2 * width + 1);
    CHECK(read_halves == std::vector<std::uint16_t>(2 * width, 0x102));
}

TEST_CASE("rows of any pitch are copied within a device", "[pitched]") {
    CUPOOL_NEEDS_GPUS(1);
    const StreamView stream(gpus()[0]);
    PitchedBuffer<std::uint32_t> buffer(width, height, gpus()[0]);
    const std::vector<std::uint32_t> numbers = counted();
    copy_async<std::uint32_t>(buffer.span(), numbers, stream);
    stream.synchronize();
    DeviceBuffer<std::uint32_t> tight(width * height, DeviceContext::in(gpus()[0]).with_memory_pool({}));
    const PitchedSpan<std::uint32_t> rows(tight.span().pointer(), width, height, width * sizeof(std::uint32_t), tight.device());
    copy_unaligned<std::uint32_t>(rows, buffer.span(), gpus()[0]);
    CHECK(read(rows, stream) == numbers);
}

TEST_CASE("shapes that do not fit are refused", "[pitched][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const StreamView stream(gpus()[0]);
    PitchedBuffer<std::uint32_t> buffer(width, height, gpus()[0]);
    const std::vector<std::uint32_t> few(3);
    const auto category = [](auto function) { return error_of(function).category(); };
    CHECK(category([&] { copy_async<std::uint32_t>(buffer.span(), few, stream); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { copy_async<std::uint32_t>(buffer.span(), buffer.span().block(0, 0, 1, 1), stream); }) ==
          ErrorCategory::invalid_argument);
    CHECK(category([&] { buffer.span().block(6, 0, 2, 1); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { buffer.span().row(height); }) == ErrorCategory::invalid_argument);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    CHECK(category([&] { PitchedBuffer<int>(most, 2, gpus()[0]); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { PitchedBuffer<int>(1000, most / 1000, gpus()[0]); }) == ErrorCategory::invalid_argument);
    CHECK(PitchedBuffer<int>(0, 5, gpus()[0]).empty());
}

TEST_CASE("pitched memory: misuse and its answers", "[pitched][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    abi::DevicePointer pointer = 0;
    std::size_t pitch = 0;
    CHECK(raw().memory_allocate_pitch(&pointer, &pitch, 16, 16, 5) == Answer::invalid_value);
    CHECK(raw().memory_allocate_pitch(&pointer, &pitch, 0, 16, 4) == Answer::invalid_value);
    CHECK(raw().memory_allocate_pitch(nullptr, &pitch, 16, 16, 4) == Answer::invalid_value);
    REQUIRE(raw().memory_allocate_pitch(&pointer, &pitch, 16, 16, 4) == Answer::success);
    abi::Copy2D copy{};
    std::vector<char> host(16 * 16);
    copy.from = {0, 0, abi::MemoryType::device, nullptr, pointer, nullptr, pitch};
    copy.to = {0, 0, abi::MemoryType::host, host.data(), 0, nullptr, 16};
    copy.width_bytes = 16;
    copy.height = 16;
    CHECK(raw().copy_2d(&copy) == Answer::success);
    CHECK(raw().copy_2d_unaligned(&copy) == Answer::success);
    CHECK(raw().copy_2d(nullptr) == Answer::invalid_value);
    copy.to.pitch_bytes = 8;
    CHECK(raw().copy_2d(&copy) == Answer::invalid_value);
    copy.to.pitch_bytes = 16;
    copy.from.device = 0x1234;
    CHECK(raw().copy_2d(&copy) == Answer::invalid_value);
    CHECK(raw().set_words_2d_async(pointer + 2, pitch, 1, 4, 4, nullptr) == Answer::invalid_value);
    CHECK(raw().set_words_2d_async(pointer, 8, 1, 4, 4, nullptr) == Answer::invalid_value);
    CHECK(raw().set_words_2d_async(pointer, pitch, 1, 0, 0, nullptr) == Answer::success);
    CHECK(raw().memory_free(pointer) == Answer::success);
}
