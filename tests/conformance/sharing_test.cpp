// Memory and events between processes: this one and cupool_conformance_memory_child.
#include <unistd.h>

#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/ipc.hpp>
#include <cupool/driver/memory_pool.hpp>
#include <cupool/driver/virtual_memory.hpp>
#include <string>
#include <vector>

#include "memory_child.hpp"
#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

template <class Bytes>
std::string hex(const Bytes& bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    unsigned char raw_bytes[sizeof(bytes)];
    std::memcpy(raw_bytes, &bytes, sizeof(bytes));
    for (const unsigned char byte : raw_bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::uint32_t first_of(DeviceSpan<const std::uint32_t> span, StreamView stream) {
    std::vector<std::uint32_t> read(1);
    copy<const std::uint32_t>(read, span.subspan(0, 1), stream);
    return read[0];
}

}  // namespace

TEST_CASE("another process writes to this one's memory, and records its event", "[sharing]") {
    CUPOOL_NEEDS_GPUS(1);
    const DeviceContext context = DeviceContext::in(gpus()[0]).with_memory_pool({});
    DeviceBuffer<std::uint32_t> buffer(1024, context);
    fill(buffer.span(), 5U, context.stream());
    Event event(gpus()[0], {.interprocess = true});
    event.record(context.stream());
    abi::IpcMemoryHandle memory{};
    if (is_unsupported([&] { memory = ipc_handle(gpus()[0], buffer.span().pointer()); })) {
        CUPOOL_SKIP("skipped: this driver does not share memory between processes");
    }
    CHECK(run_memory_child({"memory", hex(memory), hex(ipc_handle(event))}) == 0);
    event.synchronize();
    CHECK(first_of(buffer.span(), context.stream()) == 6);
}

TEST_CASE("another process opens memory of a pool", "[sharing]") {
    CUPOOL_NEEDS_GPUS(1);
    std::optional<MemoryPool> pool;
    if (is_unsupported([&] { pool.emplace(gpus()[0], MemoryPoolOptions{.is_shareable = true}); })) {
        CUPOOL_SKIP("skipped: this driver does not share pools between processes");
    }
    const DeviceContext context = DeviceContext::in(gpus()[0]).with_memory_pool(*pool);
    DeviceBuffer<std::uint32_t> buffer(1024, context);
    fill(buffer.span(), 5U, context.stream());
    const int descriptor = pool->view().export_file_descriptor();
    CHECK(descriptor >= 0);
    CHECK(run_memory_child({"pool", hex(export_pointer(gpus()[0], buffer.span().pointer()))}, descriptor) == 0);
    ::close(descriptor);
    CHECK(first_of(buffer.span(), context.stream()) == 6);
}

TEST_CASE("another process maps physical memory", "[sharing]") {
    CUPOOL_NEEDS_GPUS(1);
    const ContextView gpu = gpus()[0];
    const StreamView stream(gpu);
    const std::size_t unit = allocation_granularity(gpu);
    const AddressRange range(gpu, unit);
    const PhysicalMemory memory(gpu, unit, {.is_shareable = true});
    const MemoryMapping mapping(range, 0, memory);
    mapping.allow_access(gpu.ordinal());
    fill(mapping.span<std::uint32_t>(), 5U, stream);
    const int descriptor = memory.export_file_descriptor();
    const int answer = run_memory_child({"physical", std::to_string(unit)}, descriptor);
    ::close(descriptor);
    if (answer == memory_child_unsupported) {
        CUPOOL_SKIP("skipped: this driver does not share memory between processes");
    }
    CHECK(answer == 0);
    CHECK(first_of(mapping.span<const std::uint32_t>(), stream) == 6);
}

TEST_CASE("sharing: misuse and its answers", "[sharing][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const DeviceContext context = DeviceContext::in(gpus()[0]).with_memory_pool({});
    const DeviceBuffer<std::uint32_t> buffer(1024, context);
    abi::IpcMemoryHandle handle{};
    if (is_unsupported([&] { handle = ipc_handle(gpus()[0], buffer.span().pointer()); })) {
        CUPOOL_SKIP("skipped: this driver does not share memory between processes");
    }
    CHECK(error_of([&] { IpcMemory(gpus()[0], handle); }).category() == ErrorCategory::wrong_context);
    CHECK(error_of([] { static_cast<void>(ipc_handle(gpus()[0], 0x1234)); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([] { static_cast<void>(ipc_handle(Event(gpus()[0]))); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("an event for other processes has no timing", "[sharing][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    CHECK(error_of([] { Event(gpus()[0], {.timing = true, .interprocess = true}); }).category() == ErrorCategory::invalid_argument);
}
