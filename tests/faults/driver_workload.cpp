#include "driver_workload.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

namespace cupool::test {

namespace {

using namespace abi;

/// Adds a word to one in memory.
constexpr const char* add_text = R"(.version 6.3
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry add(.param .u64 p, .param .u32 v)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [v];
    ld.global.u32 %r2, [%rd1];
    add.u32 %r2, %r2, %r1;
    st.global.u32 [%rd1], %r2;
    ret;
}
)";

// Words that streams have to themselves, and those of the other kinds of work.
constexpr std::size_t copied_word = 3;
constexpr std::size_t captured_word = 6;
constexpr std::size_t first_word_of_graph = 7;
constexpr std::size_t second_word_of_graph = 8;
constexpr std::size_t uploaded_word = 9;
constexpr std::size_t written_value = 10;
constexpr std::size_t rows_word = 11;

void wait_until_true(void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
}

void count_call(void* calls) { ++*static_cast<std::atomic<int>*>(calls); }

}  // namespace

DriverWorkload::DriverWorkload(const EntryPoints& api) : api_(api) {
    must(api_.init(0), "cuInit");
    must(api_.primary_context_retain(&context_, 0), "cuDevicePrimaryCtxRetain");
    must(api_.context_set_current(context_), "cuCtxSetCurrent");
    must(api_.memory_allocate(&words_, word_count * sizeof(std::uint32_t)), "cuMemAlloc");
    must(api_.set_words(words_, 0, word_count), "cuMemsetD32");
    must(api_.stream_synchronize(nullptr), "cuStreamSynchronize");
    for (std::size_t i = 0; i < stream_count; ++i) {
        must(api_.stream_create(&streams_[i], i == 0 ? 0 : 1, 0), "cuStreamCreateWithPriority");
        must(api_.event_create(&events_[i], 0), "cuEventCreate");
    }
    must(api_.stream_create(&capturing_, 1, 0), "cuStreamCreateWithPriority");
    must(api_.event_create(&of_graph_, 0), "cuEventCreate");
    must(api_.module_load_data(&module_, add_text, 0, nullptr, nullptr), "cuModuleLoadData");
    must(api_.module_get_function(&add_, module_, "add"), "cuModuleGetFunction");
    build_graph();
}

// Two kernels beside each other, then a host function beside the record of an event.
void DriverWorkload::build_graph() {
    must(api_.graph_create(&graph_, 0), "cuGraphCreate");
    GraphNode kernels[2]{};
    std::uint32_t value = 3;
    for (std::size_t i = 0; i < 2; ++i) {
        DevicePointer to = word(first_word_of_graph + i);
        void* parameters[] = {&to, &value};
        const KernelNodeParameters node{add_, 1, 1, 1, 1, 1, 1, 0, parameters, nullptr};
        must(api_.graph_add_kernel_node(&kernels[i], graph_, nullptr, 0, &node), "cuGraphAddKernelNode");
    }
    GraphNode ignored{};
    const HostNodeParameters host{count_call, &calls_};
    must(api_.graph_add_host_node(&ignored, graph_, kernels, 2, &host), "cuGraphAddHostNode");
    must(api_.graph_add_event_record_node(&ignored, graph_, kernels, 1, of_graph_), "cuGraphAddEventRecordNode");
    must(api_.graph_instantiate(&exec_, graph_, nullptr, nullptr, 0), "cuGraphInstantiate");
}

void DriverWorkload::queue_work() {
    queue_kernels_and_graphs();
    use_memory(streams_[2]);
    pass_value();
}

void DriverWorkload::queue_work_behind_gates() {
    for (const Stream stream : streams_) ok(api_.stream_launch_host_function(stream, wait_until_true, &are_gates_open_));
    queue_kernels_and_graphs();
    are_gates_open_ = true;
    use_memory(streams_[2]);
    pass_value();
}

void DriverWorkload::queue_kernels_and_graphs() {
    for (std::size_t i = 0; i < stream_count; ++i) queue_on(i);
    for (std::size_t i = 0; i < stream_count; ++i) copy_between_streams(i, (i + 1) % stream_count);
    capture_and_launch();
    if (ok(api_.graph_launch(exec_, streams_[1]))) {
        expected_[first_word_of_graph] += 3;
        expected_[second_word_of_graph] += 3;
        ++expected_calls_;
    }
}

void DriverWorkload::queue_on(std::size_t i) {
    const Stream stream = streams_[i];
    if (ok(api_.set_words_async(word(i), 100, 1, stream))) expected_[i] = 100;
    if (ok(launch_add(word(i), 7, stream))) expected_[i] += 7;
    if (ok(api_.stream_launch_host_function(stream, count_call, &calls_))) ++expected_calls_;
    if (ok(launch_add(word(i), 1, stream))) expected_[i] += 1;
}

void DriverWorkload::copy_between_streams(std::size_t from, std::size_t to) {
    const bool is_ordered =
        ok(api_.event_record(events_[from], streams_[from])) && ok(api_.stream_wait_event(streams_[to], events_[from], 0));
    if (is_ordered && ok(api_.copy_device_to_device_async(word(copied_word + from), word(from), 4, streams_[to]))) {
        expected_[copied_word + from] = expected_[from];
    }
}

// What the capture took is what the launch does.
void DriverWorkload::capture_and_launch() {
    if (!ok(api_.stream_begin_capture(capturing_, CaptureMode::relaxed))) return;
    const bool sets = ok(api_.set_words_async(word(captured_word), 40, 1, capturing_));
    const bool adds = ok(launch_add(word(captured_word), 2, capturing_));
    const bool calls = ok(api_.stream_launch_host_function(capturing_, count_call, &calls_));
    Graph graph{};
    if (!ok(api_.stream_end_capture(capturing_, &graph))) {
        return end([this, graph]() mutable {
            const Status ended = api_.stream_end_capture(capturing_, &graph);
            return ended == Status::success ? api_.graph_destroy(graph) : ended;
        });
    }
    GraphExec exec{};
    if (ok(api_.graph_instantiate(&exec, graph, nullptr, nullptr, 0))) {
        if (ok(api_.graph_launch(exec, streams_[0]))) {
            expected_[captured_word] = (sets ? 40 : expected_[captured_word]) + (adds ? 2 : 0);
            expected_calls_ += calls ? 1 : 0;
        }
        end([this, exec] { return api_.graph_exec_destroy(exec); });
    }
    end([this, graph] { return api_.graph_destroy(graph); });
}

void DriverWorkload::use_memory(Stream stream) {
    const std::uint32_t value = expected_[uploaded_word] + 1;
    if (ok(api_.copy_host_to_device_async(word(uploaded_word), &value, 4, stream))) expected_[uploaded_word] = value;
    std::uint32_t read = 0;
    if (ok(api_.copy_device_to_host_async(&read, word(uploaded_word), 4, stream)) && read != expected_[uploaded_word]) {
        complaint_ = "a copy to the host brought another value";
    }
    if (ok(api_.set_bytes_2d_async(word(rows_word), 8, 1, 4, 2, stream))) {
        expected_[rows_word] = expected_[rows_word + 2] = 0x01010101;
    }
    DevicePointer pooled = 0;
    if (ok(api_.memory_allocate_async(&pooled, 64, stream))) {
        ok(api_.set_bytes_async(pooled, 1, 64, stream));
        end([this, pooled, stream] { return api_.memory_free_async(pooled, stream); });
    }
}

void DriverWorkload::pass_value() {
    const std::uint32_t value = expected_[written_value] + 1;
    if (ok(api_.stream_write_value_32(streams_[0], word(written_value), value, 0))) {
        expected_[written_value] = value;
        ok(api_.stream_wait_value_32(streams_[1], word(written_value), value, 0));
    }
}

void DriverWorkload::make_objects() {
    make_context();
    make_modules();
    Stream stream{};
    if (ok(api_.stream_create(&stream, 0, 0))) end([this, stream] { return api_.stream_destroy(stream); });
    Event event{};
    if (ok(api_.event_create(&event, 0))) end([this, event] { return api_.event_destroy(event); });
    DevicePointer pointer = 0;
    if (ok(api_.memory_allocate(&pointer, 64))) end([this, pointer] { return api_.memory_free(pointer); });
    void* host = nullptr;
    if (ok(api_.host_allocate(&host, 64, 0))) end([this, host] { return api_.host_free(host); });
    if (ok(api_.primary_context_retain(&context_, 0))) end([this] { return api_.primary_context_release(0); });
    UserObject object{};
    if (ok(api_.user_object_create(&object, &calls_, count_call, 1, 1))) {
        ++expected_calls_;  // by its end
        end([this, object] { return api_.user_object_release(object, 1); });
    }
    // On the stream of this thread, whose first use makes it.
    const auto own = reinterpret_cast<Stream>(2);
    if (ok(api_.set_words_async(word(0), 9, 1, own))) expected_[0] = 9;
}

void DriverWorkload::make_context() {
    Context context{};
    if (!ok(api_.context_create(&context, 0, 0))) return;
    Stream stream{};
    if (ok(api_.stream_create(&stream, 0, 0)))
        ok(api_.stream_launch_host_function(
            stream, [](void*) {}, nullptr));
    end([this, context] { return api_.context_destroy(context); });
    must(api_.context_set_current(context_), "cuCtxSetCurrent");
}

void DriverWorkload::make_modules() {
    Module module{};
    const std::string text = std::string(add_text) + "// another text, so that it is parsed\n";
    if (ok(api_.module_load_data(&module, text.c_str(), 0, nullptr, nullptr))) {
        Function function{};
        ok(api_.module_get_function(&function, module, "add"));
        end([this, module] { return api_.module_unload(module); });
    }
    CodeLibrary library{};
    if (ok(api_.library_load_data(&library, add_text, nullptr, nullptr, 0, nullptr, nullptr, 0))) {
        DevicePointer counter = 0;
        ok(api_.library_get_global(&counter, nullptr, library, "counter"));
        end([this, library] { return api_.library_unload(library); });
    }
}

Status DriverWorkload::settle() {
    for (const auto& end : ends_) {
        if (const Status result = end(); result != Status::success) return result;
    }
    return api_.context_synchronize();
}

void DriverWorkload::finish() {
    std::array<std::uint32_t, word_count> found{};
    must(api_.copy_device_to_host(found.data(), words_, sizeof found), "cuMemcpyDtoH");
    for (std::size_t i = 0; i < word_count; ++i) {
        if (found[i] != expected_[i]) {
            complaint_ = "word " + std::to_string(i) + " is " + std::to_string(found[i]) + ", not " + std::to_string(expected_[i]);
        }
    }
    if (calls_ != expected_calls_) {
        complaint_ = std::to_string(calls_) + " host functions were called, not " + std::to_string(expected_calls_);
    }
    if (!complaint_.empty()) throw std::logic_error(complaint_);
    must(api_.graph_exec_destroy(exec_), "cuGraphExecDestroy");
    must(api_.graph_destroy(graph_), "cuGraphDestroy");
    must(api_.module_unload(module_), "cuModuleUnload");
    for (const Event event : events_) must(api_.event_destroy(event), "cuEventDestroy");
    must(api_.event_destroy(of_graph_), "cuEventDestroy");
    for (const Stream stream : streams_) must(api_.stream_destroy(stream), "cuStreamDestroy");
    must(api_.stream_destroy(capturing_), "cuStreamDestroy");
    must(api_.memory_free(words_), "cuMemFree");
    must(api_.primary_context_release(0), "cuDevicePrimaryCtxRelease");
}

bool DriverWorkload::ok(Status result) {
    const bool is_shortage = result == Status::out_of_memory || result == Status::operating_system;
    if (result != Status::success && !is_shortage) complaint_ = "a call answered " + std::to_string(static_cast<int>(result));
    return result == Status::success;
}

void DriverWorkload::must(Status result, const char* call) const {
    if (result != Status::success) throw std::runtime_error(std::string(call) + " answered " + std::to_string(static_cast<int>(result)));
}

void DriverWorkload::end(std::function<Status()> end) {
    if (!ok(end())) ends_.push_back(std::move(end));
}

Status DriverWorkload::launch_add(DevicePointer to, std::uint32_t value, Stream stream) {
    void* parameters[] = {&to, &value};
    return api_.launch_kernel(add_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
}

}  // namespace cupool::test
