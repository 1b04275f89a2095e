#include <unistd.h>

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/virtual_memory.hpp>
#include <vector>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("an array grows in place: what was there stays there", "[virtual memory]") {
    CUPOOL_NEEDS_GPUS(1);
    const ContextView gpu = gpus()[0];
    const StreamView stream(gpu);
    const std::size_t unit = allocation_granularity(gpu);
    CHECK(unit > 0);
    CHECK(allocation_granularity(gpu, abi::AllocationGranularity::recommended) % unit == 0);
    const AddressRange range(gpu, 4 * unit);
    CHECK(range.size_bytes() == 4 * unit);
    const MemoryMapping first(range, 0, PhysicalMemory(gpu, unit));
    CHECK(first.access(gpu.ordinal()) == abi::MemoryAccess::none);
    first.allow_access(gpu.ordinal());
    CHECK(first.access(gpu.ordinal()) == abi::MemoryAccess::read_write);
    fill(first.span<std::uint32_t>(), 7U, stream);
    const MemoryMapping second(range, unit, PhysicalMemory(gpu, unit));
    second.allow_access(gpu.ordinal());
    CHECK(second.pointer() == first.pointer() + unit);
    fill(second.span<std::uint32_t>(), 8U, stream);
    std::vector<std::uint32_t> read(1);
    copy<std::uint32_t>(read, first.span<std::uint32_t>().subspan(unit / 4 - 1, 1), stream);
    CHECK(read[0] == 7);
    copy<std::uint32_t>(read, second.span<std::uint32_t>().subspan(0, 1), stream);
    CHECK(read[0] == 8);
}

TEST_CASE("one memory is mapped at two places", "[virtual memory]") {
    CUPOOL_NEEDS_GPUS(1);
    const ContextView gpu = gpus()[0];
    const StreamView stream(gpu);
    const std::size_t unit = allocation_granularity(gpu);
    const AddressRange range(gpu, 2 * unit);
    const PhysicalMemory memory(gpu, unit);
    const MemoryMapping first(range, 0, memory);
    first.allow_access(gpu.ordinal());
    fill(first.span<std::uint32_t>(), 7U, stream);
    const MemoryMapping second(range, unit, memory);
    second.allow_access(gpu.ordinal());
    std::vector<std::uint32_t> read(1);
    copy<std::uint32_t>(read, second.span<std::uint32_t>().subspan(5, 1), stream);
    CHECK(read[0] == 7);
}

TEST_CASE("mapped memory counts as the device's, until nothing holds it", "[virtual memory]") {
    CUPOOL_NEEDS_GPUS(1);
    const ContextView gpu = gpus()[0];
    const std::size_t bytes = 64 * allocation_granularity(gpu);
    const std::size_t before = gpu.memory_info().free;
    {
        const AddressRange range(gpu, bytes);
        std::optional<MemoryMapping> mapping;
        {
            const PhysicalMemory memory(gpu, bytes);
            mapping.emplace(range, 0, memory);
        }
        CHECK(gpu.memory_info().free <= before - bytes);
    }
    CHECK(gpu.memory_info().free >= before - bytes / 2);
}

TEST_CASE("shareable memory is imported by its file descriptor, and lives until all have given it back", "[virtual memory]") {
    CUPOOL_NEEDS_GPUS(1);
    const ContextView gpu = gpus()[0];
    const StreamView stream(gpu);
    const std::size_t unit = allocation_granularity(gpu);
    const AddressRange range(gpu, 2 * unit);
    std::optional<PhysicalMemory> exported(std::in_place, gpu, unit, PhysicalMemoryOptions{.is_shareable = true});
    const MemoryMapping first(range, 0, *exported);
    first.allow_access(gpu.ordinal());
    fill(first.span<std::uint32_t>(), 7U, stream);
    const int descriptor = exported->export_file_descriptor();
    REQUIRE(descriptor >= 0);
    const PhysicalMemory imported = PhysicalMemory::import_file_descriptor(gpu, descriptor, unit);
    ::close(descriptor);
    exported.reset();
    CHECK(imported.device() == gpu.ordinal());
    CHECK(imported.size_bytes() == unit);
    const MemoryMapping second(range, unit, imported);
    second.allow_access(gpu.ordinal());
    std::vector<std::uint32_t> read(1);
    copy<std::uint32_t>(read, second.span<std::uint32_t>().subspan(9, 1), stream);
    CHECK(read[0] == 7);
}

TEST_CASE("memory that is not shareable is not exported, and what is no memory not imported", "[virtual memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const ContextView gpu = gpus()[0];
    const std::size_t unit = allocation_granularity(gpu);
    const PhysicalMemory memory(gpu, unit);
    CHECK(error_of([&] { static_cast<void>(memory.export_file_descriptor()); }).category() == ErrorCategory::invalid_argument);
    CHECK_THROWS_AS(PhysicalMemory::import_file_descriptor(gpu, -1, unit), Error);
    abi::PhysicalMemoryProperties properties{};
    const PhysicalMemory shareable(gpu, unit, {.is_shareable = true});
    REQUIRE(raw().memory_get_properties(&properties, shareable.handle()) == Answer::success);
    CHECK(properties.location.id == gpu.ordinal());
    CHECK(properties.requested_handle_types == abi::MemoryHandleType::posix_file_descriptor);
    CHECK(raw().memory_get_properties(nullptr, shareable.handle()) == Answer::invalid_value);
}

TEST_CASE("memory of one device is not imported for another", "[virtual memory][misuse]") {
    CUPOOL_NEEDS_GPUS(2);
    const std::size_t unit = allocation_granularity(gpus()[0]);
    const PhysicalMemory memory(gpus()[0], unit, {.is_shareable = true});
    const int descriptor = memory.export_file_descriptor();
    const Error error = error_of([&] { PhysicalMemory::import_file_descriptor(gpus()[1], descriptor, unit); });
    ::close(descriptor);
    CHECK(error.category() == ErrorCategory::wrong_context);
    CHECK(error.message().find("device " + std::to_string(gpus()[0].ordinal())) != std::string::npos);
    CHECK(error.message().find("device " + std::to_string(gpus()[1].ordinal())) != std::string::npos);
}

TEST_CASE("a peer may use mapped memory once it is allowed to", "[virtual memory]") {
    CUPOOL_NEEDS_GPUS(2);
    if (!gpus()[1].device().can_access_peer(gpus()[0].device())) CUPOOL_SKIP("skipped: the devices have no path to each other");
    const std::size_t unit = allocation_granularity(gpus()[0]);
    const AddressRange range(gpus()[0], unit);
    const MemoryMapping mapping(range, 0, PhysicalMemory(gpus()[0], unit));
    const int other = gpus()[1].ordinal();
    mapping.allow_access(gpus()[0].ordinal());
    mapping.allow_access(other);
    const StreamView stream(gpus()[1]);
    fill(DeviceSpan<std::uint32_t>(mapping.pointer(), 4, other), 7U, stream);
    std::vector<std::uint32_t> read(4);
    copy<std::uint32_t>(read, mapping.span<std::uint32_t>().subspan(0, 4), StreamView(gpus()[0]));
    CHECK(read == std::vector<std::uint32_t>(4, 7));
    mapping.allow_access(other, abi::MemoryAccess::none);
    CHECK(mapping.access(other) == abi::MemoryAccess::none);
}

TEST_CASE("sizes that are no multiples, and places that are taken, are refused", "[virtual memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const ContextView gpu = gpus()[0];
    const std::size_t unit = allocation_granularity(gpu);
    const AddressRange range(gpu, 2 * unit);
    const PhysicalMemory memory(gpu, unit);
    const MemoryMapping mapping(range, 0, memory);
    const auto category = [](auto function) { return error_of(function).category(); };
    CHECK(category([&] { PhysicalMemory(gpu, unit / 2); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { AddressRange(gpu, 0); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { AddressRange(gpu, unit, 3); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { MemoryMapping(range, 0, memory); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { MemoryMapping(range, 2 * unit, memory); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { mapping.allow_access(1000); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { PhysicalMemory(gpu, std::size_t{1} << 41); }) == ErrorCategory::out_of_memory);
}

TEST_CASE("virtual memory: misuse and its answers", "[virtual memory][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    const std::size_t unit = allocation_granularity(gpus()[0]);
    abi::DevicePointer pointer = 0;
    abi::MemoryHandle memory = 0;
    abi::PhysicalMemoryProperties properties{};
    CHECK(raw().address_reserve(nullptr, unit, 0, 0, 0) == Answer::invalid_value);
    CHECK(raw().address_reserve(&pointer, unit, 0, 0, 1) == Answer::invalid_value);
    CHECK(raw().memory_create(&memory, unit, &properties, 0) == Answer::invalid_value);
    properties.type = abi::MemoryAllocationType::pinned;
    properties.location = {abi::MemoryLocationType::device, 1000};
    CHECK(raw().memory_create(&memory, unit, &properties, 0) == Answer::invalid_device);
    properties.location.id = gpus()[0].ordinal();
    REQUIRE(raw().address_reserve(&pointer, 2 * unit, 0, 0, 0) == Answer::success);
    REQUIRE(raw().memory_create(&memory, unit, &properties, 0) == Answer::success);
    CHECK(raw().memory_map(0x1234, unit, 0, memory, 0) == Answer::invalid_value);
    CHECK(raw().memory_map(pointer, 2 * unit, 0, memory, 0) == Answer::not_supported);
    CHECK(raw().memory_unmap(pointer, unit) == Answer::success);  // nothing is there
    REQUIRE(raw().memory_map(pointer, unit, 0, memory, 0) == Answer::success);
    CHECK(raw().set_bytes(pointer, 1, 16) == Answer::invalid_value);
    CHECK(raw().memory_free(pointer) == Answer::invalid_value);
    CHECK(raw().address_free(pointer, 2 * unit) == Answer::invalid_value);
    CHECK(raw().memory_unmap(pointer, unit) == Answer::success);
    CHECK(raw().address_free(pointer, unit) == Answer::invalid_value);
    CHECK(raw().address_free(pointer, 2 * unit) == Answer::success);
    CHECK(raw().memory_release(memory) == Answer::success);
}
