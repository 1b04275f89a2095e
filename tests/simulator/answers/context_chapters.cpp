// Contexts: current or not, retained, created, destroyed.
#include "interview.hpp"

using namespace cupool::test;

CHAPTER("no current context") {
    const Library& cuda = ask.cuda;
    const Context context = ask.begin();
    const Stream stream = ask.stream();
    const Event event = ask.event();
    const DevicePointer memory = ask.memory(256);
    void* const pinned = ask.pinned(256);
    const Module module = ask.module(kernels_text);
    const Function function = ask.function(module, "nothing");
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    cuda.context_set_current(nullptr);

    Context current = context;
    ask.note("get current", cuda.context_get_current(&current));
    ask.note("is null", current == nullptr);
    ask.note("get current into null", cuda.context_get_current(nullptr));
    int number = 0;
    std::size_t bytes = 0;
    DevicePointer pointer = 0;
    void* host = nullptr;
    ask.note("get device", cuda.context_get_device(&number));
    ask.note("synchronize", cuda.context_synchronize());
    ask.note("priority range", cuda.context_get_stream_priority_range(&number, &number));
    ask.note("memory info", cuda.memory_get_info(&bytes, &bytes));
    ask.note("allocate", cuda.memory_allocate(&pointer, 256));
    ask.note("allocate 0", cuda.memory_allocate(&pointer, 0));
    ask.note("host allocate", cuda.host_allocate(&host, 256, 0));
    ask.note("copy to device", cuda.copy_host_to_device(memory, &number, 4));
    ask.note("copy to host", cuda.copy_device_to_host(&number, memory, 4));
    ask.note("copy on device", cuda.copy_device_to_device(memory, memory + 8, 4));
    ask.note("copy to device on a stream", cuda.copy_host_to_device_async(memory, &number, 4, stream));
    ask.note("copy to device on stream null", cuda.copy_host_to_device_async(memory, &number, 4, nullptr));
    ask.note("copy peer on a stream", cuda.copy_peer_async(memory, context, memory + 8, context, 4, stream));
    ask.note("set bytes on a stream", cuda.set_bytes_async(memory, 1, 4, stream));
    ask.note("set bytes on stream null", cuda.set_bytes_async(memory, 1, 4, nullptr));
    ask.note("pointer attribute", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, memory));
    ask.note("pool allocate on stream null", cuda.memory_allocate_async(&pointer, 256, nullptr));
    ask.note("pool allocate on a stream", cuda.memory_allocate_async(&pointer, 256, stream));
    ask.note("pool free on a stream", cuda.memory_free_async(pointer, stream));
    ask.note("from pool allocate on a stream", cuda.memory_allocate_from_pool_async(&pointer, 256, pool, stream));
    ask.note("pool free on stream null", cuda.memory_free_async(pointer, nullptr));
    std::uint64_t threshold = 0;
    ask.note("pool attribute", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::release_threshold, &threshold));
    ask.note("pool trim", cuda.memory_pool_trim_to(pool, 0));
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    MemoryPool created{};
    ask.note("pool create", cuda.memory_pool_create(&created, &properties));
    ask.note("pool destroy", cuda.memory_pool_destroy(created));
    Stream new_stream{};
    ask.note("stream create", cuda.stream_create(&new_stream, 0, 0));
    ask.note("stream synchronize", cuda.stream_synchronize(stream));
    ask.note("stream query", cuda.stream_query(stream));
    ask.note("stream null synchronize", cuda.stream_synchronize(nullptr));
    ask.note("stream null query", cuda.stream_query(nullptr));
    ask.note("stream wait", cuda.stream_wait_event(stream, event, 0));
    ask.note("host function", cuda.stream_launch_host_function(
                                  stream, [](void*) {}, nullptr));
    Event new_event{};
    ask.note("event create", cuda.event_create(&new_event, 0));
    ask.note("event record", cuda.event_record(event, stream));
    ask.note("event record on stream null", cuda.event_record(event, nullptr));
    ask.note("event query", cuda.event_query(event) == Status::not_ready ? Status::success : cuda.event_query(event));
    ask.note("event synchronize", cuda.event_synchronize(event));
    Module new_module{};
    ask.note("module load", cuda.module_load_data(&new_module, kernels_text, 0, nullptr, nullptr));
    Function same{};
    ask.note("module get function", cuda.module_get_function(&same, module, "nothing"));
    ask.note("module get global", cuda.module_get_global(&pointer, &bytes, module, "table"));
    ask.note("function attribute", cuda.function_get_attribute(&number, FunctionAttribute::register_count, function));
    ask.note("function set attribute", cuda.function_set_attribute(function, FunctionAttribute::max_dynamic_shared_size_bytes, 65536));
    ask.note("occupancy", cuda.occupancy_max_active_blocks(&number, function, 128, 0));
    ask.note("launch on stream null", cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    ask.note("launch on a stream", cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
    ask.note("enable peer", cuda.context_enable_peer_access(context, 0));
    ask.note("disable peer", cuda.context_disable_peer_access(context));
    ask.note("pop", cuda.context_pop_current(&current));
    ask.note("stream destroy", cuda.stream_destroy(stream));
    ask.note("event destroy", cuda.event_destroy(event));
    ask.note("module unload", cuda.module_unload(module));
    ask.note("host free", cuda.host_free(pinned));
    ask.note("free null", cuda.memory_free(0));
    ask.note("free", cuda.memory_free(memory));
    ask.note("push null", cuda.context_push_current(nullptr));
    ask.note("destroy null", cuda.context_destroy(nullptr));
}

CHAPTER("primary context") {
    const Library& cuda = ask.cuda;
    cuda.init(0);
    unsigned flags = 9;
    int active = 9;
    ask.note("state", cuda.primary_context_get_state(0, &flags, &active));
    ask.note_number("flags", flags);
    ask.note_number("active", static_cast<std::uint64_t>(active));
    ask.note("state into null", cuda.primary_context_get_state(0, nullptr, nullptr));
    ask.note("state of 1000", cuda.primary_context_get_state(1000, &flags, &active));
    ask.note("release unretained", cuda.primary_context_release(0));
    ask.note("retain into null", cuda.primary_context_retain(nullptr, 0));
    Context first{};
    ask.note("retain 1000", cuda.primary_context_retain(&first, 1000));
    ask.note("retain", cuda.primary_context_retain(&first, 0));
    Context current = first;
    cuda.context_get_current(&current);
    ask.note("does not become current", current == nullptr);
    Context second{};
    ask.note("retain again", cuda.primary_context_retain(&second, 0));
    ask.note("same handle", first == second);
    cuda.primary_context_get_state(0, &flags, &active);
    ask.note_number("active when retained", static_cast<std::uint64_t>(active));
    ask.note("destroy as created", cuda.context_destroy(first));
    cuda.primary_context_get_state(0, &flags, &active);
    ask.note_number("still active", static_cast<std::uint64_t>(active));
    ask.note("set current", cuda.context_set_current(first));
    const DevicePointer memory = ask.memory(256);
    const Stream stream = ask.stream();
    ask.note("release", cuda.primary_context_release(0));
    ask.note("allocated memory still there", cuda.set_bytes_async(memory, 0, 256, stream));
    ask.note("release to zero", cuda.primary_context_release(0));
    ask.note("release once more", cuda.primary_context_release(0));
    current = nullptr;
    ask.note("get current", cuda.context_get_current(&current));
    ask.note("still current", current == first);
    int number = 0;
    ask.note("get device", cuda.context_get_device(&number));
    ask.note("synchronize", cuda.context_synchronize());
    DevicePointer pointer = 0;
    ask.note("allocate in the released", cuda.memory_allocate(&pointer, 256));
    std::size_t bytes = 0;
    ask.note("memory info in the released", cuda.memory_get_info(&bytes, &bytes));
    ask.note("set current the released", cuda.context_set_current(first));
    ask.note("push the released", cuda.context_push_current(first));
    ask.note("pointer attribute of its memory", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, memory));
    ask.note("retain anew", cuda.primary_context_retain(&second, 0));
    ask.note("same handle anew", first == second);
    ask.note("is current again: allocate", cuda.memory_allocate(&pointer, 256));
}

CHAPTER("released primary context, current as second") {
    const Library& cuda = ask.cuda;
    const Context primary = ask.begin();
    const Context other = ask.created(0);
    cuda.context_push_current(other);
    ask.note("release below", cuda.primary_context_release(0));
    Context popped{};
    ask.note("pop", cuda.context_pop_current(&popped));
    ask.note("popped the created", popped == other);
    Context current{};
    ask.note("get current", cuda.context_get_current(&current));
    ask.note("current is the released", current == primary);
    DevicePointer pointer = 0;
    ask.note("allocate", cuda.memory_allocate(&pointer, 256));
    ask.note("pop the released", cuda.context_pop_current(&popped));
    ask.note("pop the empty", cuda.context_pop_current(&popped));
    ask.note("pop into null", cuda.context_pop_current(nullptr));
}

CHAPTER("created contexts") {
    const Library& cuda = ask.cuda;
    cuda.init(0);
    Context first{};
    ask.note("create into null", cuda.context_create(nullptr, 0, 0));
    ask.note("create on 1000", cuda.context_create(&first, 0, 1000));
    ask.note("create flags 0x1000", cuda.context_create(&first, 0x1000, 0));
    ask.note("create flags 3", cuda.context_create(&first, 3, 0));
    Context current{};
    ask.note("create", cuda.context_create(&first, 0, 0));
    cuda.context_get_current(&current);
    ask.note("is current", current == first);
    Context second{};
    ask.note("create another", cuda.context_create(&second, 0, 0));
    ask.note("other handle", first != second);
    cuda.context_get_current(&current);
    ask.note("the other is current", current == second);
    const DevicePointer memory = ask.memory(256);
    const Stream stream = ask.stream();
    ask.note("destroy the current", cuda.context_destroy(second));
    cuda.context_get_current(&current);
    ask.note("the first is current again", current == first);
    ask.note("its memory", cuda.set_bytes_async(memory, 0, 16, nullptr));
    int number = 0;
    ask.note("attribute of its memory", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, memory));
    ask.note("set null", cuda.context_set_current(nullptr));
    ask.note("destroy one not current", cuda.context_destroy(first));
    static_cast<void>(stream);
}

CHAPTER("destroyed context, current below") {
    const Library& cuda = ask.cuda;
    const Context primary = ask.begin();
    const Context other = ask.created(0);
    cuda.context_set_current(other);
    cuda.context_push_current(primary);
    ask.note("destroy below", cuda.context_destroy(other));
    ask.note("pop", cuda.context_pop_current(nullptr));
    Context current{};
    ask.note("get current", cuda.context_get_current(&current));
    ask.note("current is the destroyed", current == other);
    DevicePointer pointer = 0;
    ask.note("allocate", cuda.memory_allocate(&pointer, 256));
    int number = 0;
    ask.note("get device", cuda.context_get_device(&number));
    ask.note("synchronize", cuda.context_synchronize());
    Stream stream{};
    ask.note("stream create", cuda.stream_create(&stream, 0, 0));
    ask.note("stream query null", cuda.stream_query(nullptr));
    Context popped{};
    ask.note("pop it", cuda.context_pop_current(&popped));
}

CHAPTER("destroyed context made current") {
    const Library& cuda = ask.cuda;
    ask.begin();
    const Context other = ask.created(0);
    ask.note("destroy", cuda.context_destroy(other));
    ask.note("set current", cuda.context_set_current(other));
}

CHAPTER("destroyed context pushed") {
    const Library& cuda = ask.cuda;
    ask.begin();
    const Context other = ask.created(0);
    ask.note("destroy", cuda.context_destroy(other));
    ask.note("push", cuda.context_push_current(other));
}

CHAPTER("destroyed context destroyed") {
    const Library& cuda = ask.cuda;
    ask.begin();
    const Context other = ask.created(0);
    ask.note("destroy", cuda.context_destroy(other));
    ask.note("destroy again", cuda.context_destroy(other));
}

CHAPTER("two contexts of one device") {
    const Library& cuda = ask.cuda;
    const Context primary = ask.begin();
    const DevicePointer mine = ask.memory(256);
    const Stream my_stream = ask.stream();
    const Event my_event = ask.event();
    const Module module = ask.module(kernels_text);
    const Function nothing = ask.function(module, "nothing");
    const Context other = ask.created(0);
    cuda.context_set_current(other);
    int value = 5;
    ask.note("copy to the other's memory", cuda.copy_host_to_device(mine, &value, 4));
    ask.note("copy to the other's memory on the other's stream", cuda.copy_host_to_device_async(mine, &value, 4, my_stream));
    ask.note("set the other's memory", cuda.set_bytes_async(mine, 1, 4, nullptr));
    ask.note("copy to the other's memory on stream null", cuda.copy_host_to_device_async(mine, &value, 4, nullptr));
    const DevicePointer here = ask.memory(256);
    ask.note("copy across", cuda.copy_device_to_device(here, mine, 16));
    ask.note("copy across on a stream", cuda.copy_device_to_device_async(here, mine, 16, my_stream));
    const Stream here_stream = ask.stream();
    const Event here_event = ask.event();
    ask.note("record the other's event on this stream", cuda.event_record(my_event, here_stream));
    ask.note("record this event on the other's stream", cuda.event_record(here_event, my_stream));
    ask.note("record the other's event on the other's stream", cuda.event_record(my_event, my_stream));
    ask.note("record the other's event on stream null", cuda.event_record(my_event, nullptr));
    ask.note("wait for the other's event", cuda.stream_wait_event(here_stream, my_event, 0));
    ask.note("query the other's stream", cuda.stream_synchronize(my_stream));
    ask.note("query the other's event", cuda.event_synchronize(my_event));
    ask.note("launch the other's function on stream null", cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    ask.note("launch the other's function on this stream", cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, here_stream, nullptr, nullptr));
    ask.note("launch the other's function on the other's stream",
             cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, my_stream, nullptr, nullptr));
    const Module here_module = ask.module(kernels_text);
    const Function here_nothing = ask.function(here_module, "nothing");
    ask.note("launch this function on the other's stream",
             cuda.launch_kernel(here_nothing, 1, 1, 1, 1, 1, 1, 0, my_stream, nullptr, nullptr));
    Function found{};
    ask.note("get the other's function", cuda.module_get_function(&found, module, "store"));
    int number = 0;
    ask.note("attribute of the other's function", cuda.function_get_attribute(&number, FunctionAttribute::register_count, nothing));
    ask.note("occupancy of the other's function", cuda.occupancy_max_active_blocks(&number, nothing, 128, 0));
    DevicePointer pooled = 0;
    ask.note("pool allocate on the other's stream", cuda.memory_allocate_async(&pooled, 256, my_stream));
    ask.note("pool free on this stream", cuda.memory_free_async(pooled, here_stream));
    Context owner{};
    ask.note("context of the other's memory", cuda.pointer_get_attribute(&owner, PointerAttribute::context, mine));
    ask.note("is the other", owner == primary);
    ask.note("peer of the same device", cuda.context_enable_peer_access(primary, 0));
    ask.note("peer itself", cuda.context_enable_peer_access(other, 0));
    ask.note("peer null", cuda.context_enable_peer_access(nullptr, 0));
    ask.note("peer flags 1", cuda.context_enable_peer_access(primary, 1));
    ask.note("disable itself", cuda.context_disable_peer_access(other));
    ask.note("disable not enabled", cuda.context_disable_peer_access(primary));
    ask.note("disable null", cuda.context_disable_peer_access(nullptr));
    ask.note("event destroy", cuda.event_destroy(my_event));
    ask.note("stream destroy", cuda.stream_destroy(my_stream));
    ask.note("unload the other's module", cuda.module_unload(module));
    ask.note("free the other's memory", cuda.memory_free(mine));
}

CHAPTER("kernel on another context's memory") {
    const Library& cuda = ask.cuda;
    ask.begin();
    DevicePointer mine = ask.memory(256);
    const Context other = ask.created(0);
    cuda.context_set_current(other);
    const Function store = ask.function(ask.module(kernels_text), "store");
    unsigned value = 7;
    void* parameters[] = {&mine, &value};
    ask.note("launch", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    ask.note("synchronize", cuda.context_synchronize());
}

CHAPTER("kernel on another context's pool memory") {
    const Library& cuda = ask.cuda;
    ask.begin();
    DevicePointer mine = 0;
    ask.note("allocate", cuda.memory_allocate_async(&mine, 256, nullptr));
    cuda.context_synchronize();
    const Context other = ask.created(0);
    cuda.context_set_current(other);
    const Function store = ask.function(ask.module(kernels_text), "store");
    unsigned value = 7;
    void* parameters[] = {&mine, &value};
    ask.note("launch", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    ask.note("synchronize", cuda.context_synchronize());
}

CHAPTER("released primary and its pool memory") {
    const Library& cuda = ask.cuda;
    ask.begin();
    DevicePointer pooled = 0;
    ask.note("allocate", cuda.memory_allocate_async(&pooled, 256, nullptr));
    cuda.context_synchronize();
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    ask.note("release", cuda.primary_context_release(0));
    std::uint64_t used = 99;
    ask.note("used", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::used_memory_current, &used));
    ask.note_number("used bytes", used);
    const Context again = ask.primary(0);
    cuda.context_set_current(again);
    ask.note("copy from it", cuda.copy_device_to_host(&used, pooled, 8));
    ask.note("free it", cuda.memory_free_async(pooled, nullptr));
}

CHAPTER("capacity of the current-context stack across threads") {
    const Library& cuda = ask.cuda;
    const Context context = ask.begin();
    for (int i = 0; i < 40; ++i) {
        cuda.context_push_current(context);
    }
    ask.note("push the 41st", cuda.context_push_current(context));
    for (int i = 0; i < 42; ++i) {
        cuda.context_pop_current(nullptr);
    }
    ask.note("pop the 43rd", cuda.context_pop_current(nullptr));
    ask.note("set current on an empty stack", cuda.context_set_current(context));
    ask.note("set current null", cuda.context_set_current(nullptr));
    ask.note("pop after null", cuda.context_pop_current(nullptr));
    cuda.context_push_current(context);
    cuda.context_push_current(context);
    ask.note("set current null on two", cuda.context_set_current(nullptr));
    Context current{};
    cuda.context_get_current(&current);
    ask.note("the lower is current", current == context);
}
