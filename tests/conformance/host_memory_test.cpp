// Page-locked host memory: allocated, mapped, registered.
#include <cupool/driver/copy.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/driver/registered_host.hpp>
#include <numeric>
#include <vector>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t page = 4096;

/// Memory of the program's own that begins and ends with a page.
class Pages {
public:
    explicit Pages(std::size_t count) : bytes_((count + 1) * page) {}
    std::span<std::uint32_t> words() {
        void* start = bytes_.data();
        std::size_t room = bytes_.size();
        const std::size_t size = bytes_.size() - page;
        return {static_cast<std::uint32_t*>(std::align(page, size, start, room)), size / sizeof(std::uint32_t)};
    }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace

TEST_CASE("pinned memory is copied from and to, written-combined or not", "[host memory]") {
    CUPOOL_NEEDS_GPUS(1);
    const DeviceContext context = DeviceContext::in(gpus()[0]);
    for (const bool is_write_combined : {false, true}) {
        PinnedBuffer<int> pinned(100, gpus()[0], PinnedOptions{is_write_combined});
        DeviceBuffer<int> buffer(100, context);
        std::iota(pinned.span().begin(), pinned.span().end(), 5);
        copy<int>(buffer.span(), pinned.span(), context.stream());
        fill(DeviceSpan<int>(pinned.device_span()), 0, context.stream());
        CHECK(pinned[99] == 0);
        copy<int>(pinned.span(), buffer.span(), context.stream());
        CHECK(pinned[99] == 104);
    }
}

TEST_CASE("pinned memory: misuse and its answers", "[host memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    void* pointer = nullptr;
    CHECK(raw().host_allocate(&pointer, 16, 8) == Answer::invalid_value);
    REQUIRE(raw().host_allocate(&pointer, 100, 0) == Answer::success);
    abi::DevicePointer device_pointer = 0;
    unsigned flags = 99;
    CHECK(raw().host_get_device_pointer(&device_pointer, pointer, 0) == Answer::success);
    CHECK(device_pointer == reinterpret_cast<abi::DevicePointer>(pointer));
    CHECK(raw().host_get_device_pointer(&device_pointer, pointer, 1) == Answer::invalid_value);
    CHECK(raw().host_get_flags(&flags, pointer) == Answer::success);
    CHECK((flags & static_cast<unsigned>(abi::HostAllocationFlags::device_map)) != 0);
    CHECK(raw().host_free(static_cast<char*>(pointer) + 8) == Answer::invalid_value);
    CHECK(raw().host_unregister(pointer) == Answer::invalid_value);
    CHECK(raw().memory_free(reinterpret_cast<abi::DevicePointer>(pointer)) == Answer::invalid_value);
    CHECK(raw().host_free(pointer) == Answer::success);
    CHECK(raw().host_free(pointer) == Answer::invalid_value);
    int own = 0;
    CHECK(raw().host_get_device_pointer(&device_pointer, &own, 0) == Answer::invalid_value);
    CHECK(raw().host_get_flags(&flags, &own) == Answer::invalid_value);
}

TEST_CASE("the program's own memory is registered, used by the device, and its own again", "[host memory]") {
    CUPOOL_NEEDS_GPUS(1);
    Pages pages(2);
    const std::span<std::uint32_t> words = pages.words();
    const StreamView stream(gpus()[0]);
    {
        RegisteredHost<std::uint32_t> registered(words, gpus()[0]);
        CHECK(registered.span().data() == words.data());
        fill_async(registered.device_span(), 7U, stream);
        registered.record_use(stream);
        const Error again = error_of([&] { RegisteredHost<std::uint32_t>(words, gpus()[0]); });
        CHECK(again.code() == Answer::host_memory_already_registered);
        CHECK(again.category() == ErrorCategory::invalid_argument);
    }
    CHECK(std::accumulate(words.begin(), words.end(), std::uint64_t{0}) == 7 * words.size());
    const RegisteredHost<std::uint32_t> anew(words, gpus()[0]);
}

TEST_CASE("registered memory: misuse and its answers", "[host memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    Pages pages(2);
    void* const pointer = pages.words().data();
    CHECK(raw().host_register(nullptr, page, 0) == Answer::invalid_value);
    CHECK(raw().host_register(pointer, 0, 0) == Answer::invalid_value);
    CHECK(raw().host_register(pointer, page, 0x100) == Answer::invalid_value);
    CHECK(raw().host_unregister(pointer) == Answer::host_memory_not_registered);
    REQUIRE(raw().host_register(pointer, page, 1) == Answer::success);
    CHECK(raw().host_register(pointer, 2 * page, 1) == Answer::host_memory_already_registered);
    CHECK(raw().host_free(pointer) == Answer::invalid_value);
    CHECK(raw().host_unregister(pointer) == Answer::success);
    CHECK(raw().host_unregister(pointer) == Answer::host_memory_not_registered);
}

TEST_CASE("an empty span is not registered", "[host memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    CHECK(error_of([] { RegisteredHost<int>(std::span<int>(), gpus()[0]); }).category() == ErrorCategory::invalid_argument);
}
