// A driver that is the simulated one but for what the environment asks: CUPOOL_TEST_INIT is what cuInit does, CUPOOL_TEST_COUNT what
// cuDeviceGetCount answers, CUPOOL_TEST_VERSION what cuDriverGetVersion answers, CUPOOL_TEST_NAME what its devices are called,
// CUPOOL_TEST_ATTRIBUTE the value of each of their attributes, CUPOOL_TEST_UUID a byte of which their UUIDs consist. With CUPOOL_TEST_FLIP
// the memory of its devices has a bit that is stuck (memory), or what is copied to them arrives with a wrong bit (copy). Each process that
// calls cuInit adds a line with its id to the file that CUPOOL_TEST_INIT_LOG names.
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr int success = 0;
constexpr int not_supported = 801;

const char* variable(const char* name) { return std::getenv(name); }

void note_process(const char* path) {
    std::FILE* const file = std::fopen(path, "a");
    if (file == nullptr) return;
    std::fprintf(file, "%d\n", static_cast<int>(::getpid()));
    std::fclose(file);
}

/// The simulated driver's function of that name.
template <class Function>
Function simulated(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

void misbehave(std::string_view deed) {
    if (deed == "crash") {
        std::signal(SIGSEGV, SIG_DFL);  // sanitizers make an exit code of it
        std::raise(SIGSEGV);
    }
    if (deed == "leave") ::_exit(0);
    if (deed == "hang") ::pause();
    if (deed == "speak") {
        std::puts("foreign code runs");
        std::fflush(stdout);
        std::fputs("foreign code runs\n", stderr);
    }
}

bool is_flipped(std::string_view what) {
    const char* const wanted = variable("CUPOOL_TEST_FLIP");
    return wanted != nullptr && what == wanted;
}

}  // namespace

extern "C" {

// Without a look-up of its own a driver's functions are found by their names, so these stand before the simulated ones.
int cuGetProcAddress(const char*, void**, int, unsigned long) { return not_supported; }
int cuGetProcAddress_v2(const char*, void**, int, unsigned long, void*) { return not_supported; }

int cuInit(unsigned flags) {
    if (const char* const path = variable("CUPOOL_TEST_INIT_LOG")) note_process(path);
    if (const char* const deed = variable("CUPOOL_TEST_INIT")) misbehave(deed);
    return simulated<int (*)(unsigned)>("cuInit")(flags);
}

int cuDriverGetVersion(int* version) {
    const char* const wanted = variable("CUPOOL_TEST_VERSION");
    if (wanted == nullptr) return simulated<int (*)(int*)>("cuDriverGetVersion")(version);
    *version = std::atoi(wanted);
    return success;
}

int cuDeviceGetCount(int* count) {
    const char* const wanted = variable("CUPOOL_TEST_COUNT");
    if (wanted == nullptr) return simulated<int (*)(int*)>("cuDeviceGetCount")(count);
    *count = std::atoi(wanted);
    return success;
}

int cuDeviceGetName(char* name, int size, int device) {
    const char* const wanted = variable("CUPOOL_TEST_NAME");
    if (wanted == nullptr) return simulated<int (*)(char*, int, int)>("cuDeviceGetName")(name, size, device);
    std::strncpy(name, wanted, static_cast<std::size_t>(size));
    return success;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
    const char* const wanted = variable("CUPOOL_TEST_ATTRIBUTE");
    if (wanted == nullptr) return simulated<int (*)(int*, int, int)>("cuDeviceGetAttribute")(value, attribute, device);
    *value = std::atoi(wanted);
    return success;
}

int cuDeviceGetUuid_v2(void* uuid, int device) {
    const char* const wanted = variable("CUPOOL_TEST_UUID");
    if (wanted == nullptr) return simulated<int (*)(void*, int)>("cuDeviceGetUuid_v2")(uuid, device);
    std::memset(uuid, std::atoi(wanted), 16);
    return success;
}

int cuMemsetD32Async(unsigned long long pointer, unsigned value, std::size_t count, void* stream) {
    const auto set = simulated<int (*)(unsigned long long, unsigned, std::size_t, void*)>("cuMemsetD32Async");
    const int result = set(pointer, value, count, stream);
    if (result != success || !is_flipped("memory")) return result;
    constexpr unsigned stuck_bit = 4;
    return set(pointer + count / 2 * sizeof value, value | stuck_bit, 1, stream);
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, std::size_t bytes, void* stream) {
    const auto copy = simulated<int (*)(unsigned long long, const void*, std::size_t, void*)>("cuMemcpyHtoDAsync_v2");
    const int result = copy(to, from, bytes, stream);
    if (result != success || !is_flipped("copy")) return result;
    const auto set = simulated<int (*)(unsigned long long, unsigned char, std::size_t, void*)>("cuMemsetD8Async");
    const auto wrong = static_cast<unsigned char>(static_cast<const unsigned char*>(from)[bytes / 2] ^ 1U);
    return set(to + bytes / 2, wrong, 1, stream);
}

}  // extern "C"
