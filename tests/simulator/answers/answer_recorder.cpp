#include "answer_recorder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>

namespace cupool::test {

namespace {

void need(Status result, const char* what) {
    if (result != Status::success) {
        std::cout << "cannot go on: " << what << '\t' << static_cast<int>(result) << std::endl;
        std::_Exit(0);
    }
}

// Never freed: a host function may read its flag after the gate is destroyed.
std::atomic<bool>& new_flag() {
    static std::deque<std::atomic<bool>> all;
    return all.emplace_back(false);
}

}  // namespace

std::vector<CallGroup>& call_groups() {
    static std::vector<CallGroup> all;
    return all;
}

Context AnswerRecorder::begin() const {
    need(cuda.init(0), "init");
    const Context context = primary(0);
    need(cuda.context_set_current(context), "set current");
    return context;
}

Context AnswerRecorder::primary(int device) const {
    Context context{};
    need(cuda.primary_context_retain(&context, device), "retain");
    return context;
}

Context AnswerRecorder::created(int device) const {
    Context context{};
    need(cuda.context_create(&context, 0, device), "create context");
    need(cuda.context_pop_current(nullptr), "pop");
    return context;
}

Stream AnswerRecorder::stream(unsigned flags) const {
    Stream stream{};
    need(cuda.stream_create(&stream, flags, 0), "create stream");
    return stream;
}

Event AnswerRecorder::event(unsigned flags) const {
    Event event{};
    need(cuda.event_create(&event, flags), "create event");
    return event;
}

DevicePointer AnswerRecorder::memory(std::size_t bytes) const {
    DevicePointer pointer = 0;
    need(cuda.memory_allocate(&pointer, bytes), "allocate");
    return pointer;
}

void* AnswerRecorder::pinned(std::size_t bytes) const {
    void* pointer = nullptr;
    need(cuda.host_allocate(&pointer, bytes, 1), "allocate pinned");
    return pointer;
}

Module AnswerRecorder::module(const char* text) const {
    Module module{};
    need(cuda.module_load_data(&module, text, 0, nullptr, nullptr), "load module");
    return module;
}

Function AnswerRecorder::function(Module module, const char* name) const {
    Function function{};
    need(cuda.module_get_function(&function, module, name), "get function");
    return function;
}

Gate::Gate(const Library& cuda, Stream stream) : open_(new_flag()) {
    const auto wait = [](void* open) {
        while (!*static_cast<std::atomic<bool>*>(open)) {
            std::this_thread::yield();
        }
    };
    need(cuda.stream_launch_host_function(stream, wait, &open_), "launch host function");
}

const char* const kernels_text = R"(
.version 6.3
.target sm_75
.address_size 64

.visible .global .align 4 .b8 table[64];
.visible .const .align 4 .u32 constants[4];

.visible .entry nothing()
{
    ret;
}

.visible .entry store(.param .u64 p, .param .u32 v)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [v];
    st.global.u32 [%rd1], %r1;
    ret;
}

.visible .entry trap_now()
{
    trap;
    ret;
}

.visible .entry uses_shared(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    .shared .align 4 .b8 buffer[1024];
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, buffer;
    st.shared.u32 [%r2], %r1;
    bar.sync 0;
    ld.shared.u32 %r1, [%r2];
    st.global.u32 [%rd1], %r1;
    ret;
}

.visible .entry at_most_128() .maxntid 128, 1, 1
{
    ret;
}

.visible .entry exactly_64() .reqntid 64, 1, 1
{
    ret;
}
)";

}  // namespace cupool::test

namespace {

using namespace cupool::test;

int run_call_group(const Library& library, const std::string& name) {
    for (const CallGroup& group : call_groups()) {
        if (group.name == name) {
            AnswerRecorder recorder(library);
            group.ask(recorder);
            std::cout.flush();
            std::_Exit(0);
        }
    }
    return 2;
}

// Runs a group in a separate process, since it may crash or leave the driver with a fault.
void run_in_child(const char* program, const char* path, const CallGroup& group) {
    std::cout << "\n# " << group.name << std::endl;
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);  // survives exec: a driver call may never return
        execl(program, program, path, group.name, nullptr);
        std::_Exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        std::cout << "died\tsignal " << WTERMSIG(status) << std::endl;
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: " << argv[0] << " LIBCUDA [CALL_GROUP | --devices N]\n";
        return 2;
    }
    if (argc == 3) {
        return run_call_group(Library(argv[1]), argv[2]);
    }
    const int devices = argc == 4 ? std::atoi(argv[3]) : 1;
    for (const CallGroup& group : call_groups()) {
        if (group.devices <= devices) {
            run_in_child(argv[0], argv[1], group);
        }
    }
    return 0;
}
