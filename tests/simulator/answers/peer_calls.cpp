// Two devices.
#include <string>

#include "answer_recorder.hpp"

using namespace cupool::test;

namespace {

struct Pair {
    explicit Pair(const AnswerRecorder& recorder) : first(recorder.begin()), second(recorder.primary(1)) {}
    Context first;
    Context second;
};

std::string store_at(AnswerRecorder& recorder, DevicePointer address) {
    const Function store = recorder.function(recorder.module(kernels_text), "store");
    unsigned value = 7;
    void* parameters[] = {&address, &value};
    const Status launched = recorder.cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
    return std::to_string(static_cast<int>(launched)) + " then " + std::to_string(static_cast<int>(recorder.cuda.context_synchronize()));
}

}  // namespace

CALL_GROUP_ON_TWO_DEVICES("peer access") {
    const Library& cuda = recorder.cuda;
    const Pair pair(recorder);
    int can = -1;
    recorder.note("can access", cuda.device_can_access_peer(&can, 0, 1));
    recorder.note_number("it can", static_cast<std::uint64_t>(can));
    recorder.note("disable before", cuda.context_disable_peer_access(pair.second));
    recorder.note("enable flags 1", cuda.context_enable_peer_access(pair.second, 1));
    recorder.note("enable", cuda.context_enable_peer_access(pair.second, 0));
    recorder.note("enable again", cuda.context_enable_peer_access(pair.second, 0));
    recorder.note("enable itself", cuda.context_enable_peer_access(pair.first, 0));
    recorder.note("disable", cuda.context_disable_peer_access(pair.second));
    recorder.note("disable again", cuda.context_disable_peer_access(pair.second));
    recorder.note("enable once more", cuda.context_enable_peer_access(pair.second, 0));
    recorder.note("release the peer", cuda.primary_context_release(1));
    const Context anew = recorder.primary(1);
    recorder.note("enable the peer anew", cuda.context_enable_peer_access(anew, 0));
}

CALL_GROUP_ON_TWO_DEVICES("copies between devices") {
    const Library& cuda = recorder.cuda;
    const Pair pair(recorder);
    const DevicePointer here = recorder.memory(256);
    const Stream here_stream = recorder.stream();
    const Event here_event = recorder.event();
    cuda.context_set_current(pair.second);
    const DevicePointer there = recorder.memory(256);
    const Stream there_stream = recorder.stream();
    const Event there_event = recorder.event();
    cuda.context_set_current(pair.first);
    std::uint64_t value = 0x1234;
    recorder.note("copy in to the other", cuda.copy_host_to_device(there, &value, 8));
    recorder.note("copy within", cuda.copy_device_to_device(here, there, 8));
    recorder.note("copy within async", cuda.copy_device_to_device_async(here, there, 8, here_stream));
    recorder.note("copy within async on the other's stream", cuda.copy_device_to_device_async(here, there, 8, there_stream));
    value = 0;
    recorder.note("copy out of here", cuda.copy_device_to_host(&value, here, 8));
    recorder.note_number("arrived", value);
    recorder.note("copy out of the other", cuda.copy_device_to_host(&value, there, 8));
    recorder.note("copy in async to the other", cuda.copy_host_to_device_async(there, &value, 8, here_stream));
    recorder.note("set the other", cuda.set_bytes_async(there, 1, 8, here_stream));
    recorder.note("set the other on its stream", cuda.set_bytes_async(there, 1, 8, there_stream));
    recorder.note("set here on the other's stream", cuda.set_bytes_async(here, 1, 8, there_stream));
    recorder.note("peer copy", cuda.copy_peer_async(here, pair.first, there, pair.second, 8, here_stream));
    recorder.note("peer copy on the other's stream", cuda.copy_peer_async(here, pair.first, there, pair.second, 8, there_stream));
    recorder.note("peer copy, contexts swapped", cuda.copy_peer_async(here, pair.second, there, pair.first, 8, here_stream));
    recorder.note("peer copy, null context", cuda.copy_peer_async(here, nullptr, there, pair.second, 8, here_stream));
    recorder.note("peer copy, past the end", cuda.copy_peer_async(here, pair.first, there + 252, pair.second, 64 << 20, here_stream));
    recorder.note("peer copy of nothing", cuda.copy_peer_async(here, pair.first, there, pair.second, 0, here_stream));
    recorder.note("record here's event there", cuda.event_record(here_event, there_stream));
    recorder.note("record there's event there", cuda.event_record(there_event, there_stream));
    recorder.note("record here's event here", cuda.event_record(here_event, here_stream));
    recorder.note("wait here for there", cuda.stream_wait_event(here_stream, there_event, 0));
    recorder.note("wait there for here", cuda.stream_wait_event(there_stream, here_event, 0));
    recorder.note("synchronize there's stream", cuda.stream_synchronize(there_stream));
    recorder.note("synchronize here's stream", cuda.stream_synchronize(here_stream));
    float milliseconds = 0;
    recorder.note("elapsed across", cuda.event_elapsed_time(&milliseconds, here_event, there_event));
    DevicePointer pooled = 0;
    recorder.note("pool allocate on there's stream", cuda.memory_allocate_async(&pooled, 256, there_stream));
    int ordinal = -1;
    cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled);
    recorder.note("it lies on", std::to_string(ordinal));
    recorder.note("pool free on here's stream", cuda.memory_free_async(pooled, here_stream));
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 1);
    recorder.note("allocate from there's pool on here's stream", cuda.memory_allocate_from_pool_async(&pooled, 256, pool, here_stream));
    cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled);
    recorder.note("that lies on", std::to_string(ordinal));
    const Function nothing = recorder.function(recorder.module(kernels_text), "nothing");
    recorder.note("launch on there's stream", cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, there_stream, nullptr, nullptr));
    cuda.context_set_current(pair.second);
    recorder.note("launch with there current", cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("launch on here's stream with there current",
                  cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, here_stream, nullptr, nullptr));
    recorder.note("free here's with there current", cuda.memory_free(here));
}

CALL_GROUP_ON_TWO_DEVICES("sets on a peer with access") {
    const Library& cuda = recorder.cuda;
    const Pair pair(recorder);
    cuda.context_set_current(pair.second);
    const DevicePointer there = recorder.memory(256);
    cuda.context_set_current(pair.first);
    const Stream here_stream = recorder.stream();
    recorder.note("set on stream null without", cuda.set_bytes_async(there, 1, 8, nullptr));
    recorder.note("enable", cuda.context_enable_peer_access(pair.second, 0));
    recorder.note("set on stream null with", cuda.set_bytes_async(there, 1, 8, nullptr));
    recorder.note("set", cuda.set_bytes_async(there, 1, 8, here_stream));
    recorder.note("set words", cuda.set_words_async(there, 1, 8, here_stream));
    recorder.note("synchronize", cuda.context_synchronize());
    cuda.context_set_current(pair.second);
    DevicePointer pooled = 0;
    cuda.memory_allocate_async(&pooled, 256, nullptr);
    cuda.context_synchronize();
    cuda.context_set_current(pair.first);
    recorder.note("set pool memory", cuda.set_bytes_async(pooled, 1, 8, here_stream));
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 1);
    MemoryAccessDescriptor access{{MemoryLocationType::device, 0}, MemoryAccess::read_write};
    cuda.memory_pool_set_access(pool, &access, 1);
    recorder.note("set pool memory with pool access", cuda.set_bytes_async(pooled, 1, 8, here_stream));
    recorder.note("synchronize at the end", cuda.context_synchronize());
}

CALL_GROUP_ON_TWO_DEVICES("kernel on a peer without access") {
    const Pair pair(recorder);
    recorder.cuda.context_set_current(pair.second);
    const DevicePointer there = recorder.memory(256);
    recorder.cuda.context_set_current(pair.first);
    recorder.note("store", store_at(recorder, there));
    recorder.cuda.context_set_current(pair.second);
    DevicePointer pointer = 0;
    recorder.note("allocate on the other device", recorder.cuda.memory_allocate(&pointer, 256));
}

CALL_GROUP_ON_TWO_DEVICES("kernel on a peer with access") {
    const Pair pair(recorder);
    recorder.cuda.context_set_current(pair.second);
    const DevicePointer before = recorder.memory(256);
    recorder.cuda.context_set_current(pair.first);
    recorder.note("enable", recorder.cuda.context_enable_peer_access(pair.second, 0));
    recorder.cuda.context_set_current(pair.second);
    const DevicePointer after = recorder.memory(256);
    recorder.cuda.context_set_current(pair.first);
    recorder.note("store to earlier memory", store_at(recorder, before));
    recorder.note("store to later memory", store_at(recorder, after));
}

CALL_GROUP_ON_TWO_DEVICES("kernel on a peer's pool with peer access only") {
    const Pair pair(recorder);
    recorder.note("enable", recorder.cuda.context_enable_peer_access(pair.second, 0));
    recorder.cuda.context_set_current(pair.second);
    DevicePointer there = 0;
    recorder.note("allocate", recorder.cuda.memory_allocate_async(&there, 256, nullptr));
    recorder.cuda.context_synchronize();
    recorder.cuda.context_set_current(pair.first);
    recorder.note("store", store_at(recorder, there));
}

CALL_GROUP_ON_TWO_DEVICES("kernel on a peer's pool with pool access only") {
    const Pair pair(recorder);
    recorder.cuda.context_set_current(pair.second);
    DevicePointer there = 0;
    recorder.note("allocate", recorder.cuda.memory_allocate_async(&there, 256, nullptr));
    recorder.cuda.context_synchronize();
    recorder.cuda.context_set_current(pair.first);
    MemoryPool pool{};
    recorder.cuda.device_get_default_memory_pool(&pool, 1);
    MemoryAccessDescriptor access{{MemoryLocationType::device, 0}, MemoryAccess::read};
    recorder.note("allow read", recorder.cuda.memory_pool_set_access(pool, &access, 1));
    access.flags = MemoryAccess::read_write;
    recorder.note("allow", recorder.cuda.memory_pool_set_access(pool, &access, 1));
    recorder.note("allow again", recorder.cuda.memory_pool_set_access(pool, &access, 1));
    recorder.note("store", store_at(recorder, there));
    access.flags = MemoryAccess::none;
    recorder.note("take back", recorder.cuda.memory_pool_set_access(pool, &access, 1));
    recorder.note("store then", store_at(recorder, there));
}

CALL_GROUP_ON_TWO_DEVICES("fault on one device, seen from the other") {
    const Library& cuda = recorder.cuda;
    const Pair pair(recorder);
    cuda.context_set_current(pair.second);
    const DevicePointer there = recorder.memory(256);
    const Stream there_stream = recorder.stream();
    cuda.context_set_current(pair.first);
    recorder.note("store", store_at(recorder, 0x10));
    cuda.context_set_current(pair.second);
    std::uint64_t value = 0;
    std::size_t bytes = 0;
    recorder.note("memory info", cuda.memory_get_info(&bytes, &bytes));
    recorder.note("copy out", cuda.copy_device_to_host(&value, there, 8));
    recorder.note("set", cuda.set_bytes_async(there, 1, 8, there_stream));
    recorder.note("stream query", cuda.stream_query(there_stream));
    recorder.note("synchronize", cuda.context_synchronize());
    recorder.note("free", cuda.memory_free(there));
    recorder.note("stream destroy", cuda.stream_destroy(there_stream));
    recorder.note("release", cuda.primary_context_release(1));
    Context context{};
    recorder.note("retain anew", cuda.primary_context_retain(&context, 1));
}

CALL_GROUP_ON_TWO_DEVICES("null streams of two devices") {
    const Library& cuda = recorder.cuda;
    const Pair pair(recorder);
    const DevicePointer here = recorder.memory(256);
    Gate gate(cuda, nullptr);
    recorder.note("here set", cuda.set_bytes_async(here, 1, 8, nullptr));
    recorder.note("here query", cuda.stream_query(nullptr));
    cuda.context_set_current(pair.second);
    const DevicePointer there = recorder.memory(256);
    recorder.note("there set", cuda.set_bytes_async(there, 1, 8, nullptr));
    recorder.note("there synchronize", cuda.stream_synchronize(nullptr));
    gate.open();
}
