// What a device fault, or a fork, leaves of the driver.
#include <sys/wait.h>
#include <unistd.h>

#include "interview.hpp"

using namespace cupool::test;

namespace {

// Everything there is, made before the driver dies.
struct Before {
    explicit Before(const Interview& ask)
        : context(ask.begin()),
          created(ask.created(0)),
          stream(ask.stream()),
          event(ask.event()),
          late_event(ask.event()),
          memory(ask.memory(256)),
          pinned(ask.pinned(256)),
          module(ask.module(kernels_text)),
          second_module(ask.module(kernels_text)),
          nothing(ask.function(module, "nothing")) {
        ask.cuda.memory_allocate_async(&pooled, 256, stream);
        MemoryPoolProperties properties{};
        properties.allocation_type = MemoryAllocationType::pinned;
        properties.location = {MemoryLocationType::device, 0};
        ask.cuda.memory_pool_create(&pool, &properties);
        ask.cuda.event_record(event, stream);
        ask.cuda.context_synchronize();
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

void ask_everything(Interview& ask, const Before& before) {
    const Library& cuda = ask.cuda;
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
    ask.note("init", cuda.init(0));
    ask.note("version", cuda.driver_get_version(&number));
    ask.note("error name", cuda.get_error_name(Status::success, &text));
    ask.note("proc address", cuda.get_proc_address("cuInit", &host, 12000, 0));
    ask.note("device count", cuda.device_get_count(&number));
    ask.note("device get", cuda.device_get(&number, 0));
    ask.note("device name", cuda.device_get_name(name, 64, 0));
    ask.note("device uuid", cuda.device_get_uuid(&uuid, 0));
    ask.note("device memory", cuda.device_total_memory(&bytes, 0));
    ask.note("device attribute", cuda.device_get_attribute(&number, DeviceAttribute::warp_size, 0));
    ask.note("device pci id", cuda.device_get_pci_bus_id(name, 64, 0));
    ask.note("device peer", cuda.device_can_access_peer(&number, 0, 0));
    ask.note("device default pool", cuda.device_get_default_memory_pool(&pool, 0));
    ask.note("primary state", cuda.primary_context_get_state(0, &flags, &number));
    ask.note("primary retain", cuda.primary_context_retain(&context, 0));
    ask.note("context get current", cuda.context_get_current(&context));
    ask.note("context get device", cuda.context_get_device(&number));
    ask.note("context set current", cuda.context_set_current(before.context));
    ask.note("context push", cuda.context_push_current(before.created));
    ask.note("context pop", cuda.context_pop_current(&context));
    ask.note("context priorities", cuda.context_get_stream_priority_range(&number, &number));
    ask.note("context synchronize", cuda.context_synchronize());
    ask.note("context create", cuda.context_create(&context, 0, 0));
    ask.note("memory info", cuda.memory_get_info(&bytes, &bytes));
    ask.note("allocate", cuda.memory_allocate(&pointer, 256));
    ask.note("host allocate", cuda.host_allocate(&host, 256, 0));
    ask.note("copy in", cuda.copy_host_to_device(before.memory, &value, 8));
    ask.note("copy out", cuda.copy_device_to_host(&value, before.memory, 8));
    ask.note("copy in async", cuda.copy_host_to_device_async(before.memory, before.pinned, 8, before.stream));
    ask.note("set", cuda.set_bytes_async(before.memory, 1, 8, before.stream));
    ask.note("pointer attribute", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, before.memory));
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    ask.note("pool create", cuda.memory_pool_create(&pool, &properties));
    ask.note("pool attribute", cuda.memory_pool_get_attribute(before.pool, MemoryPoolAttribute::used_memory_current, &value));
    ask.note("pool set attribute", cuda.memory_pool_set_attribute(before.pool, MemoryPoolAttribute::release_threshold, &value));
    ask.note("pool trim", cuda.memory_pool_trim_to(before.pool, 0));
    ask.note("pool allocate", cuda.memory_allocate_async(&pointer, 256, before.stream));
    ask.note("pool allocate from", cuda.memory_allocate_from_pool_async(&pointer, 256, before.pool, before.stream));
    Stream stream{};
    ask.note("stream create", cuda.stream_create(&stream, 0, 0));
    ask.note("stream query", cuda.stream_query(before.stream));
    ask.note("stream synchronize", cuda.stream_synchronize(before.stream));
    ask.note("stream wait", cuda.stream_wait_event(before.stream, before.event, 0));
    ask.note("host function", cuda.stream_launch_host_function(
                                  before.stream, [](void*) {}, nullptr));
    Event event{};
    ask.note("event create", cuda.event_create(&event, 0));
    ask.note("event record", cuda.event_record(before.late_event, before.stream));
    ask.note("event query", cuda.event_query(before.event));
    ask.note("event synchronize", cuda.event_synchronize(before.event));
    float milliseconds = 0;
    ask.note("event elapsed", cuda.event_elapsed_time(&milliseconds, before.event, before.event));
    Module module{};
    Function function{};
    ask.note("module load", cuda.module_load_data(&module, kernels_text, 0, nullptr, nullptr));
    ask.note("module get function", cuda.module_get_function(&function, before.module, "store"));
    ask.note("module get global", cuda.module_get_global(&pointer, &bytes, before.module, "table"));
    ask.note("function attribute", cuda.function_get_attribute(&number, FunctionAttribute::register_count, before.nothing));
    ask.note("function set attribute", cuda.function_set_attribute(before.nothing, FunctionAttribute::max_dynamic_shared_size_bytes, 1024));
    ask.note("occupancy", cuda.occupancy_max_active_blocks(&number, before.nothing, 128, 0));
    ask.note("launch", cuda.launch_kernel(before.nothing, 1, 1, 1, 1, 1, 1, 0, before.stream, nullptr, nullptr));
    ask.note("pool free", cuda.memory_free_async(before.pooled, before.stream));
    ask.note("pool destroy", cuda.memory_pool_destroy(before.pool));
    ask.note("free", cuda.memory_free(before.memory));
    ask.note("host free", cuda.host_free(before.pinned));
    ask.note("event destroy", cuda.event_destroy(before.event));
    ask.note("stream destroy", cuda.stream_destroy(before.stream));
    ask.note("module unload", cuda.module_unload(before.second_module));
    ask.note("context destroy", cuda.context_destroy(before.created));
    ask.note("primary release", cuda.primary_context_release(0));
    ask.note("primary retain at the end", cuda.primary_context_retain(&context, 0));
}

// Only what a real driver survives being asked there.
void ask_in_child(Interview& ask, const Before& before) {
    const Library& cuda = ask.cuda;
    int number = 0;
    Context context{};
    DevicePointer pointer = 0;
    std::uint64_t value = 0;
    const char* text = nullptr;
    void* found = nullptr;
    ask.note("child init", cuda.init(0));
    ask.note("child version", cuda.driver_get_version(&number));
    ask.note("child error name", cuda.get_error_name(Status::success, &text));
    ask.note("child proc address", cuda.get_proc_address("cuInit", &found, 12000, 0));
    ask.note("child device count", cuda.device_get_count(&number));
    ask.note("child attribute", cuda.device_get_attribute(&number, DeviceAttribute::warp_size, 0));
    ask.note("child get current", cuda.context_get_current(&context));
    ask.note("child set current", cuda.context_set_current(before.context));
    ask.note("child retain", cuda.primary_context_retain(&context, 0));
    ask.note("child synchronize", cuda.context_synchronize());
    ask.note("child allocate", cuda.memory_allocate(&pointer, 256));
    ask.note("child copy in", cuda.copy_host_to_device(before.memory, &value, 8));
    ask.note("child free", cuda.memory_free(before.memory));
    ask.note("child host free", cuda.host_free(before.pinned));
    ask.note("child release", cuda.primary_context_release(0));
}

void ask_after_fault(Interview& ask, const char* kernel, bool misaligned = false) {
    Before before(ask);
    DevicePointer address = misaligned ? before.memory + 2 : 0x10;
    const Function function = ask.function(before.module, kernel);
    unsigned value = 1;
    void* parameters[] = {&address, &value};
    ask.note("launch it", ask.cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, before.stream, parameters, nullptr));
    ask.note("synchronize", ask.cuda.stream_synchronize(before.stream));
    ask_everything(ask, before);
}

}  // namespace

CHAPTER("after an illegal address") { ask_after_fault(ask, "store"); }

CHAPTER("after a trap") { ask_after_fault(ask, "trap_now"); }

CHAPTER("after a misaligned address") { ask_after_fault(ask, "store", true); }

CHAPTER("fault: which calls tell first") {
    const Library& cuda = ask.cuda;
    Before before(ask);
    const Function store = ask.function(before.module, "store");
    DevicePointer address = 0x10;
    unsigned value = 1;
    void* parameters[] = {&address, &value};
    {
        Gate gate(cuda, before.stream);
        ask.note("launch behind a gate", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, before.stream, parameters, nullptr));
        ask.note("host function behind it", cuda.stream_launch_host_function(
                                                before.stream, [](void* ran) { *static_cast<bool*>(ran) = true; }, before.pinned));
        *static_cast<bool*>(before.pinned) = false;
        ask.note("record behind it", cuda.event_record(before.late_event, before.stream));
    }
    ask.note("event synchronize", cuda.event_synchronize(before.late_event));
    ask.note("event query", cuda.event_query(before.late_event));
    ask.note("stream query", cuda.stream_query(before.stream));
    ask.note("host function ran", *static_cast<bool*>(before.pinned));
}

CHAPTER("in a forked child") {
    Before before(ask);
    const pid_t child = fork();
    if (child == 0) {
        ask_in_child(ask, before);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    ask.note("parent synchronize", ask.cuda.context_synchronize());
}

CHAPTER("fork before init") {
    const pid_t child = fork();
    if (child == 0) {
        ask.note("child init", ask.cuda.init(0));
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    ask.note("parent init", ask.cuda.init(0));
}
