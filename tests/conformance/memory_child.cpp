// Another process, for what must be two, and for what poisons one. Exits with 0 where all went well.
//
// Opens what it is told of, finds 5 there and leaves 6:
//
//   cupool_conformance_memory_child memory MEMORY_HANDLE EVENT_HANDLE
//   cupool_conformance_memory_child pool POINTER      (the pool's descriptor is number 3)
//   cupool_conformance_memory_child physical BYTES    (the memory's descriptor is number 3)
//
// Lets a kernel store where it must not, and expects that to be an illegal address from then on:
//
//   cupool_conformance_memory_child store freed|peer|pool of peer|mapped
#include <cstdio>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/ipc.hpp>
#include <cupool/driver/memory_pool.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/virtual_memory.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "memory_child.hpp"

using namespace cupool;

namespace {

template <class Bytes>
Bytes from_hex(const std::string& text) {
    Bytes bytes{};
    if (text.size() != 2 * sizeof(bytes)) throw std::invalid_argument("not as many hexadecimal digits as there should be");
    unsigned char raw_bytes[sizeof(bytes)];
    for (std::size_t i = 0; i < sizeof(bytes); ++i) {
        raw_bytes[i] = static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
    }
    std::memcpy(&bytes, raw_bytes, sizeof(bytes));
    return bytes;
}

/// Finds 5 in each element, and leaves 6.
void replace(DeviceSpan<std::uint32_t> span, StreamView stream) {
    std::vector<std::uint32_t> read(span.size());
    copy<std::uint32_t>(read, span, stream);
    if (read != std::vector<std::uint32_t>(span.size(), 5)) throw std::runtime_error("the memory does not hold what it should");
    fill(span, 6U, stream);
}

constexpr int descriptor = 3;

constexpr char store_text[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry store(.param .u64 pointer)
{
    .reg .b32 %value;
    .reg .b64 %address;
    ld.param.u64 %address, [pointer];
    cvta.to.global.u64 %address, %address;
    mov.u32 %value, 1;
    st.global.u32 [%address], %value;
    ret;
}
)";

void expect_illegal_address(const std::function<void()>& function) {
    try {
        function();
    } catch (const Error& error) {
        if (error.category() == ErrorCategory::device_fault && error.code() == abi::Status::illegal_address) return;
        throw;
    }
    throw std::runtime_error("nothing failed");
}

void store_at(abi::DevicePointer pointer, StreamView stream) {
    const Module module(stream.context(), store_text);
    module.kernel<abi::DevicePointer>("store").launch({1, 1}, stream, pointer);
    expect_illegal_address([&] { stream.synchronize(); });
    expect_illegal_address([&] { DeviceBuffer<int>(1, DeviceContext::in(stream.context()).with_memory_pool({})); });
}

void store_where_it_must_not(const std::string& kind, StreamView stream) {
    if (kind == "freed") {
        abi::DevicePointer pointer = 0;
        {
            const DeviceBuffer<int> buffer(std::size_t{1} << 20, DeviceContext::in(stream.context()).with_memory_pool({}));
            pointer = buffer.span().pointer();
        }
        return store_at(pointer, stream);
    }
    if (kind == "mapped") {
        const std::size_t unit = allocation_granularity(stream.context());
        const AddressRange range(stream.context(), unit);
        const MemoryMapping mapping(range, 0, PhysicalMemory(stream.context(), unit));
        return store_at(mapping.pointer(), stream);
    }
    const PrimaryContext peer = PrimaryContext::retain(device(1));
    const DeviceContext there = DeviceContext::in(peer);
    if (kind == "peer") {
        const DeviceBuffer<int> buffer(1, there.with_memory_pool({}));
        return store_at(buffer.span().pointer(), stream);
    }
    stream.context().enable_peer_access(peer);  // of no use to memory of pools
    const DeviceBuffer<int> buffer(1, there);
    there.stream().synchronize();
    store_at(buffer.span().pointer(), stream);
}

void run(const std::vector<std::string>& arguments) {
    const PrimaryContext context = PrimaryContext::retain(device(0));
    const StreamView stream(context);
    if (arguments.at(0) == "store") {
        store_where_it_must_not(arguments.at(1), stream);
    } else if (arguments.at(0) == "memory") {
        Event event = Event::open(context, from_hex<abi::IpcEventHandle>(arguments.at(2)));
        stream.wait(event);
        const IpcMemory memory(context, from_hex<abi::IpcMemoryHandle>(arguments.at(1)));
        replace(memory.span<std::uint32_t>(1024), stream);
        event.record(stream);
        event.synchronize();
    } else if (arguments.at(0) == "physical") {
        const std::size_t bytes = std::stoull(arguments.at(1));
        const AddressRange range(context, bytes);
        const MemoryMapping mapping(range, 0, PhysicalMemory::import_file_descriptor(context, descriptor, bytes));
        mapping.allow_access(stream.ordinal());
        replace(mapping.span<std::uint32_t>(), stream);
    } else {
        const MemoryPool pool = MemoryPool::import_file_descriptor(context, descriptor);
        const ImportedMemory memory(pool, from_hex<abi::MemoryPoolPointerExport>(arguments.at(1)), stream);
        replace(memory.span<std::uint32_t>(1024), stream);
    }
}

}  // namespace

int main(int count, char** words) {
    try {
        run({words + 1, words + count});
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return error.category() == ErrorCategory::unsupported ? test::memory_child_unsupported : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
