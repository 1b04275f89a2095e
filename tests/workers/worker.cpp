// A worker program whose functions misbehave on request; with the argument "own", a program that has a pool of itself until it is killed.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/pool/worker_function.hpp>
#include <cupool/pool/worker_pool.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace cupool;

extern char** environ;

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

constexpr const char* trap_text = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry stop()
{
trap;
ret;
}
)";

void misbehave(const DevicePool& device, const std::string& how) {
    if (how == "exit") ::_exit(42);
    if (how == "xid") {  // has the fake NVML of the pool's process report an error
        const char* const file = std::getenv("CUPOOL_FAKE_NVML_XID_FILE");
        std::ofstream(file).put('\n');
        while (std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ::_exit(42);
    }
    if (how == "kill") ::raise(SIGKILL);
    if (how == "abort") {
        const rlimit no_dump{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_dump);
        ::signal(SIGABRT, SIG_DFL);
        ::abort();
    }
    if (how == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (how == "garbage") {
        const std::string junk(100, '\x5a');
        (void)!::write(3, junk.data(), junk.size());
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
    if (how == "fault") (void)run_kernel({trap_text, "stop", {1, 1}, {}}, device.context_at(0));
    if (how == "memory") (void)DeviceBuffer<std::byte>(std::size_t{1} << 46, device.context_at(0));
    if (how == "grow") {
        std::vector<std::string> grown;
        for (;;) {
            grown.emplace_back(std::size_t{1} << 22, 'x');
            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the pool looks ten times a second
        }
    }
    if (how == "orphan") {  // leaves a process behind that has all descriptors of this one, and dies
        if (::fork() == 0) {
            std::this_thread::sleep_for(std::chrono::hours(1));
            ::_exit(0);
        }
        ::raise(SIGKILL);
    }
    if (how == "throw") throw std::runtime_error("as it was asked to");
}

/// The names of the open descriptors but the one that lists them.
Bytes descriptors(const DevicePool&, std::span<const std::byte>) {
    std::string names;
    for (int i = 0; i < 1000; ++i) {
        if (::fcntl(i, F_GETFD) >= 0) names += std::to_string(i) + " ";
    }
    return bytes_of(names);
}

Bytes environment(const DevicePool&, std::span<const std::byte>) {
    std::string text;
    for (char** variable = environ; *variable != nullptr; ++variable) text += *variable + std::string("\n");
    return bytes_of(text);
}

/// Misbehaves as "HOW FILE" says unless the file exists, and makes the file before it does; then it returns "done".
Bytes misbehave_once(const DevicePool& device, std::span<const std::byte> input) {
    const std::string text = text_of(input);
    const std::size_t blank = text.find(' ');
    const std::string file = text.substr(blank + 1);
    const int made = ::open(file.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made >= 0) {
        ::close(made);
        misbehave(device, text.substr(0, blank));
    }
    return bytes_of("done");
}

/// Has a pool of this program, prints its workers' process ids, and waits to be killed.
int own_pool() {
    const WorkerPool pool = WorkerPool::start();
    for (const WorkerStatus& worker : pool.metrics().workers) std::cout << worker.process << " ";
    std::cout << std::endl;
    for (;;) ::pause();
}

}  // namespace

int main(int argc, char** argv) {
    register_worker_function("echo", [](const DevicePool&, std::span<const std::byte> input) { return Bytes(input.begin(), input.end()); });
    register_worker_function("process", [](const DevicePool&, std::span<const std::byte>) { return bytes_of(std::to_string(::getpid())); });
    register_worker_function("device",
                             [](const DevicePool& device, std::span<const std::byte>) { return bytes_of(device.identity_at(0).uuid); });
    register_worker_function("free_device_memory", [](const DevicePool& device, std::span<const std::byte>) {
        return bytes_of(std::to_string(device.context_at(0).context().memory_info().free));
    });
    register_worker_function("descriptors", descriptors);
    register_worker_function("environment", environment);
    register_worker_function("maps", [](const DevicePool&, std::span<const std::byte>) {
        std::ifstream maps("/proc/self/maps");
        return bytes_of(std::string(std::istreambuf_iterator<char>(maps), {}));
    });
    register_worker_function("misbehave", [](const DevicePool& device, std::span<const std::byte> input) {
        misbehave(device, text_of(input));
        return Bytes{};
    });
    register_worker_function("misbehave_once", misbehave_once);
    if (const char* const mark = std::getenv("CUPOOL_TEST_HANGS_IF"); mark != nullptr && ::access(mark, F_OK) == 0) {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
    serve_if_worker(argc, argv);
    if (argc == 2 && std::string_view(argv[1]) == "own") return own_pool();
    std::cerr << "this is a worker program of the tests\n";
    return 2;
}
