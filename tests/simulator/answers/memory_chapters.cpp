// Memory: plain, pinned, pooled; copies and sets.
#include <cstring>

#include "interview.hpp"

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

CHAPTER("plain memory") {
    const Library& cuda = ask.cuda;
    ask.begin();
    DevicePointer pointer = 0;
    ask.note("allocate 0", cuda.memory_allocate(&pointer, 0));
    ask.note("allocate into null", cuda.memory_allocate(nullptr, 16));
    ask.note("allocate 1 TiB", cuda.memory_allocate(&pointer, std::size_t{1} << 40));
    ask.note("allocate 2^63", cuda.memory_allocate(&pointer, std::size_t{1} << 63));
    ask.note("free null", cuda.memory_free(0));
    ask.note("free garbage", cuda.memory_free(0x1234));
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    ask.note("info into null", cuda.memory_get_info(nullptr, &total));
    ask.note("info total into null", cuda.memory_get_info(&before, nullptr));
    cuda.memory_get_info(&before, &total);
    const DevicePointer one = ask.memory(1);
    cuda.memory_get_info(&after, &total);
    ask.note_number("bytes taken by 1 byte", before - after);
    const DevicePointer two = ask.memory(1);
    cuda.memory_free(two);
    cuda.memory_get_info(&before, &total);
    const DevicePointer large = ask.memory(3 * mib);
    cuda.memory_get_info(&after, &total);
    ask.note_number("bytes taken by 3 MiB", before - after);
    ask.note("free interior", cuda.memory_free(large + 256));
    unsigned value = 0;
    ask.note("set past the end by 4", cuda.set_bytes_async(large, 1, 3 * mib + 4, nullptr));
    ask.note("set far past the end", cuda.set_bytes_async(large, 1, 64 * mib, nullptr));
    ask.note("set words past the end", cuda.set_words_async(large + 3 * mib - 4, 1, 2, nullptr));
    ask.note("set words misaligned", cuda.set_words_async(large + 2, 1, 1, nullptr));
    ask.note("set nothing", cuda.set_bytes_async(large, 1, 0, nullptr));
    ask.note("set nothing at null", cuda.set_bytes_async(0, 1, 0, nullptr));
    ask.note("set garbage", cuda.set_bytes_async(0x1234, 1, 4, nullptr));
    ask.note("set null", cuda.set_bytes_async(0, 1, 4, nullptr));
    ask.note("copy in past the end", cuda.copy_host_to_device(large + 3 * mib - 2, &value, 4));
    ask.note("copy in to garbage", cuda.copy_host_to_device(0x1234, &value, 4));
    ask.note("copy in to null", cuda.copy_host_to_device(0, &value, 4));
    ask.note("copy in from null", cuda.copy_host_to_device(large, nullptr, 4));
    ask.note("copy in nothing from null", cuda.copy_host_to_device(large, nullptr, 0));
    ask.note("copy in nothing to null", cuda.copy_host_to_device(0, &value, 0));
    ask.note("copy in nothing to garbage", cuda.copy_host_to_device(0x1234, &value, 0));
    ask.note("copy out past the end", cuda.copy_device_to_host(&value, large + 3 * mib - 2, 4));
    ask.note("copy out from garbage", cuda.copy_device_to_host(&value, 0x1234, 4));
    ask.note("copy out to null", cuda.copy_device_to_host(nullptr, large, 4));
    ask.note("copy out async to null", cuda.copy_device_to_host_async(nullptr, large, 4, nullptr));
    ask.note("copy in async from null", cuda.copy_host_to_device_async(large, nullptr, 4, nullptr));
    ask.note("copy in async past the end", cuda.copy_host_to_device_async(large + 3 * mib - 2, &value, 4, nullptr));
    ask.note("copy out async past the end", cuda.copy_device_to_host_async(&value, large + 3 * mib - 2, 4, nullptr));
    ask.note("copy within past the end", cuda.copy_device_to_device(large, large + 8, 3 * mib));
    ask.note("copy within async past the end", cuda.copy_device_to_device_async(large, large + 8, 3 * mib, nullptr));
    ask.note("copy within nothing", cuda.copy_device_to_device(large, large + 8, 0));
    ask.note("copy within overlapping", cuda.copy_device_to_device(large, large + 8, 16));
    ask.note("copy in where from is device memory", cuda.copy_host_to_device(large, reinterpret_cast<void*>(one), 1));
    ask.note("copy out where to is device memory", cuda.copy_device_to_host(reinterpret_cast<void*>(one), large, 1));
    std::uint64_t on_stack = pattern;
    ask.note("copy within from pageable memory",
             cuda.copy_device_to_device(large, reinterpret_cast<DevicePointer>(&on_stack), sizeof(on_stack)));
    ask.note("set pageable memory", cuda.set_bytes_async(reinterpret_cast<DevicePointer>(&on_stack), 1, 8, nullptr));
    ask.note("synchronize", cuda.context_synchronize());
    ask.note("free", cuda.memory_free(large));
    ask.note("free again", cuda.memory_free(large));
    ask.note("set after free", cuda.set_bytes_async(large, 1, 4, nullptr));
    ask.note("copy out after free", cuda.copy_device_to_host(&value, large, 4));
    ask.note("free one", cuda.memory_free(one));
    ask.note("synchronize at the end", cuda.context_synchronize());
}

CHAPTER("pointer attributes") {
    const Library& cuda = ask.cuda;
    const Context context = ask.begin();
    const DevicePointer memory = ask.memory(1000);
    int ordinal = -9;
    unsigned type = 99;
    DevicePointer start = 0;
    std::size_t size = 0;
    Context owner{};
    ask.note("ordinal", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, memory + 8));
    ask.note("is 0", ordinal == 0);
    ask.note("type", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, memory));
    ask.note_number("type number", type);
    ask.note("start", cuda.pointer_get_attribute(&start, PointerAttribute::range_start_address, memory + 8));
    ask.note("start is the pointer", start == memory);
    ask.note("size", cuda.pointer_get_attribute(&size, PointerAttribute::range_size, memory + 8));
    ask.note_number("size bytes", size);
    ask.note("context", cuda.pointer_get_attribute(&owner, PointerAttribute::context, memory));
    ask.note("is the current", owner == context);
    ask.note("just past the end", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, memory + 1000));
    ask.note("far past the end", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, memory + (std::uint64_t{1} << 30)));
    ask.note("null", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, 0));
    ask.note("garbage", cuda.pointer_get_attribute(&ordinal, PointerAttribute::memory_type, 0x1234));
    ask.note("pageable", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, reinterpret_cast<DevicePointer>(&type)));
    ask.note("unknown attribute", cuda.pointer_get_attribute(&type, static_cast<PointerAttribute>(999), memory));
    ask.note("into null", cuda.pointer_get_attribute(nullptr, PointerAttribute::memory_type, memory));
    void* const pinned = ask.pinned(1000);
    const auto address = reinterpret_cast<DevicePointer>(pinned);
    ask.note("pinned type", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, address + 8));
    ask.note_number("pinned type number", type);
    ask.note("pinned ordinal", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, address));
    ask.note("pinned is 0", ordinal == 0);
    ask.note("pinned start", cuda.pointer_get_attribute(&start, PointerAttribute::range_start_address, address + 8));
    ask.note("pinned start is the pointer", start == address);
    ask.note("pinned size", cuda.pointer_get_attribute(&size, PointerAttribute::range_size, address));
    ask.note_number("pinned size bytes", size);
    ask.note("pinned context", cuda.pointer_get_attribute(&owner, PointerAttribute::context, address));
    ask.note("pinned is the current", owner == context);
    DevicePointer pooled = 0;
    cuda.memory_allocate_async(&pooled, 1000, nullptr);
    ask.note("pooled type", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, pooled));
    ask.note_number("pooled type number", type);
    ask.note("pooled ordinal", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled));
    ask.note("pooled start", cuda.pointer_get_attribute(&start, PointerAttribute::range_start_address, pooled + 8));
    ask.note("pooled start is the pointer", start == pooled);
    ask.note("pooled size", cuda.pointer_get_attribute(&size, PointerAttribute::range_size, pooled + 8));
    ask.note_number("pooled size bytes", size);
    owner = context;
    ask.note("pooled context", cuda.pointer_get_attribute(&owner, PointerAttribute::context, pooled));
    ask.note("pooled context is null", owner == nullptr);
    ask.note("pooled context is the current", owner == context);
    const Module module = ask.module(kernels_text);
    DevicePointer table = 0;
    cuda.module_get_global(&table, &size, module, "table");
    ask.note("variable type", cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, table));
    ask.note_number("variable type number", type);
    ask.note("variable free", cuda.memory_free(table));
    cuda.memory_free(memory);
    ask.note("after free", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, memory));
    cuda.memory_free_async(pooled, nullptr);
    ask.note("pooled after free called", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled));
    cuda.context_synchronize();
    ask.note("pooled after free done", cuda.pointer_get_attribute(&ordinal, PointerAttribute::device_ordinal, pooled));
}

CHAPTER("pinned memory") {
    const Library& cuda = ask.cuda;
    ask.begin();
    void* pinned = nullptr;
    pinned = &pinned;
    ask.note("allocate 0", cuda.host_allocate(&pinned, 0, 0));
    ask.note("allocate 0 gives null", pinned == nullptr);
    ask.note("allocate 0 gives something", pinned != nullptr && pinned != static_cast<void*>(&pinned));
    ask.note("allocate into null", cuda.host_allocate(nullptr, 16, 0));
    ask.note("allocate flags 8", cuda.host_allocate(&pinned, 16, 8));
    ask.note("allocate flags 0xff", cuda.host_allocate(&pinned, 16, 0xff));
    ask.note("allocate flags 7", cuda.host_allocate(&pinned, 4096, 7));
    ask.note("free interior", cuda.host_free(static_cast<char*>(pinned) + 8));
    int on_stack = 0;
    ask.note("free garbage", cuda.host_free(&on_stack));
    ask.note("free null", cuda.host_free(nullptr));
    const DevicePointer memory = ask.memory(4096);
    const auto address = reinterpret_cast<DevicePointer>(pinned);
    std::memset(pinned, 5, 4096);
    ask.note("set it as device memory", cuda.set_bytes_async(address, 7, 16, nullptr));
    ask.note("copy within from it", cuda.copy_device_to_device(memory, address, 16));
    ask.note("copy in to it", cuda.copy_host_to_device(address, &on_stack, 4));
    ask.note("copy out from it", cuda.copy_device_to_host(&on_stack, address, 4));
    ask.note("copy in past its end", cuda.copy_host_to_device(memory, static_cast<char*>(pinned) + 4094, 4));
    Function store = ask.function(ask.module(kernels_text), "store");
    DevicePointer target = address;
    unsigned value = 77;
    void* parameters[] = {&target, &value};
    ask.note("kernel stores there", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    ask.note("synchronize", cuda.context_synchronize());
    ask.note_number("stored", *static_cast<volatile unsigned*>(pinned));
    ask.note("free as device memory", cuda.memory_free(address));
    ask.note("device memory free as host", cuda.host_free(reinterpret_cast<void*>(memory)));
    ask.note("free", cuda.host_free(pinned));
    ask.note("free again", cuda.host_free(pinned));
}

CHAPTER("pinned memory of another context") {
    const Library& cuda = ask.cuda;
    ask.begin();
    void* const pinned = ask.pinned(4096);
    const Context other = ask.created(0);
    cuda.context_set_current(other);
    ask.note("free", cuda.host_free(pinned));
    void* not_portable = nullptr;
    cuda.host_allocate(&not_portable, 4096, 0);
    ask.note("destroy its context", cuda.context_destroy(other));
    const Context again = ask.primary(0);
    cuda.context_set_current(again);
    unsigned type = 0;
    ask.note("after its context",
             cuda.pointer_get_attribute(&type, PointerAttribute::memory_type, reinterpret_cast<DevicePointer>(not_portable)));
}

CHAPTER("what copies wait for") {
    const Library& cuda = ask.cuda;
    ask.begin();
    const DevicePointer memory = ask.memory(1 << 16);
    const Stream free_stream = ask.stream(1);
    const Stream blocking = ask.stream(0);
    const Event event = ask.event();
    {
        Gate gate(cuda, free_stream);
        ask.note("stream query", cuda.stream_query(free_stream));
        ask.note("record", cuda.event_record(event, free_stream));
        ask.note("event query", cuda.event_query(event));
        ask.note("blocking query", cuda.stream_query(blocking));
        ask.note("null query", cuda.stream_query(nullptr));
        unsigned value = 3;
        ask.note("null copy beside a held non-blocking stream", cuda.copy_host_to_device(memory, &value, 4));
        ask.note("wait", cuda.stream_wait_event(blocking, event, 0));
        ask.note("blocking query after wait", cuda.stream_query(blocking));
        ask.note("pageable copy in, held stream, 4 bytes", cuda.copy_host_to_device_async(memory, &value, 4, free_stream));
        value = 9;
        gate.open();
        cuda.stream_synchronize(free_stream);
        cuda.copy_device_to_host(&value, memory, 4);
        ask.note_number("was read at the call", value);
    }
    {
        Gate gate(cuda, blocking);
        ask.note("null query while blocking is held", cuda.stream_query(nullptr));
        ask.note("set on null", cuda.set_bytes_async(memory, 1, 16, nullptr));
        ask.note("null query after work", cuda.stream_query(nullptr));
        ask.note("non-blocking goes on", cuda.set_bytes_async(memory + 64, 1, 16, free_stream));
        ask.note("non-blocking synchronize", cuda.stream_synchronize(free_stream));
        auto* const pinned = static_cast<unsigned*>(ask.pinned(16));
        *pinned = 3;
        ask.note("pinned copy in, held stream", cuda.copy_host_to_device_async(memory, pinned, 4, blocking));
        *pinned = 9;
        gate.open();
        cuda.stream_synchronize(blocking);
        unsigned value = 0;
        cuda.copy_device_to_host(&value, memory, 4);
        ask.note_number("was read at its turn", value);
    }
    {
        Gate gate(cuda, nullptr);
        ask.note("set on blocking behind null", cuda.set_bytes_async(memory, 1, 16, blocking));
        ask.note("blocking query behind null", cuda.stream_query(blocking));
        ask.note("non-blocking beside null", cuda.set_bytes_async(memory + 64, 1, 16, free_stream));
        ask.note("non-blocking synchronize beside null", cuda.stream_synchronize(free_stream));
        gate.open();
        ask.note("synchronize", cuda.context_synchronize());
        ask.note("all done", cuda.stream_query(blocking));
    }
    {
        Gate gate(cuda, free_stream);
        ask.note("destroy a held stream", cuda.stream_destroy(free_stream));
        ask.note("context is busy: null query", cuda.stream_query(nullptr));
        gate.open();
        ask.note("synchronize after destroy", cuda.context_synchronize());
    }
}

CHAPTER("pools") {
    const Library& cuda = ask.cuda;
    ask.begin();
    MemoryPool pool{};
    MemoryPoolProperties properties{};
    ask.note("create from zeros", cuda.memory_pool_create(&pool, &properties));
    properties.allocation_type = MemoryAllocationType::pinned;
    ask.note("create without location", cuda.memory_pool_create(&pool, &properties));
    properties.location = {MemoryLocationType::device, 1000};
    ask.note("create on 1000", cuda.memory_pool_create(&pool, &properties));
    properties.location = {MemoryLocationType::device, 0};
    ask.note("create into null", cuda.memory_pool_create(nullptr, &properties));
    ask.note("create from null", cuda.memory_pool_create(&pool, nullptr));
    ask.note("create", cuda.memory_pool_create(&pool, &properties));
    std::uint64_t number = 1;
    int flag = -1;
    ask.note("threshold", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::release_threshold, &number));
    ask.note_number("threshold at first", number);
    ask.note("reuse flag", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::reuse_allow_opportunistic, &flag));
    ask.note_number("reuse flag at first", static_cast<std::uint64_t>(flag));
    ask.note("unknown attribute", cuda.memory_pool_get_attribute(pool, static_cast<MemoryPoolAttribute>(99), &number));
    ask.note("set reserved", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::reserved_memory_current, &number));
    ask.note("set used", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::used_memory_current, &number));
    number = 5;
    ask.note("set high to 5", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::used_memory_high, &number));
    number = 0;
    ask.note("set high to 0", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::used_memory_high, &number));

    DevicePointer first = 0;
    ask.note("allocate 0", cuda.memory_allocate_from_pool_async(&first, 0, pool, nullptr));
    ask.note("allocate into null", cuda.memory_allocate_from_pool_async(nullptr, 16, pool, nullptr));
    ask.note("allocate 1 TiB", cuda.memory_allocate_from_pool_async(&first, std::size_t{1} << 40, pool, nullptr));
    ask.note("allocate", cuda.memory_allocate_from_pool_async(&first, 1000, pool, nullptr));
    ask.note_number("used by 1000", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
    ask.note_number("reserved by 1000", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    DevicePointer second = 0;
    ask.note("allocate 40 MiB", cuda.memory_allocate_from_pool_async(&second, 40 * mib, pool, nullptr));
    ask.note_number("used", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
    ask.note_number("reserved", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    ask.note_number("used high", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_high));
    ask.note("free 40 MiB", cuda.memory_free_async(second, nullptr));
    cuda.stream_synchronize(nullptr);
    ask.note_number("used after free", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
    ask.note_number("reserved after free", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    ask.note_number("used high after free", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_high));
    number = 0;
    cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::used_memory_high, &number);
    ask.note_number("used high reset", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_high));
    number = ~std::uint64_t{0};
    ask.note("threshold to the most", cuda.memory_pool_set_attribute(pool, MemoryPoolAttribute::release_threshold, &number));
    cuda.memory_allocate_from_pool_async(&second, 40 * mib, pool, nullptr);
    cuda.memory_free_async(second, nullptr);
    cuda.stream_synchronize(nullptr);
    ask.note_number("reserved kept", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    ask.note("trim", cuda.memory_pool_trim_to(pool, 0));
    ask.note_number("reserved after trim", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    ask.note("free twice: first", cuda.memory_free_async(first, nullptr));
    ask.note("free twice: second", cuda.memory_free_async(first, nullptr));
    cuda.stream_synchronize(nullptr);
    ask.note("free null", cuda.memory_free_async(0, nullptr));
    ask.note("free garbage", cuda.memory_free_async(0x1234, nullptr));
    cuda.memory_allocate_from_pool_async(&first, 1000, pool, nullptr);
    ask.note("free interior", cuda.memory_free_async(first + 256, nullptr));
    ask.note("copy past the end", cuda.copy_host_to_device(first + 1000, &number, 8));
    ask.note("copy past 1024", cuda.copy_host_to_device(first + 1024, &number, 8));
    ask.note("plain free of it", cuda.memory_free(first));
    ask.note("plain free of it again", cuda.memory_free(first));
    const DevicePointer plain = ask.memory(256);
    ask.note("ordered free of plain memory", cuda.memory_free_async(plain, nullptr));
    ask.note("synchronize", cuda.context_synchronize());
    cuda.memory_allocate_from_pool_async(&first, 1000, pool, nullptr);
    ask.note("destroy with memory alive", cuda.memory_pool_destroy(pool));
    ask.note("its memory", cuda.set_bytes_async(first, 1, 16, nullptr));
    ask.note("free its memory", cuda.memory_free_async(first, nullptr));
    ask.note("synchronize at the end", cuda.context_synchronize());
    MemoryPool standard{};
    cuda.device_get_default_memory_pool(&standard, 0);
    ask.note("destroy the default pool", cuda.memory_pool_destroy(standard));
    ask.note("default pool threshold", cuda.memory_pool_get_attribute(standard, MemoryPoolAttribute::release_threshold, &number));
    ask.note_number("default pool threshold at first", number);
    ask.note("allocate from the default", cuda.memory_allocate_async(&first, 1000, nullptr));
    ask.note("free to the default", cuda.memory_free_async(first, nullptr));
}

CHAPTER("null pool: destroy") {
    ask.begin();
    ask.note("destroy", ask.cuda.memory_pool_destroy(nullptr));
}

CHAPTER("null pool: attribute") {
    ask.begin();
    std::uint64_t number = 0;
    ask.note("attribute", ask.cuda.memory_pool_get_attribute(nullptr, MemoryPoolAttribute::release_threshold, &number));
}

CHAPTER("null pool: allocate") {
    ask.begin();
    DevicePointer pointer = 0;
    ask.note("allocate", ask.cuda.memory_allocate_from_pool_async(&pointer, 1000, nullptr, nullptr));
}

CHAPTER("what pools count") {
    const Library& cuda = ask.cuda;
    ask.begin();
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    for (const std::size_t bytes : {1, 256, 257, 512, 1000, 4096, 100'000, 1 << 20, (1 << 20) + 1, 3 << 20, (40 << 20) + 1}) {
        DevicePointer pointer = 0;
        cuda.memory_allocate_async(&pointer, bytes, nullptr);
        ask.note_number("used by " + std::to_string(bytes), pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
        ask.note_number("reserved by " + std::to_string(bytes), pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
        std::size_t size = 0;
        cuda.pointer_get_attribute(&size, PointerAttribute::range_size, pointer);
        ask.note_number("size of " + std::to_string(bytes), size);
        cuda.memory_free_async(pointer, nullptr);
        cuda.stream_synchronize(nullptr);
        ask.note_number("reserved after the free", pool_number(cuda, pool, MemoryPoolAttribute::reserved_memory_current));
    }
    std::size_t before = 0;
    std::size_t after = 0;
    cuda.memory_get_info(&before, nullptr);
    DevicePointer pointer = 0;
    cuda.memory_allocate_async(&pointer, 1000, nullptr);
    cuda.memory_get_info(&after, nullptr);
    ask.note_number("device memory taken", before - after);
}

CHAPTER("what plain memory takes") {
    const Library& cuda = ask.cuda;
    ask.begin();
    for (const std::size_t bytes : {1, 100'000, 1 << 20, (1 << 20) + 1, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 3 << 20, (40 << 20) + 1}) {
        std::size_t before = 0;
        std::size_t after = 0;
        cuda.memory_get_info(&before, nullptr);
        const DevicePointer pointer = ask.memory(bytes);
        cuda.memory_get_info(&after, nullptr);
        ask.note_number("taken by " + std::to_string(bytes), before - after);
        cuda.memory_free(pointer);
        cuda.memory_get_info(&after, nullptr);
        ask.note("given back", before == after);
    }
}

CHAPTER("pool of limited size") {
    const Library& cuda = ask.cuda;
    ask.begin();
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    properties.max_size = 64 * mib;
    MemoryPool pool{};
    ask.note("create", cuda.memory_pool_create(&pool, &properties));
    DevicePointer first = 0;
    DevicePointer second = 0;
    ask.note("allocate 65 MiB", cuda.memory_allocate_from_pool_async(&first, 65 * mib, pool, nullptr));
    ask.note("allocate 40 MiB", cuda.memory_allocate_from_pool_async(&first, 40 * mib, pool, nullptr));
    ask.note("allocate 40 MiB more", cuda.memory_allocate_from_pool_async(&second, 40 * mib, pool, nullptr));
    ask.note("free", cuda.memory_free_async(first, nullptr));
    ask.note("allocate again", cuda.memory_allocate_from_pool_async(&second, 40 * mib, pool, nullptr));
}

CHAPTER("destroyed pool") {
    const Library& cuda = ask.cuda;
    ask.begin();
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    MemoryPool pool{};
    cuda.memory_pool_create(&pool, &properties);
    ask.note("destroy", cuda.memory_pool_destroy(pool));
    std::uint64_t number = 0;
    ask.note("attribute", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::release_threshold, &number));
    DevicePointer pointer = 0;
    ask.note("allocate", cuda.memory_allocate_from_pool_async(&pointer, 16, pool, nullptr));
    ask.note("destroy again", cuda.memory_pool_destroy(pool));
}

CHAPTER("pool access") {
    const Library& cuda = ask.cuda;
    ask.begin();
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    MemoryAccessDescriptor access{{MemoryLocationType::device, 0}, MemoryAccess::read_write};
    ask.note("own device read and write", cuda.memory_pool_set_access(pool, &access, 1));
    access.flags = MemoryAccess::none;
    ask.note("own device none", cuda.memory_pool_set_access(pool, &access, 1));
    access.flags = MemoryAccess::read;
    ask.note("own device read", cuda.memory_pool_set_access(pool, &access, 1));
    access = {{MemoryLocationType::device, 1000}, MemoryAccess::read_write};
    ask.note("device 1000", cuda.memory_pool_set_access(pool, &access, 1));
    access = {{MemoryLocationType::invalid, 0}, MemoryAccess::read_write};
    ask.note("location invalid", cuda.memory_pool_set_access(pool, &access, 1));
    ask.note("null and 0", cuda.memory_pool_set_access(pool, nullptr, 0));
    ask.note("null and 1", cuda.memory_pool_set_access(pool, nullptr, 1));
}

CHAPTER("memory whose free is queued") {
    const Library& cuda = ask.cuda;
    ask.begin();
    const Stream held = ask.stream();
    const Stream other = ask.stream();
    DevicePointer pooled = 0;
    cuda.memory_allocate_async(&pooled, 1000, held);
    cuda.stream_synchronize(held);
    Gate gate(cuda, held);
    ask.note("free", cuda.memory_free_async(pooled, held));
    ask.note("free again", cuda.memory_free_async(pooled, held));
    ask.note("set on the same stream", cuda.set_bytes_async(pooled, 1, 16, held));
    ask.note("set on another stream", cuda.set_bytes_async(pooled, 1, 16, other));
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    ask.note_number("used", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
    ask.note("query", cuda.stream_query(other) == Status::not_ready ? Status::success : cuda.stream_query(other));
    gate.open();
    ask.note("synchronize", cuda.context_synchronize());
    ask.note("set after the free", cuda.set_bytes_async(pooled, 1, 16, other));
    ask.note_number("used at the end", pool_number(cuda, pool, MemoryPoolAttribute::used_memory_current));
}
