#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/managed_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/driver/pointer_info.hpp>
#include <sstream>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("plain device memory tells all that it is", "[pointers]") {
    CUPOOL_NEEDS_GPUS(1);
    const DeviceBuffer<std::byte> buffer(1000, DeviceContext::in(gpus()[0]).with_memory_pool({}));
    const abi::DevicePointer pointer = buffer.span().pointer();
    const PointerInfo info = pointer_info(gpus()[0], pointer + 8);
    CHECK(info.kind == MemoryKind::device);
    CHECK(info.device == gpus()[0].ordinal());
    CHECK(info.start == pointer);
    CHECK(info.size_bytes == 1000);
    CHECK(info.device_pointer == pointer + 8);
    CHECK(info.host_pointer == nullptr);
    CHECK(info.context == gpus()[0].handle());
    CHECK(info.pool == nullptr);
}

TEST_CASE("memory of a pool names it", "[pointers]") {
    CUPOOL_NEEDS_GPUS(1);
    const DeviceContext context = DeviceContext::in(gpus()[0]);
    const DeviceBuffer<std::byte> buffer(1000, context);
    const PointerInfo info = pointer_info(gpus()[0], buffer.span().pointer());
    CHECK(info.kind == MemoryKind::device);
    CHECK(info.pool == context.memory_pool().handle());
    CHECK(info.context == nullptr);
    CHECK(info.size_bytes == 1000);
}

TEST_CASE("host memory is known once it is page-locked", "[pointers]") {
    CUPOOL_NEEDS_GPUS(1);
    PinnedBuffer<char> pinned(100, gpus()[0]);
    const PointerInfo info = pointer_info(gpus()[0], pinned.data() + 4);
    CHECK(info.kind == MemoryKind::host);
    CHECK(info.host_pointer == pinned.data() + 4);
    CHECK(info.device_pointer == reinterpret_cast<abi::DevicePointer>(pinned.data() + 4));
    const int own = 0;
    CHECK(pointer_info(gpus()[0], &own).kind == MemoryKind::unregistered);
    CHECK(pointer_info(gpus()[0], nullptr).kind == MemoryKind::unregistered);
}

TEST_CASE("managed memory says so", "[pointers]") {
    CUPOOL_NEEDS_GPUS(1);
    ManagedBuffer<char> array(100, gpus()[0]);
    const PointerInfo info = pointer_info(gpus()[0], array.data() + 4);
    CHECK(info.kind == MemoryKind::managed);
    CHECK(info.host_pointer == array.data() + 4);
    CHECK(info.device_pointer == reinterpret_cast<abi::DevicePointer>(array.data() + 4));
    std::ostringstream text;
    text << info.kind;
    CHECK(text.str() == "managed");
}

TEST_CASE("freed memory is not known any more", "[pointers]") {
    CUPOOL_NEEDS_GPUS(1);
    abi::DevicePointer pointer = 0;
    {
        const DeviceBuffer<std::byte> buffer(1000, DeviceContext::in(gpus()[0]).with_memory_pool({}));
        pointer = buffer.span().pointer();
    }
    CHECK(pointer_info(gpus()[0], pointer).kind == MemoryKind::unregistered);
}

TEST_CASE("memory of another device is told from any context", "[pointers]") {
    CUPOOL_NEEDS_GPUS(2);
    const DeviceBuffer<std::byte> buffer(1000, DeviceContext::in(gpus()[1]).with_memory_pool({}));
    const PointerInfo info = pointer_info(gpus()[0], buffer.span().pointer());
    CHECK(info.device == gpus()[1].ordinal());
    CHECK(info.context == gpus()[1].handle());
}

TEST_CASE("address ranges and attributes: misuse and its answers", "[pointers][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    const DeviceBuffer<std::byte> buffer(1000, DeviceContext::in(gpus()[0]).with_memory_pool({}));
    const abi::DevicePointer pointer = buffer.span().pointer();
    abi::DevicePointer start = 0;
    std::size_t bytes = 0;
    CHECK(raw().memory_get_address_range(&start, &bytes, pointer + 999) == Answer::success);
    CHECK(start == pointer);
    CHECK(bytes == 1000);
    CHECK(raw().memory_get_address_range(nullptr, nullptr, pointer) == Answer::success);
    CHECK(raw().memory_get_address_range(&start, &bytes, 0x1234) == Answer::not_found);
    int value = 0;
    void* values[] = {&value};
    abi::PointerAttribute attribute{999};
    CHECK(raw().pointer_get_attributes(1, &attribute, values, pointer) == Answer::invalid_value);
    attribute = abi::PointerAttribute::device_ordinal;
    CHECK(raw().pointer_get_attributes(0, &attribute, values, pointer) == Answer::invalid_value);
    void* host = nullptr;
    CHECK(raw().pointer_get_attribute(&host, abi::PointerAttribute::host_pointer, pointer) == Answer::invalid_value);
}
