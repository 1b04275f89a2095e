// Memory: plain, pinned, pooled; copies and memsets.
#include <cstring>

#include "answer_recorder.hpp"

using namespace cupool::test;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::uint64_t pattern = 0x1122334455667788;

std::uint64_t pool_number(const Library& cuda, MemoryPool pool, MemoryPoolAttribute attribute) {
    std::uint64_t value = 0;
    cuda.memory_pool_get_attribute(pool, attribute, &value);
    return value;
}

}  // namespace

CALL_GROUP("plain memory") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    DevicePointer pointer = 0;
    recorder.note("allocate 0", cuda.memory_allocate(&pointer, 0));
    recorder.note("allocate into null", cuda.memory_allocate(nullptr, 16));
    recorder.note("allocate 1 TiB", cuda.memory_allocate(&pointer, std::size_t{1} << 40));
    recorder.note("allocate 2^63", cuda.memory_allocate(&pointer, std::size_t{1} << 63));
    recorder.note("free null", cuda.memory_free(0));
    recorder.note("free garbage", cuda.memory_free(0x1234));
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    recorder.note("info into null", cuda.memory_get_info(nullptr, &total));
    recorder.note("info total into null", cuda.memory_get_info(&before, nullptr));
    cuda.memory_get_info(&before, &total);
    const DevicePointer one = recorder.memory(1);
    cuda.memory_get_info(&after, &total);
    recorder.note_number("bytes taken by 1 byte", before - after);
    const DevicePointer two = recorder.memory(1);
    cuda.memory_free(two);
    cuda.memory_get_info(&before, &total);
    const DevicePointer large = recorder.memory(3 * mib);
    cuda.memory_get_info(&after, &total);
    recorder.note_number("bytes taken by 3 MiB", before - after);
    recorder.note("free interior", cuda.memory_free(large + 256));
    unsigned value = 0;
    recorder.note("set past the end by 4", cuda.set_bytes_async(large, 1, 3 * mib + 4, nullptr));
    recorder.note("set far past the end", cuda.set_bytes_async(large, 1, 64 * mib, nullptr));
    recorder.note("set words past the end", cuda.set_words_async(large + 3 * mib - 4, 1, 2, nullptr));
    recorder.note("set words misaligned", cuda.set_words_async(large + 2, 1, 1, nullptr));
    recorder.note("set nothing", cuda.set_bytes_async(large, 1, 0, nullptr));
    recorder.note("set nothing at null", cuda.set_bytes_async(0, 1, 0, nullptr));
    recorder.note("set garbage", cuda.set_bytes_async(0x1234, 1, 4, nullptr));
    recorder.note("set null", cuda.set_bytes_async(0, 1, 4, nullptr));
    recorder.note("copy in past the end", cuda.copy_host_to_device(large + 3 * mib - 2, &value, 4));
    recorder.note("copy in to garbage", cuda.copy_host_to_device(0x1234, &value, 4));
    recorder.note("copy in to null", cuda.copy_host_to_device(0, &value, 4));
    recorder.note("copy in from null", cuda.copy_host_to_device(large, nullptr, 4));
    recorder.note("copy in nothing from null", cuda.copy_host_to_device(large, nullptr, 0));
    recorder.note("copy in nothing to null", cuda.copy_host_to_device(0, &value, 0));
    recorder.note("copy in nothing to garbage", cuda.copy_host_to_device(0x1234, &value, 0));
    recorder.note("copy out past the end", cuda.copy_device_to_host(&value, large + 3 * mib - 2, 4));
    recorder.note("copy out from garbage", cuda.copy_device_to_host(&value, 0x1234, 4));
    recorder.note("copy out to null", cuda.copy_device_to_host(nullptr, large, 4));
    recorder.note("copy out async to null", cuda.copy_device_to_host_async(nullptr, large, 4, nullptr));
    recorder.note("copy in async from null", cuda.copy_host_to_device_async(large, nullptr, 4, nullptr));
    recorder.note("copy in async past the end", cuda.copy_host_to_device_async(large + 3 * mib - 2, &value, 4, nullptr));
    recorder.note("copy out async past the end", cuda.copy_device_to_host_async(&value, large + 3 * mib - 2, 4, nullptr));
    recorder.note("copy within past the end", cuda.copy_device_to_device(large, large + 8, 3 * mib));
    recorder.note("copy within async past the end", cuda.copy_device_to_device_async(large, large + 8, 3 * mib, nullptr));
    recorder.note("copy within nothing", cuda.copy_device_to_device(large, large + 8, 0));
    recorder.note("copy within overlapping", cuda.copy_device_to_device(large, large + 8, 16));
    recorder.note("copy in where from is device memory", cuda.copy_host_to_device(large, reinterpret_cast<void*>(one), 1));
    recorder.note("copy out where to is device memory", cuda.copy_device_to_host(reinterpret_cast<void*>(one), large, 1));
    std::uint64_t on_stack = pattern;
    recorder.note("copy within from pageable memory",
                  cuda.copy_device_to_device(large, reinterpret_cast<DevicePointer>(&on_stack), sizeof(on_stack)));
    recorder.note("set pageable memory", cuda.set_bytes_async(reinterpret_cast<DevicePointer>(&on_stack), 1, 8, nullptr));
    recorder.note("synchronize", cuda.context_synchronize());
    recorder.note("free", cuda.memory_free(large));
    recorder.note("free again", cuda.memory_free(large));
    recorder.note("set after free", cuda.set_bytes_async(large, 1, 4, nullptr));
    recorder.note("copy out after free", cuda.copy_device_to_host(&value, large, 4));
    recorder.note("free one", cuda.memory_free(one));
    recorder.note("synchronize at the end", cuda.context_synchronize());
}

CALL_GROUP("pointer attributes") {
    const Library& cuda = recorder.cuda;
    const Context context = recorder.begin();
    const DevicePointer memory = recorder.memory(1000);
    int ordinal = -9;
    unsigned type = 99;
    DevicePointer start = 0;
    std::size_t size = 0;
    Context owner{};
    recorder.note("ordinal", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, memory + 8));
    recorder.note("is 0", ordinal == 0);
    recorder.note("type", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, memory));
    recorder.note_number("type number", type);
    recorder.note("start", cuda.pointer_get_attribute(&start, PointerAttribute::range_start_address, memory + 8));
    recorder.note("start is the pointer", start == memory);
    recorder.note("size", cuda.pointer_get_attribute(&size, PointerAttribute::range_size, memory + 8));
    recorder.note_number("size bytes", size);
    recorder.note("context", cuda.pointer_get_attribute(&owner, PointerAttribute::context, memory));
    recorder.note("is the current", owner == context);
    recorder.note("just past the end", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, memory + 1000));
    recorder.note("far past the end",
                  cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, memory + (std::uint64_t{1} << 30)));
    recorder.note("null", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, 0));
    recorder.note("garbage", cuda.pointer_get_attribute(&ordinal, PointerAttribute::memory_type, 0x1234));
    recorder.note("pageable", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, reinterpret_cast<DevicePointer>(&type)));
    recorder.note("unknown attribute", cuda.pointer_get_attribute(&type, static_cast<PointerAttribute>(999), memory));
    recorder.note("into null", cuda.pointer_get_attribute(nullptr, PointerAttribute::memory_type, memory));
    void* const pinned = recorder.pinned(1000);
    const auto address = reinterpret_cast<DevicePointer>(pinned);
    recorder.note("pinned type", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, address + 8));
    recorder.note_number("pinned type number", type);
    recorder.note("pinned ordinal", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, address));
    recorder.note("pinned is 0", ordinal == 0);
    recorder.note("pinned start", cuda.pointer_get_attribute(&start, PointerAttribute::range_start_address, address + 8));
    recorder.note("pinned start is the pointer", start == address);
    recorder.note("pinned size", cuda.pointer_get_attribute(&size, PointerAttribute::range_size, address));
    recorder.note_number("pinned size bytes", size);
    recorder.note("pinned context", cuda.pointer_get_attribute(&owner, PointerAttribute::context, address));
    recorder.note("pinned is the current", owner == context);
    DevicePointer pooled = 0;
    cuda.memory_allocate_async(&pooled, 1000, nullptr);
    recorder.note("pooled type", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, pooled));
    recorder.note_number("pooled type number", type);
    recorder.note("pooled ordinal", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled));
    recorder.note("pooled start", cuda.pointer_get_attribute(&start, PointerAttribute::range_start_address, pooled + 8));
    recorder.note("pooled start is the pointer", start == pooled);
    recorder.note("pooled size", cuda.pointer_get_attribute(&size, PointerAttribute::range_size, pooled + 8));
    recorder.note_number("pooled size bytes", size);
    owner = context;
    recorder.note("pooled context", cuda.pointer_get_attribute(&owner, PointerAttribute::context, pooled));
    recorder.note("pooled context is null", owner == nullptr);
    recorder.note("pooled context is the current", owner == context);
    const Module module = recorder.module(kernels_text);
    DevicePointer table = 0;
    cuda.module_get_global(&table, &size, module, "table");
    recorder.note("variable type", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, table));
    recorder.note_number("variable type number", type);
    recorder.note("variable free", cuda.memory_free(table));
    cuda.memory_free(memory);
    recorder.note("after free", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, memory));
    cuda.memory_free_async(pooled, nullptr);
    recorder.note("pooled after free called", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled));
    cuda.context_synchronize();
    recorder.note("pooled after free done", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled));
}

CALL_GROUP("pinned memory") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    void* pinned = nullptr;
    pinned = &pinned;
    recorder.note("allocate 0", cuda.host_allocate(&pinned, 0, 0));
    recorder.note("allocate 0 gives null", pinned == nullptr);
    recorder.note("allocate 0 gives something", pinned != nullptr && pinned != static_cast<void*>(&pinned));
    recorder.note("allocate into null", cuda.host_allocate(nullptr, 16, 0));
    recorder.note("allocate flags 8", cuda.host_allocate(&pinned, 16, 8));
    recorder.note("allocate flags 0xff", cuda.host_allocate(&pinned, 16, 0xff));
    recorder.note("allocate flags 7", cuda.host_allocate(&pinned, 4096, 7));
    recorder.note("free interior", cuda.host_free(static_cast<char*>(pinned) + 8));
    int on_stack = 0;
    recorder.note("free garbage", cuda.host_free(&on_stack));
    recorder.note("free null", cuda.host_free(nullptr));
    const DevicePointer memory = recorder.memory(4096);
    const auto address = reinterpret_cast<DevicePointer>(pinned);
    std::memset(pinned, 5, 4096);
    recorder.note("set it as device memory", cuda.set_bytes_async(address, 7, 16, nullptr));
    recorder.note("copy within from it", cuda.copy_device_to_device(memory, address, 16));
    recorder.note("copy in to it", cuda.copy_host_to_device(address, &on_stack, 4));
    recorder.note("copy out from it", cuda.copy_device_to_host(&on_stack, address, 4));
    recorder.note("copy in past its end", cuda.copy_host_to_device(memory, static_cast<char*>(pinned) + 4094, 4));
    Function store = recorder.function(recorder.module(kernels_text), "store");
    DevicePointer target = address;
    unsigned value = 77;
    void* parameters[] = {&target, &value};
    recorder.note("kernel stores there", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    recorder.note("synchronize", cuda.context_synchronize());
    recorder.note_number("stored", *static_cast<volatile unsigned*>(pinned));
    recorder.note("free as device memory", cuda.memory_free(address));
    recorder.note("device memory free as host", cuda.host_free(reinterpret_cast<void*>(memory)));
    recorder.note("free", cuda.host_free(pinned));
    recorder.note("free again", cuda.host_free(pinned));
}

CALL_GROUP("pinned memory of another context") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    void* const pinned = recorder.pinned(4096);
    const Context other = recorder.created(0);
    cuda.context_set_current(other);
    recorder.note("free", cuda.host_free(pinned));
    void* not_portable = nullptr;
    cuda.host_allocate(&not_portable, 4096, 0);
    recorder.note("destroy its context", cuda.context_destroy(other));
    const Context again = recorder.primary(0);
    cuda.context_set_current(again);
    unsigned type = 0;
    recorder.note("after its context",
                  cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, reinterpret_cast<DevicePointer>(not_portable)));
}

CALL_GROUP("what copies wait for") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const DevicePointer memory = recorder.memory(1 << 16);
    const Stream free_stream = recorder.stream(1);
    const Stream blocking = recorder.stream(0);
    const Event event = recorder.event();
    {
        Gate gate(cuda, free_stream);
        recorder.note("stream query", cuda.stream_query(free_stream));
        recorder.note("record", cuda.event_record(event, free_stream));
        recorder.note("event query", cuda.event_query(event));
        recorder.note("blocking query", cuda.stream_query(blocking));
        recorder.note("null query", cuda.stream_query(nullptr));
        unsigned value = 3;
        recorder.note("null copy beside a held non-blocking stream", cuda.copy_host_to_device(memory, &value, 4));
        recorder.note("wait", cuda.stream_wait_event(blocking, event, 0));
        recorder.note("blocking query after wait", cuda.stream_query(blocking));
        recorder.note("pageable copy in, held stream, 4 bytes", cuda.copy_host_to_device_async(memory, &value, 4, free_stream));
        value = 9;
        gate.open();
        cuda.stream_synchronize(free_stream);
        cuda.copy_device_to_host(&value, memory, 4);
        recorder.note_number("was read at the call", value);
    }
    {
        Gate gate(cuda, blocking);
        recorder.note("null query while blocking is held", cuda.stream_query(nullptr));
        recorder.note("set on null", cuda.set_bytes_async(memory, 1, 16, nullptr));
        recorder.note("null query after work", cuda.stream_query(nullptr));
        recorder.note("non-blocking goes on", cuda.set_bytes_async(memory + 64, 1, 16, free_stream));
        recorder.note("non-blocking synchronize", cuda.stream_synchronize(free_stream));
        auto* const pinned = static_cast<unsigned*>(recorder.pinned(16));
        *pinned = 3;
        recorder.note("pinned copy in, held stream", cuda.copy_host_to_device_async(memory, pinned, 4, blocking));
        *pinned = 9;
        gate.open();
        cuda.stream_synchronize(blocking);
        unsigned value = 0;
        cuda.copy_device_to_host(&value, memory, 4);
        recorder.note_number("was read at its turn", value);
    }
    {
        Gate gate(cuda, nullptr);
        recorder.note("set on blocking behind null", cuda.set_bytes_async(memory, 1, 16, blocking));
        recorder.note("blocking query behind null", cuda.stream_query(blocking));
        recorder.note("non-blocking beside null", cuda.set_bytes_async(memory + 64, 1, 16, free_stream));
        recorder.note("non-blocking synchronize beside null", cuda.stream_synchronize(free_stream));
        gate.open();
        recorder.note("synchronize", cuda.context_synchronize());
        recorder.note("all done", cuda.stream_query(blocking));
    }
    {
        Gate gate(cuda, free_stream);
        recorder.note("destroy a held stream", cuda.stream_destroy(free_stream));
        recorder.note("context is busy: null query", cuda.stream_query(nullptr));
        gate.open();
        recorder.note("synchronize after destroy", cuda.context_synchronize());
    }
}

CALL_GROUP("pools") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    MemoryPool pool{};
    MemoryPoolProperties properties{};
    recorder.note("create from zeros", cuda.memory_pool_create(&pool, &properties));
    properties.allocation_type = MemoryAllocationType::pinned;
    recorder.note("create without location", cuda.memory_pool_create(&pool, &properties));
    properties.location = {MemoryLocationType::device, 1000};
    recorder.note("create on 1000", cuda.memory_pool_create(&pool, &properties));
    properties.location = {MemoryLocationType::device, 0};
    recorder.note("create into null", cuda.memory_pool_create(nullptr, &properties));
    recorder.note("create from null", cuda.memory_pool_create(&pool, nullptr));
    recorder.note("create", cuda.memory_pool_create(&pool, &properties));
    std::uint64_t number = 1;
    int flag = -1;
    recorder.note("threshold", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::release_threshold, &number));
    recorder.note_number("threshold at first", number);
    recorder.note("reuse flag", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::reuse_allow_opportunistic, &flag));
    recorder.note_number("reuse flag at first", static_cast<std::uint64_t>(flag));
    recorder.note("unknown attribute", cuda.memory_pool_get_attribute(pool, static_cast<MemoryPoolAttribute>(99), &number));
    recorder.note("set reserved", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::reserved_memory_current, &number));
    recorder.note("set used", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::used_memory_current, &number));
    number = 5;
    recorder.note("set high to 5", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::used_memory_high, &number));
    number = 0;
    recorder.note("set high to 0", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::used_memory_high, &number));

    DevicePointer first = 0;
    recorder.note("allocate 0", cuda.memory_allocate_from_pool_async(&first, 0, pool, nullptr));
    recorder.note("allocate into null", cuda.memory_allocate_from_pool_async(nullptr, 16, pool, nullptr));
    recorder.note("allocate 1 TiB", cuda.memory_allocate_from_pool_async(&first, std::size_t{1} << 40, pool, nullptr));
    recorder.note("allocate", cuda.memory_allocate_from_pool_async(&first, 1000, pool, nullptr));
    recorder.note_number("used by 1000", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
    recorder.note_number("reserved by 1000", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    DevicePointer second = 0;
    recorder.note("allocate 40 MiB", cuda.memory_allocate_from_pool_async(&second, 40 * mib, pool, nullptr));
    recorder.note_number("used", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
    recorder.note_number("reserved", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    recorder.note_number("used high", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_high));
    recorder.note("free 40 MiB", cuda.memory_free_async(second, nullptr));
    cuda.stream_synchronize(nullptr);
    recorder.note_number("used after free", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
    recorder.note_number("reserved after free", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    recorder.note_number("used high after free", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_high));
    number = 0;
    cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::used_memory_high, &number);
    recorder.note_number("used high reset", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_high));
    number = ~std::uint64_t{0};
    recorder.note("threshold to the most", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::release_threshold, &number));
    cuda.memory_allocate_from_pool_async(&second, 40 * mib, pool, nullptr);
    cuda.memory_free_async(second, nullptr);
    cuda.stream_synchronize(nullptr);
    recorder.note_number("reserved kept", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    recorder.note("trim", cuda.memory_pool_trim_to(pool, 0));
    recorder.note_number("reserved after trim", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    recorder.note("free twice: first", cuda.memory_free_async(first, nullptr));
    recorder.note("free twice: second", cuda.memory_free_async(first, nullptr));
    cuda.stream_synchronize(nullptr);
    recorder.note("free null", cuda.memory_free_async(0, nullptr));
    recorder.note("free garbage", cuda.memory_free_async(0x1234, nullptr));
    cuda.memory_allocate_from_pool_async(&first, 1000, pool, nullptr);
    recorder.note("free interior", cuda.memory_free_async(first + 256, nullptr));
    recorder.note("copy past the end", cuda.copy_host_to_device(first + 1000, &number, 8));
    recorder.note("copy past 1024", cuda.copy_host_to_device(first + 1024, &number, 8));
    recorder.note("plain free of it", cuda.memory_free(first));
    recorder.note("plain free of it again", cuda.memory_free(first));
    const DevicePointer plain = recorder.memory(256);
    recorder.note("ordered free of plain memory", cuda.memory_free_async(plain, nullptr));
    recorder.note("synchronize", cuda.context_synchronize());
    cuda.memory_allocate_from_pool_async(&first, 1000, pool, nullptr);
    recorder.note("destroy with memory alive", cuda.memory_pool_destroy(pool));
    recorder.note("its memory", cuda.set_bytes_async(first, 1, 16, nullptr));
    recorder.note("free its memory", cuda.memory_free_async(first, nullptr));
    recorder.note("synchronize at the end", cuda.context_synchronize());
    MemoryPool standard{};
    cuda.device_get_default_memory_pool(&standard, 0);
    recorder.note("destroy the default pool", cuda.memory_pool_destroy(standard));
    recorder.note("default pool threshold", cuda.memory_pool_get_attribute(standard, MemoryPoolAttribute::release_threshold, &number));
    recorder.note_number("default pool threshold at first", number);
    recorder.note("allocate from the default", cuda.memory_allocate_async(&first, 1000, nullptr));
    recorder.note("free to the default", cuda.memory_free_async(first, nullptr));
}

CALL_GROUP("null pool: destroy") {
    recorder.begin();
    recorder.note("destroy", recorder.cuda.memory_pool_destroy(nullptr));
}

CALL_GROUP("null pool: attribute") {
    recorder.begin();
    std::uint64_t number = 0;
    recorder.note("attribute", recorder.cuda.memory_pool_get_attribute(nullptr, MemoryPoolAttribute::release_threshold, &number));
}

CALL_GROUP("null pool: allocate") {
    recorder.begin();
    DevicePointer pointer = 0;
    recorder.note("allocate", recorder.cuda.memory_allocate_from_pool_async(&pointer, 1000, nullptr, nullptr));
}

CALL_GROUP("what pools count") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    for (const std::size_t bytes : {1, 256, 257, 512, 1000, 4096, 100'000, 1 << 20, (1 << 20) + 1, 3 << 20, (40 << 20) + 1}) {
        DevicePointer pointer = 0;
        cuda.memory_allocate_async(&pointer, bytes, nullptr);
        recorder.note_number("used by " + std::to_string(bytes), pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
        recorder.note_number("reserved by " + std::to_string(bytes), pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
        std::size_t size = 0;
        cuda.pointer_get_attribute(&size, PointerAttribute::range_size, pointer);
        recorder.note_number("size of " + std::to_string(bytes), size);
        cuda.memory_free_async(pointer, nullptr);
        cuda.stream_synchronize(nullptr);
        recorder.note_number("reserved after the free", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    }
    std::size_t before = 0;
    std::size_t after = 0;
    cuda.memory_get_info(&before, nullptr);
    DevicePointer pointer = 0;
    cuda.memory_allocate_async(&pointer, 1000, nullptr);
    cuda.memory_get_info(&after, nullptr);
    recorder.note_number("device memory taken", before - after);
}

CALL_GROUP("what plain memory takes") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    for (const std::size_t bytes : {1, 100'000, 1 << 20, (1 << 20) + 1, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 3 << 20, (40 << 20) + 1}) {
        std::size_t before = 0;
        std::size_t after = 0;
        cuda.memory_get_info(&before, nullptr);
        const DevicePointer pointer = recorder.memory(bytes);
        cuda.memory_get_info(&after, nullptr);
        recorder.note_number("taken by " + std::to_string(bytes), before - after);
        cuda.memory_free(pointer);
        cuda.memory_get_info(&after, nullptr);
        recorder.note("given back", before == after);
    }
}

CALL_GROUP("pool of limited size") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    properties.max_size = 64 * mib;
    MemoryPool pool{};
    recorder.note("create", cuda.memory_pool_create(&pool, &properties));
    DevicePointer first = 0;
    DevicePointer second = 0;
    recorder.note("allocate 65 MiB", cuda.memory_allocate_from_pool_async(&first, 65 * mib, pool, nullptr));
    recorder.note("allocate 40 MiB", cuda.memory_allocate_from_pool_async(&first, 40 * mib, pool, nullptr));
    recorder.note("allocate 40 MiB more", cuda.memory_allocate_from_pool_async(&second, 40 * mib, pool, nullptr));
    recorder.note("free", cuda.memory_free_async(first, nullptr));
    recorder.note("allocate again", cuda.memory_allocate_from_pool_async(&second, 40 * mib, pool, nullptr));
}

CALL_GROUP("destroyed pool") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    MemoryPool pool{};
    cuda.memory_pool_create(&pool, &properties);
    recorder.note("destroy", cuda.memory_pool_destroy(pool));
    std::uint64_t number = 0;
    recorder.note("attribute", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::release_threshold, &number));
    DevicePointer pointer = 0;
    recorder.note("allocate", cuda.memory_allocate_from_pool_async(&pointer, 16, pool, nullptr));
    recorder.note("destroy again", cuda.memory_pool_destroy(pool));
}

CALL_GROUP("pool access") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    MemoryAccessDescriptor access{{MemoryLocationType::device, 0}, MemoryAccess::read_write};
    recorder.note("own device read and write", cuda.memory_pool_set_access(pool, &access, 1));
    access.flags = MemoryAccess::none;
    recorder.note("own device none", cuda.memory_pool_set_access(pool, &access, 1));
    access.flags = MemoryAccess::read;
    recorder.note("own device read", cuda.memory_pool_set_access(pool, &access, 1));
    access = {{MemoryLocationType::device, 1000}, MemoryAccess::read_write};
    recorder.note("device 1000", cuda.memory_pool_set_access(pool, &access, 1));
    access = {{MemoryLocationType::invalid, 0}, MemoryAccess::read_write};
    recorder.note("location invalid", cuda.memory_pool_set_access(pool, &access, 1));
    recorder.note("null and 0", cuda.memory_pool_set_access(pool, nullptr, 0));
    recorder.note("null and 1", cuda.memory_pool_set_access(pool, nullptr, 1));
}

CALL_GROUP("memory whose free is queued") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Stream held = recorder.stream();
    const Stream other = recorder.stream();
    DevicePointer pooled = 0;
    cuda.memory_allocate_async(&pooled, 1000, held);
    cuda.stream_synchronize(held);
    Gate gate(cuda, held);
    recorder.note("free", cuda.memory_free_async(pooled, held));
    recorder.note("free again", cuda.memory_free_async(pooled, held));
    recorder.note("set on the same stream", cuda.set_bytes_async(pooled, 1, 16, held));
    recorder.note("set on another stream", cuda.set_bytes_async(pooled, 1, 16, other));
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    recorder.note_number("used", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
    recorder.note("query", cuda.stream_query(other) == Status::not_ready ? Status::success : cuda.stream_query(other));
    gate.open();
    recorder.note("synchronize", cuda.context_synchronize());
    recorder.note("set after the free", cuda.set_bytes_async(pooled, 1, 16, other));
    recorder.note_number("used at the end", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
}
