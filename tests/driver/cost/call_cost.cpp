// The same work through cupool and through the driver's raw pointers, on a driver of this program's own whose functions do next to nothing.
// call_cost.sh counts the instructions of each function named after its work; driver_... ones do not count.

#include <cstdlib>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <string_view>

using namespace cupool;

namespace {

constexpr int times = 1000;
constexpr abi::DevicePointer some_memory = 0x1000;
int some_object = 0;

template <class Handle>
Handle some_handle() {
    return reinterpret_cast<Handle>(&some_object);
}

}  // namespace

extern "C" {

[[gnu::noinline]] abi::Status driver_anything() { return abi::Status::success; }
[[gnu::noinline]] abi::Status driver_version(int* version) {
    *version = 13000;
    return abi::Status::success;
}
[[gnu::noinline]] abi::Status driver_number(int* number) {
    *number = 1;
    return abi::Status::success;
}
[[gnu::noinline]] abi::Status driver_handle(void** handle) {
    *handle = &some_object;
    return abi::Status::success;
}
[[gnu::noinline]] abi::Status driver_memory(abi::DevicePointer* pointer) {
    *pointer = some_memory;
    return abi::Status::success;
}
}

namespace {

void* find_driver_function(const char* exported) {
    const std::string_view name = exported;
    // Where one tells of a kernel's parameters, the program would ask for the last of them.
    if (name.starts_with("cuGetProcAddress") || name == "cuFuncGetParamInfo") return nullptr;
    if (name == "cuDriverGetVersion") return reinterpret_cast<void*>(&driver_version);
    if (name == "cuDeviceGet" || name == "cuDeviceGetCount" || name == "cuDeviceGetAttribute")
        return reinterpret_cast<void*>(&driver_number);
    if (name.starts_with("cuMemAllocFromPool") || name.starts_with("cuMemAllocAsync")) return reinterpret_cast<void*>(&driver_memory);
    for (const char* const gives : {"cuCtxGetCurrent", "cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuEventCreate", "cuModuleLoadData",
                                    "cuModuleGetFunction", "cuDeviceGetDefaultMemPool", "cuMemHostAlloc"}) {
        if (name.starts_with(gives)) return reinterpret_cast<void*>(&driver_handle);
    }
    return reinterpret_cast<void*>(&driver_anything);
}

/// What the work is done with.
struct Things {
    DeviceContext context;
    const Stream& stream;
    Event& event;
    const Kernel<DeviceSpan<int>, unsigned>& kernel;
    DeviceSpan<int> device;
    std::span<const int> host;
};

}  // namespace

#define CUPOOL_WORK extern "C" [[gnu::noinline]] void

CUPOOL_WORK wrapped_launch(const Things& things) {
    for (int i = 0; i < times; ++i) things.kernel.launch({1, 32}, things.stream, things.device, 7U);
}
CUPOOL_WORK raw_launch(const Things& things, const EntryPoints& api) {
    for (int i = 0; i < times; ++i) {
        abi::DevicePointer pointer = things.device.pointer();
        unsigned count = 7;
        void* parameters[] = {&pointer, &count, nullptr};
        api.launch_kernel(things.kernel.handle(), 1, 1, 1, 32, 1, 1, 0, things.stream.handle(), parameters, nullptr);
    }
}

CUPOOL_WORK wrapped_copy(const Things& things) {
    for (int i = 0; i < times; ++i) copy_async(things.device, things.host, things.stream);
}
CUPOOL_WORK raw_copy(const Things& things, const EntryPoints& api) {
    for (int i = 0; i < times; ++i)
        api.copy_host_to_device_async(things.device.pointer(), things.host.data(), things.host.size_bytes(), things.stream.handle());
}

CUPOOL_WORK wrapped_record(const Things& things) {
    for (int i = 0; i < times; ++i) things.event.record(things.stream);
}
CUPOOL_WORK raw_record(const Things& things, const EntryPoints& api) {
    for (int i = 0; i < times; ++i) api.event_record(things.event.handle(), things.stream.handle());
}

CUPOOL_WORK wrapped_allocate(const Things& things) {
    for (int i = 0; i < times; ++i) const DeviceBuffer<int> buffer(100, things.context);
}
CUPOOL_WORK raw_allocate(const Things& things, const EntryPoints& api) {
    const abi::MemoryPool pool = things.context.memory_pool().handle();
    for (int i = 0; i < times; ++i) {
        abi::DevicePointer pointer = 0;
        api.memory_allocate_from_pool_async(&pointer, 400, pool, things.stream.handle());
        api.memory_free_async(pointer, things.stream.handle());
    }
}

int main() {
    LoadOptions options;
    options.resolver = find_driver_function;
    const auto driver = Driver::open(options);
    const PrimaryContext primary = PrimaryContext::retain(Device(driver, 0));
    const Stream stream(primary);
    Event event(primary);
    const Module module(primary, "");
    const auto kernel = module.kernel<DeviceSpan<int>, unsigned>("kernel");
    const DeviceContext context = DeviceContext::in(primary).with_stream(stream);
    DeviceBuffer<int> buffer(100, context);
    int host[100] = {};
    const Things things{context, stream, event, kernel, buffer.span(), host};
    const EntryPoints& api = driver->api();
    wrapped_launch(things);
    raw_launch(things, api);
    wrapped_copy(things);
    raw_copy(things, api);
    wrapped_record(things);
    raw_record(things, api);
    wrapped_allocate(things);
    raw_allocate(things, api);
    std::_Exit(0);
}
