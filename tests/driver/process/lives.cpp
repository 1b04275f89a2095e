#include "process/lives.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/simulator/simulator.hpp>
#include <iostream>
#include <optional>
#include <thread>
#include <vector>

namespace cupool::test {

namespace {

template <class Function>
Function* simulator_function(const char* name) {
    static void* const library = ::dlopen(CUPOOL_SIMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

std::uint64_t driver_calls() { return simulator_function<decltype(cupoolSimCallCountOfAll)>("cupoolSimCallCountOfAll")(); }

std::uint64_t device_allocations() {
    CupoolSimLiveCounts counts{};
    simulator_function<decltype(cupoolSimLiveCount)>("cupoolSimLiveCount")(&counts);
    return counts.device_allocations;
}

/// The driver's calls at the moment from which on there may be none.
std::optional<std::uint64_t> calls_until_the_end;

/// The first static: destroyed last.
const struct Watcher {
    ~Watcher() {
        if (calls_until_the_end && driver_calls() != *calls_until_the_end) {
            std::cout << "the driver was called after its end" << std::endl;
            std::_Exit(1);
        }
    }
} watcher;

/// Constructed right after the driver's initialisation: destroyed right before the driver's own end.
struct End {
    ~End() {
        calls_until_the_end = driver_calls();
        std::cout << device_allocations() << " left" << std::endl;
    }
};

/// Some of everything.
struct Objects {
    void fill() {
        context = DeviceContext::default_for_device(0);
        stream.emplace(context->context());
        event.emplace(context->context());
        buffer.emplace(1000, context->with_stream(*stream));
        pinned.emplace(1000, context->context());
    }

    std::optional<DeviceContext> context;
    std::optional<Stream> stream;
    std::optional<Event> event;
    std::optional<DeviceBuffer<int>> buffer;
    std::optional<PinnedBuffer<int>> pinned;
};

Objects& in_static() {
    static Objects objects;
    return objects;
}

Objects& in_thread_local() {
    thread_local Objects objects;
    return objects;
}

std::optional<Objects>& until_atexit() {
    static auto& objects = *new std::optional<Objects>;  // destroyed by nobody else
    return objects;
}

void initialise() {
    Driver::system()->initialize();
    static const End end;
}

bool works() {
    try {
        const DeviceBuffer<int> buffer(1000, DeviceContext::default_for_device(0));
        return true;
    } catch (const Error& error) {
        std::cout << error.what() << std::endl;
        return false;
    }
}

int exit_code_of(pid_t process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int tear_down(const std::string& order) {
    for (const char what : order) {
        switch (what) {
            case 's': in_static(); break;
            case 't': in_thread_local(); break;
            case 'a':
                until_atexit().emplace();
                std::atexit([] { until_atexit().reset(); });
                break;
            default: initialise();
        }
    }
    in_static().fill();
    in_thread_local().fill();
    until_atexit()->fill();
    return 0;
}

int exit_during_kernel() {
    static std::optional<Objects> early;
    initialise();
    early.emplace().fill();
    static Objects late;
    late.fill();
    const Module module(late.context->context(), R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry turn(.param .u32 count)
{
    .reg .pred %p<1>;
    .reg .b32 %r<2>;
    ld.param.u32 %r0, [count];
again:
    sub.u32 %r0, %r0, 1;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra again;
    ret;
}
)");
    for (const Objects* objects : {&*early, &late}) module.kernel<std::uint32_t>("turn").launch({1, 32}, *objects->stream, 2'000'000);
    return late.stream->query() ? 1 : 0;
}

int fork_early(bool loaded) {
    if (loaded) static_cast<void>(Driver::system());
    const pid_t child = ::fork();
    if (child == 0) return works() ? 0 : 1;
    const int code = exit_code_of(child);
    return code == 0 && works() ? 0 : 1;
}

int daemonise(bool initialised) {
    static std::optional<Objects> objects;
    if (initialised) {
        initialise();
        objects.emplace().fill();
    }
    if (::daemon(0, 1) != 0) return 1;  // forks; the parent is gone by _exit()
    const bool fares_well = works();
    std::cout << "daemon: " << (fares_well ? "works" : "is refused") << std::endl;
    return 0;
}

int use_plugin(const std::string& path) {
    for (int round = 0; round < 3; ++round) {
        void* const plugin = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (plugin == nullptr) {
            std::cout << ::dlerror() << std::endl;
            return 1;
        }
        const auto work = reinterpret_cast<int (*)()>(::dlsym(plugin, "cupool_test_plugin_work"));
        if (work == nullptr || work() != 0) return 2;
        ::dlclose(plugin);
        if (::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr) return 3;  // proves nothing
    }
    // What the plugin may have registered for a fork is gone with it.
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    return exit_code_of(child);
}

int first_use() {
    constexpr int count = 64;
    std::atomic<int> ready{0};
    std::atomic<int> working{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&] {
            ++ready;
            while (ready < count) std::this_thread::yield();
            working += works() ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) thread.join();
    const auto calls = simulator_function<decltype(cupoolSimCallCount)>("cupoolSimCallCount")("cuInit");
    std::cout << working << " work, cuInit was called " << calls << " times" << std::endl;
    return working == count && calls == 1 ? 0 : 1;
}

}  // namespace cupool::test
