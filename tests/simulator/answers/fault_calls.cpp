// Calls after a device fault or a fork.
#include <sys/wait.h>
#include <unistd.h>

#include "answer_recorder.hpp"

using namespace cupool::test;

namespace {

// Objects of every type, created before the fault.
struct Before {
    explicit Before(const AnswerRecorder& recorder)
        : context(recorder.begin()),
          created(recorder.created(0)),
          stream(recorder.stream()),
          event(recorder.event()),
          late_event(recorder.event()),
          memory(recorder.memory(256)),
          pinned(recorder.pinned(256)),
          module(recorder.module(kernels_text)),
          second_module(recorder.module(kernels_text)),
          nothing(recorder.function(module, "nothing")) {
        recorder.cuda.memory_allocate_async(&pooled, 256, stream);
        MemoryPoolProperties properties{};
        properties.allocation_type = MemoryAllocationType::pinned;
        properties.location = {MemoryLocationType::device, 0};
        recorder.cuda.memory_pool_create(&pool, &properties);
        recorder.cuda.event_record(event, stream);
        recorder.cuda.context_synchronize();
    }

    Context context;
    Context created;
    Stream stream;
    Event event;
    Event late_event;
    DevicePointer memory;
    void* pinned;
    Module module;
    Module second_module;
    Function nothing;
    DevicePointer pooled = 0;
    MemoryPool pool{};
};

void ask_everything(AnswerRecorder& recorder, const Before& before) {
    const Library& cuda = recorder.cuda;
    int number = 0;
    unsigned flags = 0;
    std::size_t bytes = 0;
    Context context{};
    DevicePointer pointer = 0;
    void* host = nullptr;
    const char* text = nullptr;
    char name[64];
    Uuid uuid{};
    std::uint64_t value = 0;
    MemoryPool pool{};
    recorder.note("init", cuda.init(0));
    recorder.note("version", cuda.driver_get_version(&number));
    recorder.note("error name", cuda.get_error_name(Status::success, &text));
    recorder.note("proc address", cuda.get_proc_address("cuInit", &host, 12000, 0));
    recorder.note("device count", cuda.device_get_count(&number));
    recorder.note("device get", cuda.device_get(&number, 0));
    recorder.note("device name", cuda.device_get_name(name, 64, 0));
    recorder.note("device uuid", cuda.device_get_uuid(&uuid, 0));
    recorder.note("device memory", cuda.device_total_memory(&bytes, 0));
    recorder.note("device attribute", cuda.device_get_attribute(&number, DeviceAttribute::warp_size, 0));
    recorder.note("device pci id", cuda.device_get_pci_bus_id(name, 64, 0));
    recorder.note("device peer", cuda.device_can_access_peer(&number, 0, 0));
    recorder.note("device default pool", cuda.device_get_default_memory_pool(&pool, 0));
    recorder.note("primary state", cuda.primary_context_get_state(0, &flags, &number));
    recorder.note("primary retain", cuda.primary_context_retain(&context, 0));
    recorder.note("context get current", cuda.context_get_current(&context));
    recorder.note("context get device", cuda.context_get_device(&number));
    recorder.note("context set current", cuda.context_set_current(before.context));
    recorder.note("context push", cuda.context_push_current(before.created));
    recorder.note("context pop", cuda.context_pop_current(&context));
    recorder.note("context priorities", cuda.context_get_stream_priority_range(&number, &number));
    recorder.note("context synchronize", cuda.context_synchronize());
    recorder.note("context create", cuda.context_create(&context, 0, 0));
    recorder.note("memory info", cuda.memory_get_info(&bytes, &bytes));
    recorder.note("allocate", cuda.memory_allocate(&pointer, 256));
    recorder.note("host allocate", cuda.host_allocate(&host, 256, 0));
    recorder.note("copy in", cuda.copy_host_to_device(before.memory, &value, 8));
    recorder.note("copy out", cuda.copy_device_to_host(&value, before.memory, 8));
    recorder.note("copy in async", cuda.copy_host_to_device_async(before.memory, before.pinned, 8, before.stream));
    recorder.note("set", cuda.set_bytes_async(before.memory, 1, 8, before.stream));
    recorder.note("pointer attribute", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, before.memory));
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    recorder.note("pool create", cuda.memory_pool_create(&pool, &properties));
    recorder.note("pool attribute", cuda.memory_pool_get_attribute(before.pool, MemoryPoolAttribute::used_memory_current, &value));
    recorder.note("pool set attribute", cuda.memory_pool_set_attribute(before.pool, MemoryPoolAttribute::release_threshold, &value));
    recorder.note("pool trim", cuda.memory_pool_trim_to(before.pool, 0));
    recorder.note("pool allocate", cuda.memory_allocate_async(&pointer, 256, before.stream));
    recorder.note("pool allocate from", cuda.memory_allocate_from_pool_async(&pointer, 256, before.pool, before.stream));
    Stream stream{};
    recorder.note("stream create", cuda.stream_create(&stream, 0, 0));
    recorder.note("stream query", cuda.stream_query(before.stream));
    recorder.note("stream synchronize", cuda.stream_synchronize(before.stream));
    recorder.note("stream wait", cuda.stream_wait_event(before.stream, before.event, 0));
    recorder.note("host function", cuda.stream_launch_host_function(
                                       before.stream, [](void*) {}, nullptr));
    Event event{};
    recorder.note("event create", cuda.event_create(&event, 0));
    recorder.note("event record", cuda.event_record(before.late_event, before.stream));
    recorder.note("event query", cuda.event_query(before.event));
    recorder.note("event synchronize", cuda.event_synchronize(before.event));
    float milliseconds = 0;
    recorder.note("event elapsed", cuda.event_elapsed_time(&milliseconds, before.event, before.event));
    Module module{};
    Function function{};
    recorder.note("module load", cuda.module_load_data(&module, kernels_text, 0, nullptr, nullptr));
    recorder.note("module get function", cuda.module_get_function(&function, before.module, "store"));
    recorder.note("module get global", cuda.module_get_global(&pointer, &bytes, before.module, "table"));
    recorder.note("function attribute", cuda.function_get_attribute(&number, FunctionAttribute::register_count, before.nothing));
    recorder.note("function set attribute",
                  cuda.function_set_attribute(before.nothing, FunctionAttribute::max_dynamic_shared_size_bytes, 1024));
    recorder.note("occupancy", cuda.occupancy_max_active_blocks(&number, before.nothing, 128, 0));
    recorder.note("launch", cuda.launch_kernel(before.nothing, 1, 1, 1, 1, 1, 1, 0, before.stream, nullptr, nullptr));
    recorder.note("pool free", cuda.memory_free_async(before.pooled, before.stream));
    recorder.note("pool destroy", cuda.memory_pool_destroy(before.pool));
    recorder.note("free", cuda.memory_free(before.memory));
    recorder.note("host free", cuda.host_free(before.pinned));
    recorder.note("event destroy", cuda.event_destroy(before.event));
    recorder.note("stream destroy", cuda.stream_destroy(before.stream));
    recorder.note("module unload", cuda.module_unload(before.second_module));
    recorder.note("context destroy", cuda.context_destroy(before.created));
    recorder.note("primary release", cuda.primary_context_release(0));
    recorder.note("primary retain at the end", cuda.primary_context_retain(&context, 0));
}

// Only calls that do not crash a real driver there.
void ask_in_child(AnswerRecorder& recorder, const Before& before) {
    const Library& cuda = recorder.cuda;
    int number = 0;
    Context context{};
    DevicePointer pointer = 0;
    std::uint64_t value = 0;
    const char* text = nullptr;
    void* found = nullptr;
    recorder.note("child init", cuda.init(0));
    recorder.note("child version", cuda.driver_get_version(&number));
    recorder.note("child error name", cuda.get_error_name(Status::success, &text));
    recorder.note("child proc address", cuda.get_proc_address("cuInit", &found, 12000, 0));
    recorder.note("child device count", cuda.device_get_count(&number));
    recorder.note("child attribute", cuda.device_get_attribute(&number, DeviceAttribute::warp_size, 0));
    recorder.note("child get current", cuda.context_get_current(&context));
    recorder.note("child set current", cuda.context_set_current(before.context));
    recorder.note("child retain", cuda.primary_context_retain(&context, 0));
    recorder.note("child synchronize", cuda.context_synchronize());
    recorder.note("child allocate", cuda.memory_allocate(&pointer, 256));
    recorder.note("child copy in", cuda.copy_host_to_device(before.memory, &value, 8));
    recorder.note("child free", cuda.memory_free(before.memory));
    recorder.note("child host free", cuda.host_free(before.pinned));
    recorder.note("child release", cuda.primary_context_release(0));
}

void ask_after_fault(AnswerRecorder& recorder, const char* kernel, bool misaligned = false) {
    Before before(recorder);
    DevicePointer address = misaligned ? before.memory + 2 : 0x10;
    const Function function = recorder.function(before.module, kernel);
    unsigned value = 1;
    void* parameters[] = {&address, &value};
    recorder.note("launch it", recorder.cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, before.stream, parameters, nullptr));
    recorder.note("synchronize", recorder.cuda.stream_synchronize(before.stream));
    ask_everything(recorder, before);
}

}  // namespace

CALL_GROUP("after an illegal address") { ask_after_fault(recorder, "store"); }

CALL_GROUP("after a trap") { ask_after_fault(recorder, "trap_now"); }

CALL_GROUP("after a misaligned address") { ask_after_fault(recorder, "store", true); }

CALL_GROUP("fault: which calls tell first") {
    const Library& cuda = recorder.cuda;
    Before before(recorder);
    const Function store = recorder.function(before.module, "store");
    DevicePointer address = 0x10;
    unsigned value = 1;
    void* parameters[] = {&address, &value};
    {
        Gate gate(cuda, before.stream);
        recorder.note("launch behind a gate", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, before.stream, parameters, nullptr));
        recorder.note("host function behind it", cuda.stream_launch_host_function(
                                                     before.stream, [](void* ran) { *static_cast<bool*>(ran) = true; }, before.pinned));
        *static_cast<bool*>(before.pinned) = false;
        recorder.note("record behind it", cuda.event_record(before.late_event, before.stream));
    }
    recorder.note("event synchronize", cuda.event_synchronize(before.late_event));
    recorder.note("event query", cuda.event_query(before.late_event));
    recorder.note("stream query", cuda.stream_query(before.stream));
    recorder.note("host function ran", *static_cast<bool*>(before.pinned));
}

CALL_GROUP("in a forked child") {
    Before before(recorder);
    const pid_t child = fork();
    if (child == 0) {
        ask_in_child(recorder, before);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    recorder.note("parent synchronize", recorder.cuda.context_synchronize());
}

CALL_GROUP("fork before init") {
    const pid_t child = fork();
    if (child == 0) {
        recorder.note("child init", recorder.cuda.init(0));
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    recorder.note("parent init", recorder.cuda.init(0));
}
