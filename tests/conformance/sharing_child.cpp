// The other process of sharing_test.cpp: opens what it is told of, finds 5 there and leaves 6.
//
//   cupool_conformance_sharing_child memory MEMORY_HANDLE EVENT_HANDLE
//   cupool_conformance_sharing_child pool POINTER      (the pool's descriptor is number 3)
//
// Exits with 0 where all went well.
#include <cstdio>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/ipc.hpp>
#include <cupool/driver/memory_pool.hpp>
#include <stdexcept>
#include <string>
#include <vector>

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

void run(const std::vector<std::string>& arguments) {
    const PrimaryContext context = PrimaryContext::retain(device(0));
    const StreamView stream(context);
    if (arguments.at(0) == "memory") {
        Event event = Event::open(context, from_hex<abi::IpcEventHandle>(arguments.at(2)));
        stream.wait(event);
        const IpcMemory memory(context, from_hex<abi::IpcMemoryHandle>(arguments.at(1)));
        replace(memory.span<std::uint32_t>(1024), stream);
        event.record(stream);
        event.synchronize();
    } else {
        constexpr int descriptor = 3;
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
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
