// Contexts: current, not current, retained, created, destroyed.
#include "answer_recorder.hpp"

using namespace cupool::test;

CALL_GROUP("no current context") {
    const Library& cuda = recorder.cuda;
    const Context context = recorder.begin();
    const Stream stream = recorder.stream();
    const Event event = recorder.event();
    const DevicePointer memory = recorder.memory(256);
    void* const pinned = recorder.pinned(256);
    const Module module = recorder.module(kernels_text);
    const Function function = recorder.function(module, "nothing");
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    cuda.context_set_current(nullptr);

    Context current = context;
    recorder.note("get current", cuda.context_get_current(&current));
    recorder.note("is null", current == nullptr);
    recorder.note("get current into null", cuda.context_get_current(nullptr));
    int number = 0;
    std::size_t bytes = 0;
    DevicePointer pointer = 0;
    void* host = nullptr;
    recorder.note("get device", cuda.context_get_device(&number));
    recorder.note("synchronize", cuda.context_synchronize());
    recorder.note("priority range", cuda.context_get_stream_priority_range(&number, &number));
    recorder.note("memory info", cuda.memory_get_info(&bytes, &bytes));
    recorder.note("allocate", cuda.memory_allocate(&pointer, 256));
    recorder.note("allocate 0", cuda.memory_allocate(&pointer, 0));
    recorder.note("host allocate", cuda.host_allocate(&host, 256, 0));
    recorder.note("copy to device", cuda.copy_host_to_device(memory, &number, 4));
    recorder.note("copy to host", cuda.copy_device_to_host(&number, memory, 4));
    recorder.note("copy on device", cuda.copy_device_to_device(memory, memory + 8, 4));
    recorder.note("copy to device on a stream", cuda.copy_host_to_device_async(memory, &number, 4, stream));
    recorder.note("copy to device on stream null", cuda.copy_host_to_device_async(memory, &number, 4, nullptr));
    recorder.note("copy peer on a stream", cuda.copy_peer_async(memory, context, memory + 8, context, 4, stream));
    recorder.note("set bytes on a stream", cuda.set_bytes_async(memory, 1, 4, stream));
    recorder.note("set bytes on stream null", cuda.set_bytes_async(memory, 1, 4, nullptr));
    recorder.note("pointer attribute", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, memory));
    recorder.note("pool allocate on stream null", cuda.memory_allocate_async(&pointer, 256, nullptr));
    recorder.note("pool allocate on a stream", cuda.memory_allocate_async(&pointer, 256, stream));
    recorder.note("pool free on a stream", cuda.memory_free_async(pointer, stream));
    recorder.note("from pool allocate on a stream", cuda.memory_allocate_from_pool_async(&pointer, 256, pool, stream));
    recorder.note("pool free on stream null", cuda.memory_free_async(pointer, nullptr));
    std::uint64_t threshold = 0;
    recorder.note("pool attribute", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::release_threshold, &threshold));
    recorder.note("pool trim", cuda.memory_pool_trim_to(pool, 0));
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    MemoryPool created{};
    recorder.note("pool create", cuda.memory_pool_create(&created, &properties));
    recorder.note("pool destroy", cuda.memory_pool_destroy(created));
    Stream new_stream{};
    recorder.note("stream create", cuda.stream_create(&new_stream, 0, 0));
    recorder.note("stream synchronize", cuda.stream_synchronize(stream));
    recorder.note("stream query", cuda.stream_query(stream));
    recorder.note("stream null synchronize", cuda.stream_synchronize(nullptr));
    recorder.note("stream null query", cuda.stream_query(nullptr));
    recorder.note("stream wait", cuda.stream_wait_event(stream, event, 0));
    recorder.note("host function", cuda.stream_launch_host_function(
                                       stream, [](void*) {}, nullptr));
    Event new_event{};
    recorder.note("event create", cuda.event_create(&new_event, 0));
    recorder.note("event record", cuda.event_record(event, stream));
    recorder.note("event record on stream null", cuda.event_record(event, nullptr));
    recorder.note("event query", cuda.event_query(event) == Status::not_ready ? Status::success : cuda.event_query(event));
    recorder.note("event synchronize", cuda.event_synchronize(event));
    Module new_module{};
    recorder.note("module load", cuda.module_load_data(&new_module, kernels_text, 0, nullptr, nullptr));
    Function same{};
    recorder.note("module get function", cuda.module_get_function(&same, module, "nothing"));
    recorder.note("module get global", cuda.module_get_global(&pointer, &bytes, module, "table"));
    recorder.note("function attribute", cuda.function_get_attribute(&number, FunctionAttribute::register_count, function));
    recorder.note("function set attribute", cuda.function_set_attribute(function, FunctionAttribute::max_dynamic_shared_size_bytes, 65536));
    recorder.note("occupancy", cuda.occupancy_max_active_blocks(&number, function, 128, 0));
    recorder.note("launch on stream null", cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("launch on a stream", cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
    recorder.note("enable peer", cuda.context_enable_peer_access(context, 0));
    recorder.note("disable peer", cuda.context_disable_peer_access(context));
    recorder.note("pop", cuda.context_pop_current(&current));
    recorder.note("stream destroy", cuda.stream_destroy(stream));
    recorder.note("event destroy", cuda.event_destroy(event));
    recorder.note("module unload", cuda.module_unload(module));
    recorder.note("host free", cuda.host_free(pinned));
    recorder.note("free null", cuda.memory_free(0));
    recorder.note("free", cuda.memory_free(memory));
    recorder.note("push null", cuda.context_push_current(nullptr));
    recorder.note("destroy null", cuda.context_destroy(nullptr));
}

CALL_GROUP("primary context") {
    const Library& cuda = recorder.cuda;
    cuda.init(0);
    unsigned flags = 9;
    int active = 9;
    recorder.note("state", cuda.primary_context_get_state(0, &flags, &active));
    recorder.note_number("flags", flags);
    recorder.note_number("active", static_cast<std::uint64_t>(active));
    recorder.note("state into null", cuda.primary_context_get_state(0, nullptr, nullptr));
    recorder.note("state of 1000", cuda.primary_context_get_state(1000, &flags, &active));
    recorder.note("release unretained", cuda.primary_context_release(0));
    recorder.note("retain into null", cuda.primary_context_retain(nullptr, 0));
    Context first{};
    recorder.note("retain 1000", cuda.primary_context_retain(&first, 1000));
    recorder.note("retain", cuda.primary_context_retain(&first, 0));
    Context current = first;
    cuda.context_get_current(&current);
    recorder.note("does not become current", current == nullptr);
    Context second{};
    recorder.note("retain again", cuda.primary_context_retain(&second, 0));
    recorder.note("same handle", first == second);
    cuda.primary_context_get_state(0, &flags, &active);
    recorder.note_number("active when retained", static_cast<std::uint64_t>(active));
    recorder.note("destroy as created", cuda.context_destroy(first));
    cuda.primary_context_get_state(0, &flags, &active);
    recorder.note_number("still active", static_cast<std::uint64_t>(active));
    recorder.note("set current", cuda.context_set_current(first));
    const DevicePointer memory = recorder.memory(256);
    const Stream stream = recorder.stream();
    recorder.note("release", cuda.primary_context_release(0));
    recorder.note("allocated memory still there", cuda.set_bytes_async(memory, 0, 256, stream));
    recorder.note("release to zero", cuda.primary_context_release(0));
    recorder.note("release once more", cuda.primary_context_release(0));
    current = nullptr;
    recorder.note("get current", cuda.context_get_current(&current));
    recorder.note("still current", current == first);
    int number = 0;
    recorder.note("get device", cuda.context_get_device(&number));
    recorder.note("synchronize", cuda.context_synchronize());
    DevicePointer pointer = 0;
    recorder.note("allocate in the released", cuda.memory_allocate(&pointer, 256));
    std::size_t bytes = 0;
    recorder.note("memory info in the released", cuda.memory_get_info(&bytes, &bytes));
    recorder.note("set current the released", cuda.context_set_current(first));
    recorder.note("push the released", cuda.context_push_current(first));
    recorder.note("pointer attribute of its memory", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, memory));
    recorder.note("retain anew", cuda.primary_context_retain(&second, 0));
    recorder.note("same handle anew", first == second);
    recorder.note("is current again: allocate", cuda.memory_allocate(&pointer, 256));
}

CALL_GROUP("released primary context, current as second") {
    const Library& cuda = recorder.cuda;
    const Context primary = recorder.begin();
    const Context other = recorder.created(0);
    cuda.context_push_current(other);
    recorder.note("release below", cuda.primary_context_release(0));
    Context popped{};
    recorder.note("pop", cuda.context_pop_current(&popped));
    recorder.note("popped the created", popped == other);
    Context current{};
    recorder.note("get current", cuda.context_get_current(&current));
    recorder.note("current is the released", current == primary);
    DevicePointer pointer = 0;
    recorder.note("allocate", cuda.memory_allocate(&pointer, 256));
    recorder.note("pop the released", cuda.context_pop_current(&popped));
    recorder.note("pop the empty", cuda.context_pop_current(&popped));
    recorder.note("pop into null", cuda.context_pop_current(nullptr));
}

CALL_GROUP("created contexts") {
    const Library& cuda = recorder.cuda;
    cuda.init(0);
    Context first{};
    recorder.note("create into null", cuda.context_create(nullptr, 0, 0));
    recorder.note("create on 1000", cuda.context_create(&first, 0, 1000));
    recorder.note("create flags 0x1000", cuda.context_create(&first, 0x1000, 0));
    recorder.note("create flags 3", cuda.context_create(&first, 3, 0));
    Context current{};
    recorder.note("create", cuda.context_create(&first, 0, 0));
    cuda.context_get_current(&current);
    recorder.note("is current", current == first);
    Context second{};
    recorder.note("create another", cuda.context_create(&second, 0, 0));
    recorder.note("other handle", first != second);
    cuda.context_get_current(&current);
    recorder.note("the other is current", current == second);
    const DevicePointer memory = recorder.memory(256);
    const Stream stream = recorder.stream();
    recorder.note("destroy the current", cuda.context_destroy(second));
    cuda.context_get_current(&current);
    recorder.note("the first is current again", current == first);
    recorder.note("its memory", cuda.set_bytes_async(memory, 0, 16, nullptr));
    int number = 0;
    recorder.note("attribute of its memory", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, memory));
    recorder.note("set null", cuda.context_set_current(nullptr));
    recorder.note("destroy one not current", cuda.context_destroy(first));
    static_cast<void>(stream);
}

CALL_GROUP("destroyed context, current below") {
    const Library& cuda = recorder.cuda;
    const Context primary = recorder.begin();
    const Context other = recorder.created(0);
    cuda.context_set_current(other);
    cuda.context_push_current(primary);
    recorder.note("destroy below", cuda.context_destroy(other));
    recorder.note("pop", cuda.context_pop_current(nullptr));
    Context current{};
    recorder.note("get current", cuda.context_get_current(&current));
    recorder.note("current is the destroyed", current == other);
    DevicePointer pointer = 0;
    recorder.note("allocate", cuda.memory_allocate(&pointer, 256));
    int number = 0;
    recorder.note("get device", cuda.context_get_device(&number));
    recorder.note("synchronize", cuda.context_synchronize());
    Stream stream{};
    recorder.note("stream create", cuda.stream_create(&stream, 0, 0));
    recorder.note("stream query null", cuda.stream_query(nullptr));
    Context popped{};
    recorder.note("pop it", cuda.context_pop_current(&popped));
}

CALL_GROUP("destroyed context made current") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Context other = recorder.created(0);
    recorder.note("destroy", cuda.context_destroy(other));
    recorder.note("set current", cuda.context_set_current(other));
}

CALL_GROUP("destroyed context pushed") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Context other = recorder.created(0);
    recorder.note("destroy", cuda.context_destroy(other));
    recorder.note("push", cuda.context_push_current(other));
}

CALL_GROUP("destroyed context destroyed") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Context other = recorder.created(0);
    recorder.note("destroy", cuda.context_destroy(other));
    recorder.note("destroy again", cuda.context_destroy(other));
}

CALL_GROUP("two contexts of one device") {
    const Library& cuda = recorder.cuda;
    const Context primary = recorder.begin();
    const DevicePointer mine = recorder.memory(256);
    const Stream my_stream = recorder.stream();
    const Event my_event = recorder.event();
    const Module module = recorder.module(kernels_text);
    const Function nothing = recorder.function(module, "nothing");
    const Context other = recorder.created(0);
    cuda.context_set_current(other);
    int value = 5;
    recorder.note("copy to the other's memory", cuda.copy_host_to_device(mine, &value, 4));
    recorder.note("copy to the other's memory on the other's stream", cuda.copy_host_to_device_async(mine, &value, 4, my_stream));
    recorder.note("set the other's memory", cuda.set_bytes_async(mine, 1, 4, nullptr));
    recorder.note("copy to the other's memory on stream null", cuda.copy_host_to_device_async(mine, &value, 4, nullptr));
    const DevicePointer here = recorder.memory(256);
    recorder.note("copy across", cuda.copy_device_to_device(here, mine, 16));
    recorder.note("copy across on a stream", cuda.copy_device_to_device_async(here, mine, 16, my_stream));
    const Stream here_stream = recorder.stream();
    const Event here_event = recorder.event();
    recorder.note("record the other's event on this stream", cuda.event_record(my_event, here_stream));
    recorder.note("record this event on the other's stream", cuda.event_record(here_event, my_stream));
    recorder.note("record the other's event on the other's stream", cuda.event_record(my_event, my_stream));
    recorder.note("record the other's event on stream null", cuda.event_record(my_event, nullptr));
    recorder.note("wait for the other's event", cuda.stream_wait_event(here_stream, my_event, 0));
    recorder.note("query the other's stream", cuda.stream_synchronize(my_stream));
    recorder.note("query the other's event", cuda.event_synchronize(my_event));
    recorder.note("launch the other's function on stream null",
                  cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("launch the other's function on this stream",
                  cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, here_stream, nullptr, nullptr));
    recorder.note("launch the other's function on the other's stream",
                  cuda.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, my_stream, nullptr, nullptr));
    const Module here_module = recorder.module(kernels_text);
    const Function here_nothing = recorder.function(here_module, "nothing");
    recorder.note("launch this function on the other's stream",
                  cuda.launch_kernel(here_nothing, 1, 1, 1, 1, 1, 1, 0, my_stream, nullptr, nullptr));
    Function found{};
    recorder.note("get the other's function", cuda.module_get_function(&found, module, "store"));
    int number = 0;
    recorder.note("attribute of the other's function", cuda.function_get_attribute(&number, FunctionAttribute::register_count, nothing));
    recorder.note("occupancy of the other's function", cuda.occupancy_max_active_blocks(&number, nothing, 128, 0));
    DevicePointer pooled = 0;
    recorder.note("pool allocate on the other's stream", cuda.memory_allocate_async(&pooled, 256, my_stream));
    recorder.note("pool free on this stream", cuda.memory_free_async(pooled, here_stream));
    Context owner{};
    recorder.note("context of the other's memory", cuda.pointer_get_attribute(&owner, PointerAttribute::context, mine));
    recorder.note("is the other", owner == primary);
    recorder.note("peer of the same device", cuda.context_enable_peer_access(primary, 0));
    recorder.note("peer itself", cuda.context_enable_peer_access(other, 0));
    recorder.note("peer null", cuda.context_enable_peer_access(nullptr, 0));
    recorder.note("peer flags 1", cuda.context_enable_peer_access(primary, 1));
    recorder.note("disable itself", cuda.context_disable_peer_access(other));
    recorder.note("disable not enabled", cuda.context_disable_peer_access(primary));
    recorder.note("disable null", cuda.context_disable_peer_access(nullptr));
    recorder.note("event destroy", cuda.event_destroy(my_event));
    recorder.note("stream destroy", cuda.stream_destroy(my_stream));
    recorder.note("unload the other's module", cuda.module_unload(module));
    recorder.note("free the other's memory", cuda.memory_free(mine));
}

CALL_GROUP("kernel on another context's memory") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    DevicePointer mine = recorder.memory(256);
    const Context other = recorder.created(0);
    cuda.context_set_current(other);
    const Function store = recorder.function(recorder.module(kernels_text), "store");
    unsigned value = 7;
    void* parameters[] = {&mine, &value};
    recorder.note("launch", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    recorder.note("synchronize", cuda.context_synchronize());
}

CALL_GROUP("kernel on another context's pool memory") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    DevicePointer mine = 0;
    recorder.note("allocate", cuda.memory_allocate_async(&mine, 256, nullptr));
    cuda.context_synchronize();
    const Context other = recorder.created(0);
    cuda.context_set_current(other);
    const Function store = recorder.function(recorder.module(kernels_text), "store");
    unsigned value = 7;
    void* parameters[] = {&mine, &value};
    recorder.note("launch", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    recorder.note("synchronize", cuda.context_synchronize());
}

CALL_GROUP("released primary and its pool memory") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    DevicePointer pooled = 0;
    recorder.note("allocate", cuda.memory_allocate_async(&pooled, 256, nullptr));
    cuda.context_synchronize();
    MemoryPool pool{};
    cuda.device_get_default_memory_pool(&pool, 0);
    recorder.note("release", cuda.primary_context_release(0));
    std::uint64_t used = 99;
    recorder.note("used", cuda.memory_pool_get_attribute(pool, MemoryPoolAttribute::used_memory_current, &used));
    recorder.note_number("used bytes", used);
    const Context again = recorder.primary(0);
    cuda.context_set_current(again);
    recorder.note("copy from it", cuda.copy_device_to_host(&used, pooled, 8));
    recorder.note("free it", cuda.memory_free_async(pooled, nullptr));
}

CALL_GROUP("capacity of the current-context stack across threads") {
    const Library& cuda = recorder.cuda;
    const Context context = recorder.begin();
    for (int i = 0; i < 40; ++i) {
        cuda.context_push_current(context);
    }
    recorder.note("push the 41st", cuda.context_push_current(context));
    for (int i = 0; i < 42; ++i) {
        cuda.context_pop_current(nullptr);
    }
    recorder.note("pop the 43rd", cuda.context_pop_current(nullptr));
    recorder.note("set current on an empty stack", cuda.context_set_current(context));
    recorder.note("set current null", cuda.context_set_current(nullptr));
    recorder.note("pop after null", cuda.context_pop_current(nullptr));
    cuda.context_push_current(context);
    cuda.context_push_current(context);
    recorder.note("set current null on two", cuda.context_set_current(nullptr));
    Context current{};
    cuda.context_get_current(&current);
    recorder.note("the lower is current", current == context);
}
