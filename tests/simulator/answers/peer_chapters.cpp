// Two devices.
#include <string>

#include "interview.hpp"

using namespace cupool::test;

namespace {

struct Pair {
    explicit Pair(const Interview& ask) : first(ask.begin()), second(ask.primary(1)) {}
    Context first;
    Context second;
};

std::string store_at(Interview& ask, DevicePointer address) {
    const Function store = ask.function(ask.module(kernels_text), "store");
    unsigned value = 7;
    void* parameters[] = {&address, &value};
    const Status launched = ask.cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
    return std::to_string(static_cast<int>(launched)) + " then " + std::to_string(static_cast<int>(ask.cuda.context_synchronize()));
}

}  // namespace

CHAPTER_OF_TWO("peer access") {
    const Library& cuda = ask.cuda;
    const Pair pair(ask);
    int can = -1;
    ask.note("can access", cuda.device_can_access_peer(&can, 0, 1));
    ask.note_number("it can", static_cast<std::uint64_t>(can));
    ask.note("disable before", cuda.context_disable_peer_access(pair.second));
    ask.note("enable flags 1", cuda.context_enable_peer_access(pair.second, 1));
    ask.note("enable", cuda.context_enable_peer_access(pair.second, 0));
    ask.note("enable again", cuda.context_enable_peer_access(pair.second, 0));
    ask.note("enable itself", cuda.context_enable_peer_access(pair.first, 0));
    ask.note("disable", cuda.context_disable_peer_access(pair.second));
    ask.note("disable again", cuda.context_disable_peer_access(pair.second));
    ask.note("enable once more", cuda.context_enable_peer_access(pair.second, 0));
    ask.note("release the peer", cuda.primary_context_release(1));
    const Context anew = ask.primary(1);
    ask.note("enable the peer anew", cuda.context_enable_peer_access(anew, 0));
}

CHAPTER_OF_TWO("copies between devices") {
    const Library& cuda = ask.cuda;
    const Pair pair(ask);
    const DevicePointer here = ask.memory(256);
    const Stream here_stream = ask.stream();
    const Event here_event = ask.event();
    cuda.context_set_current(pair.second);
    const DevicePointer there = ask.memory(256);
    const Stream there_stream = ask.stream();
    const Event there_event = ask.event();
    cuda.context_set_current(pair.first);
    std::uint64_t value = 0x1234;
    ask.note("copy in to the other", cuda.copy_host_to_device(there, &value, 8));
    ask.note("copy within", cuda.copy_device_to_device(here, there, 8));
    ask.note("copy within async", cuda.copy_device_to_device_async(here, there, 8, here_stream));
    ask.note("copy within async on the other's stream", cuda.copy_device_to_device_async(here, there, 8, there_stream));
    value = 0;
    ask.note("copy out of here", cuda.copy_device_to_host(&value, here, 8));
    ask.note_number("arrived", value);
    ask.note("copy out of the other", cuda.copy_device_to_host(&value, there, 8));
    ask.note("copy in async to the other", cuda.copy_host_to_device_async(there, &value, 8, here_stream));
    ask.note("set the other", cuda.set_bytes_async(there, 1, 8, here_stream));
    ask.note("set the other on its stream", cuda.set_bytes_async(there, 1, 8, there_stream));
    ask.note("set here on the other's stream", cuda.set_bytes_async(here, 1, 8, there_stream));
    ask.note("peer copy", cuda.copy_peer_async(here, pair.first, there, pair.second, 8, here_stream));
    ask.note("peer copy on the other's stream", cuda.copy_peer_async(here, pair.first, there, pair.second, 8, there_stream));
    ask.note("peer copy, contexts swapped", cuda.copy_peer_async(here, pair.second, there, pair.first, 8, here_stream));
    ask.note("peer copy, null context", cuda.copy_peer_async(here, nullptr, there, pair.second, 8, here_stream));
    ask.note("peer copy, past the end", cuda.copy_peer_async(here, pair.first, there + 252, pair.second, 64 << 20, here_stream));
    ask.note("peer copy of nothing", cuda.copy_peer_async(here, pair.first, there, pair.second, 0, here_stream));
    ask.note("record here's event there", cuda.event_record(here_event, there_stream));
    ask.note("record there's event there", cuda.event_record(there_event, there_stream));
    ask.note("record here's event here", cuda.event_record(here_event, here_stream));
    ask.note("wait here for there", cuda.stream_wait_event(here_stream, there_event, 0));
    ask.note("wait there for here", cuda.stream_wait_event(there_stream, here_event, 0));
    ask.note("synchronize there's stream", cuda.stream_synchronize(there_stream));
    ask.note("synchronize here's stream", cuda.stream_synchronize(here_stream));
    float milliseconds = 0;
    ask.note("elapsed across", cuda.event_elapsed_time(&milliseconds, here_event, there_event));
    DevicePointer pooled = 0;
    ask.note("pool allocate on there's stream", cuda.memory_allocate_async(&pooled, 256, there_stream));
    int ordinal = -1;
    cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled);
    ask.note("it lies on", std::to_string(ordinal));
    ask.note("pool free on here's stream", cuda.memory_free_async(pooled, here_stream));
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 1);
    ask.note("allocate from there's pool on here's stream", cuda.memory_allocate_from_pool_async(&pooled, 256, pool, here_stream));
    cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled);
    ask.note("that lies on", std::to_string(ordinal));
    const Function nothing = ask.function(ask.module(kernels_text), "nothing");
    ask.note("launch on there's stream", cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, there_stream, nullptr, nullptr));
    cuda.context_set_current(pair.second);
    ask.note("launch with there current", cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    ask.note("launch on here's stream with there current", cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, here_stream, nullptr, nullptr));
    ask.note("free here's with there current", cuda.memory_free(here));
}

CHAPTER_OF_TWO("sets on a peer with access") {
    const Library& cuda = ask.cuda;
    const Pair pair(ask);
    cuda.context_set_current(pair.second);
    const DevicePointer there = ask.memory(256);
    cuda.context_set_current(pair.first);
    const Stream here_stream = ask.stream();
    ask.note("set on stream null without", cuda.set_bytes_async(there, 1, 8, nullptr));
    ask.note("enable", cuda.context_enable_peer_access(pair.second, 0));
    ask.note("set on stream null with", cuda.set_bytes_async(there, 1, 8, nullptr));
    ask.note("set", cuda.set_bytes_async(there, 1, 8, here_stream));
    ask.note("set words", cuda.set_words_async(there, 1, 8, here_stream));
    ask.note("synchronize", cuda.context_synchronize());
    cuda.context_set_current(pair.second);
    DevicePointer pooled = 0;
    cuda.memory_allocate_async(&pooled, 256, nullptr);
    cuda.context_synchronize();
    cuda.context_set_current(pair.first);
    ask.note("set pool memory", cuda.set_bytes_async(pooled, 1, 8, here_stream));
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 1);
    MemoryAccessDescriptor access{{MemoryLocationType::device, 0}, MemoryAccess::read_write};
    cuda.memory_pool_set_access(pool, &access, 1);
    ask.note("set pool memory with pool access", cuda.set_bytes_async(pooled, 1, 8, here_stream));
    ask.note("synchronize at the end", cuda.context_synchronize());
}

CHAPTER_OF_TWO("kernel on a peer without access") {
    const Pair pair(ask);
    ask.cuda.context_set_current(pair.second);
    const DevicePointer there = ask.memory(256);
    ask.cuda.context_set_current(pair.first);
    ask.note("store", store_at(ask, there));
    ask.cuda.context_set_current(pair.second);
    DevicePointer pointer = 0;
    ask.note("allocate on the other device", ask.cuda.memory_allocate(&pointer, 256));
}

CHAPTER_OF_TWO("kernel on a peer with access") {
    const Pair pair(ask);
    ask.cuda.context_set_current(pair.second);
    const DevicePointer before = ask.memory(256);
    ask.cuda.context_set_current(pair.first);
    ask.note("enable", ask.cuda.context_enable_peer_access(pair.second, 0));
    ask.cuda.context_set_current(pair.second);
    const DevicePointer after = ask.memory(256);
    ask.cuda.context_set_current(pair.first);
    ask.note("store to earlier memory", store_at(ask, before));
    ask.note("store to later memory", store_at(ask, after));
}

CHAPTER_OF_TWO("kernel on a peer's pool with peer access only") {
    const Pair pair(ask);
    ask.note("enable", ask.cuda.context_enable_peer_access(pair.second, 0));
    ask.cuda.context_set_current(pair.second);
    DevicePointer there = 0;
    ask.note("allocate", ask.cuda.memory_allocate_async(&there, 256, nullptr));
    ask.cuda.context_synchronize();
    ask.cuda.context_set_current(pair.first);
    ask.note("store", store_at(ask, there));
}

CHAPTER_OF_TWO("kernel on a peer's pool with pool access only") {
    const Pair pair(ask);
    ask.cuda.context_set_current(pair.second);
    DevicePointer there = 0;
    ask.note("allocate", ask.cuda.memory_allocate_async(&there, 256, nullptr));
    ask.cuda.context_synchronize();
    ask.cuda.context_set_current(pair.first);
    MemoryPool pool{};
    ask.cuda.device_get_default_memory_pool(&pool, 1);
    MemoryAccessDescriptor access{{MemoryLocationType::device, 0}, MemoryAccess::read};
    ask.note("allow read", ask.cuda.memory_pool_set_access(pool, &access, 1));
    access.flags = MemoryAccess::read_write;
    ask.note("allow", ask.cuda.memory_pool_set_access(pool, &access, 1));
    ask.note("allow again", ask.cuda.memory_pool_set_access(pool, &access, 1));
    ask.note("store", store_at(ask, there));
    access.flags = MemoryAccess::none;
    ask.note("take back", ask.cuda.memory_pool_set_access(pool, &access, 1));
    ask.note("store then", store_at(ask, there));
}

CHAPTER_OF_TWO("fault on one device, seen from the other") {
    const Library& cuda = ask.cuda;
    const Pair pair(ask);
    cuda.context_set_current(pair.second);
    const DevicePointer there = ask.memory(256);
    const Stream there_stream = ask.stream();
    cuda.context_set_current(pair.first);
    ask.note("store", store_at(ask, 0x10));
    cuda.context_set_current(pair.second);
    std::uint64_t value = 0;
    std::size_t bytes = 0;
    ask.note("memory info", cuda.memory_get_info(&bytes, &bytes));
    ask.note("copy out", cuda.copy_device_to_host(&value, there, 8));
    ask.note("set", cuda.set_bytes_async(there, 1, 8, there_stream));
    ask.note("stream query", cuda.stream_query(there_stream));
    ask.note("synchronize", cuda.context_synchronize());
    ask.note("free", cuda.memory_free(there));
    ask.note("stream destroy", cuda.stream_destroy(there_stream));
    ask.note("release", cuda.primary_context_release(1));
    Context context{};
    ask.note("retain anew", cuda.primary_context_retain(&context, 1));
}

CHAPTER_OF_TWO("null streams of two devices") {
    const Library& cuda = ask.cuda;
    const Pair pair(ask);
    const DevicePointer here = ask.memory(256);
    Gate gate(cuda, nullptr);
    ask.note("here set", cuda.set_bytes_async(here, 1, 8, nullptr));
    ask.note("here query", cuda.stream_query(nullptr));
    cuda.context_set_current(pair.second);
    const DevicePointer there = ask.memory(256);
    ask.note("there set", cuda.set_bytes_async(there, 1, 8, nullptr));
    ask.note("there synchronize", cuda.stream_synchronize(nullptr));
    gate.open();
}
