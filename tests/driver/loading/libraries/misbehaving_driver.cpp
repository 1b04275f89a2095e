// A driver that is the simulated one but for what the environment asks: CUPOOL_TEST_INIT is what cuInit does, CUPOOL_TEST_COUNT what
// cuDeviceGetCount answers, CUPOOL_TEST_VERSION what cuDriverGetVersion answers, CUPOOL_TEST_NAME what its devices are called.
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

}  // namespace

extern "C" {

// Without a look-up of its own a driver's functions are found by their names, so these stand before the simulated ones.
int cuGetProcAddress(const char*, void**, int, unsigned long) { return not_supported; }
int cuGetProcAddress_v2(const char*, void**, int, unsigned long, void*) { return not_supported; }

int cuInit(unsigned flags) {
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

}  // extern "C"
