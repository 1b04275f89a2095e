// Copies of three dimensions.
#include <cupool/driver/stream_capture.hpp>
#include <cupool/driver/volume_span.hpp>
#include <numeric>
#include <vector>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t width = 5;
constexpr std::size_t height = 4;
constexpr std::size_t depth = 3;

std::vector<std::uint32_t> counted() {
    std::vector<std::uint32_t> numbers(width * height * depth);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

std::vector<std::uint32_t> read(VolumeSpan<const std::uint32_t> span, StreamView stream) {
    std::vector<std::uint32_t> elements(span.size());
    copy_async<const std::uint32_t>(elements, span, stream);
    stream.synchronize();
    return elements;
}

/// A volume of the device's memory, its elements counted.
struct Volume {
    explicit Volume(ContextView gpu) : stream(gpu), rows(width, height * depth, gpu), span(rows.span(), height) {
        copy_async<std::uint32_t>(span, numbers, stream);
        stream.synchronize();
    }

    std::vector<std::uint32_t> numbers = counted();
    Stream stream;
    PitchedBuffer<std::uint32_t> rows;
    VolumeSpan<std::uint32_t> span;
};

}  // namespace

TEST_CASE("volumes go to the device and come back, whole and in blocks", "[volumes]") {
    CUPOOL_NEEDS_GPUS(1);
    const Volume volume(gpus()[0]);
    CHECK(read(volume.span, volume.stream) == volume.numbers);
    CHECK(read(volume.span.block(1, 2, 1, 2, 2, 2), volume.stream) == std::vector<std::uint32_t>{31, 32, 36, 37, 51, 52, 56, 57});
    std::vector<std::uint32_t> row(width);
    copy<const std::uint32_t>(row, DeviceSpan<const std::uint32_t>(volume.span.slice(2).row(3)), volume.stream);
    CHECK(row.back() == volume.numbers.back());
}

TEST_CASE("blocks are copied within a device, and nothing around them is touched", "[volumes]") {
    CUPOOL_NEEDS_GPUS(1);
    const Volume volume(gpus()[0]);
    copy_async<std::uint32_t>(volume.span.block(3, 2, 1, 2, 2, 2), volume.span.block(0, 0, 0, 2, 2, 2), volume.stream);
    std::vector<std::uint32_t> expected = volume.numbers;
    for (const std::size_t z : {0, 1}) {
        for (const std::size_t y : {0, 1}) {
            for (const std::size_t x : {0, 1}) {
                expected[((z + 1) * height + y + 2) * width + x + 3] = volume.numbers[(z * height + y) * width + x];
            }
        }
    }
    CHECK(read(volume.span, volume.stream) == expected);
}

TEST_CASE("a captured copy of a volume reads the host's memory when the graph runs", "[volumes]") {
    CUPOOL_NEEDS_GPUS(1);
    Volume volume(gpus()[0]);
    StreamCapture capture(volume.stream);
    copy_async<std::uint32_t>(volume.span, volume.numbers, volume.stream);
    const GraphExec exec = capture.end().instantiate();
    volume.numbers.assign(volume.numbers.size(), 77);
    exec.launch(volume.stream);
    volume.stream.synchronize();
    CHECK(read(volume.span, volume.stream) == volume.numbers);
}

TEST_CASE("volumes are copied between devices", "[volumes]") {
    CUPOOL_NEEDS_GPUS(2);
    const Volume here(gpus()[0]);
    const Volume there(gpus()[1]);
    fill_async(PitchedSpan<std::uint32_t>(there.span.pointer(), width, height * depth, there.span.pitch_bytes(), there.span.device()), 9U,
               there.stream);
    there.stream.synchronize();
    copy_peer_async<std::uint32_t>(there.span.block(1, 1, 1, 3, 2, 2), gpus()[1], here.span.block(0, 0, 0, 3, 2, 2), gpus()[0],
                                   here.stream);
    here.stream.synchronize();
    CHECK(read(there.span.block(1, 1, 1, 3, 2, 2), there.stream) == std::vector<std::uint32_t>{0, 1, 2, 5, 6, 7, 20, 21, 22, 25, 26, 27});
    CHECK(read(there.span.block(0, 0, 0, 5, 4, 1), there.stream) == std::vector<std::uint32_t>(20, 9));
    const Error error = error_of([&] { copy_async<std::uint32_t>(there.span, here.span, here.stream); });
    CHECK(error.category() == ErrorCategory::wrong_context);
    CHECK(error.message().find("device " + std::to_string(there.span.device())) != std::string::npos);
    CHECK(error.message().find("device " + std::to_string(here.span.device())) != std::string::npos);
}

TEST_CASE("volumes that do not fit are refused", "[volumes][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const Volume volume(gpus()[0]);
    const std::vector<std::uint32_t> few(3);
    const auto category = [](auto function) { return error_of(function).category(); };
    CHECK(category([&] { copy_async<std::uint32_t>(volume.span, few, volume.stream); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { copy_async<std::uint32_t>(volume.span, volume.span.block(0, 0, 0, 1, 1, 1), volume.stream); }) ==
          ErrorCategory::invalid_argument);
    CHECK(category([&] { volume.span.block(0, 0, 1, width, height, depth); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { volume.span.slice(depth); }) == ErrorCategory::invalid_argument);
    PitchedBuffer<std::uint32_t> rows(width, 7, gpus()[0]);
    CHECK(category([&] { VolumeSpan<std::uint32_t>(rows.span(), 2); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { VolumeSpan<std::uint32_t>(rows.span(), 0); }) == ErrorCategory::invalid_argument);
    CHECK(VolumeSpan<std::uint32_t>().empty());
}

TEST_CASE("copies of volumes: misuse and its answers", "[volumes][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const Volume volume(gpus()[0]);
    const CurrentContext current(gpus()[0]);
    std::vector<std::uint32_t> host(width * height * depth);
    const abi::Copy3D good = detail::copy_of(detail::side_of(volume.span), detail::side_of(host.data(), volume.span), volume.span);
    const auto answer = [&](auto change) {
        abi::Copy3D copy = good;
        change(copy);
        const Answer given = raw().copy_3d_async(&copy, volume.stream.handle());
        volume.stream.synchronize();
        return given;
    };
    CHECK(answer([](abi::Copy3D&) {}) == Answer::success);
    CHECK(host == volume.numbers);
    CHECK(raw().copy_3d_async(nullptr, volume.stream.handle()) == Answer::invalid_value);
    CHECK(answer([](abi::Copy3D& copy) { copy.target.pitch = 4; }) == Answer::invalid_value);
    CHECK(answer([](abi::Copy3D& copy) { copy.source.height = 2; }) == Answer::invalid_value);
    CHECK(answer([](abi::Copy3D& copy) { copy.source.device = 0x1234; }) == Answer::invalid_value);
    CHECK(answer([](abi::Copy3D& copy) { copy.width_bytes = 0; }) == Answer::success);
}
