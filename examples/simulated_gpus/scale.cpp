#include "scale.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// A program that includes cuda.h and links libcuda looks the same without the next thirty lines.
namespace {

struct Libcuda {
    Libcuda() : library(dlopen("libcuda.so.1", RTLD_NOW)) {
        if (library == nullptr) throw std::runtime_error(dlerror());
    }

    template <class... Parameters>
    void call(const char* name, Parameters... parameters) const {
        void* const function = dlsym(library, name);
        if (function == nullptr) throw std::runtime_error(dlerror());
        const int result = reinterpret_cast<int (*)(Parameters...)>(function)(parameters...);
        if (result != 0) throw GpuError(name, result);
    }

    void* library;
};

using Address = unsigned long long;

/// Runs `release` at the end of a scope. A failure there follows from an error that is reported anyway.
template <class Release>
struct Guard {
    explicit Guard(Release what) : release(what) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
        try {
            release();
        } catch (const GpuError&) {
        }
    }
    Release release;
};

void scale_on(const Libcuda& cuda, int device, const std::string& ptx, float* numbers, std::uint32_t count, float factor) {
    void* context = nullptr;
    cuda.call("cuDevicePrimaryCtxRetain", &context, device);
    const Guard context_guard([&] { cuda.call("cuDevicePrimaryCtxRelease_v2", device); });
    cuda.call("cuCtxSetCurrent", context);

    void* module = nullptr;
    cuda.call("cuModuleLoadDataEx", &module, static_cast<const void*>(ptx.c_str()), 0U, static_cast<int*>(nullptr),
              static_cast<void**>(nullptr));
    const Guard module_guard([&] { cuda.call("cuModuleUnload", module); });
    void* kernel = nullptr;
    cuda.call("cuModuleGetFunction", &kernel, module, "scale");

    const std::size_t bytes = count * sizeof(float);
    Address memory = 0;
    cuda.call("cuMemAlloc_v2", &memory, bytes);
    const Guard memory_guard([&] { cuda.call("cuMemFree_v2", memory); });
    cuda.call("cuMemcpyHtoD_v2", memory, static_cast<const void*>(numbers), bytes);
    void* parameters[] = {&memory, &factor, &count};
    cuda.call("cuLaunchKernel", kernel, (count + 127) / 128, 1U, 1U, 128U, 1U, 1U, 0U, static_cast<void*>(nullptr),
              static_cast<void**>(parameters), static_cast<void**>(nullptr));
    cuda.call("cuMemcpyDtoH_v2", static_cast<void*>(numbers), memory, bytes);
}

}  // namespace

std::vector<float> scale(const std::string& ptx, std::vector<float> numbers, float factor) {
    const Libcuda cuda;
    int devices = 0;
    cuda.call("cuInit", 0U);
    cuda.call("cuDeviceGetCount", &devices);
    if (devices == 0) throw std::runtime_error("there is no GPU");
    const std::size_t share = (numbers.size() + static_cast<std::size_t>(devices) - 1) / static_cast<std::size_t>(devices);
    for (std::size_t first = 0, device = 0; first < numbers.size(); first += share, ++device) {
        const std::size_t count = std::min(share, numbers.size() - first);
        scale_on(cuda, static_cast<int>(device), ptx, numbers.data() + first, static_cast<std::uint32_t>(count), factor);
    }
    return numbers;
}
