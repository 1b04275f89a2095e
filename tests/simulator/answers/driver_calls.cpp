// Initialisation, entry points, devices, error names.
#include <cstring>
#include <map>
#include <set>

#include "answer_recorder.hpp"

using namespace cupool::test;

namespace {

struct Row {
    const char* base;
    const char* exported;
};

const Row rows[] = {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) {base, exported},
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
};

// Attributes that do not depend on the machine.
constexpr DeviceAttribute portable_attributes[] = {
    DeviceAttribute::max_threads_per_block,
    DeviceAttribute::max_block_dim_x,
    DeviceAttribute::max_block_dim_y,
    DeviceAttribute::max_block_dim_z,
    DeviceAttribute::max_grid_dim_x,
    DeviceAttribute::max_grid_dim_y,
    DeviceAttribute::max_grid_dim_z,
    DeviceAttribute::max_shared_memory_per_block,
    DeviceAttribute::warp_size,
    DeviceAttribute::max_registers_per_block,
    DeviceAttribute::clock_rate_khz,
    DeviceAttribute::multiprocessor_count,
    DeviceAttribute::integrated,
    DeviceAttribute::compute_mode,
    DeviceAttribute::ecc_enabled,
    DeviceAttribute::memory_clock_rate_khz,
    DeviceAttribute::memory_bus_width_bits,
    DeviceAttribute::l2_cache_bytes,
    DeviceAttribute::max_threads_per_multiprocessor,
    DeviceAttribute::unified_addressing,
    DeviceAttribute::compute_capability_major,
    DeviceAttribute::compute_capability_minor,
    DeviceAttribute::max_shared_memory_per_multiprocessor,
    DeviceAttribute::managed_memory,
    DeviceAttribute::max_shared_memory_per_block_optin,
    DeviceAttribute::memory_pools_supported,
};

std::string describe(const Library& cuda, Status result, void* found, ProcAddressQueryResult status, const char* exported) {
    return std::to_string(static_cast<int>(result)) +
           (found == nullptr                 ? " null"
            : found == cuda.symbol(exported) ? " same"
                                             : " other") +
           " status " + std::to_string(static_cast<int>(status));
}

}  // namespace

CALL_GROUP("before cuInit") {
    const Library& cuda = recorder.cuda;
    int number = -1;
    Context context{};
    DevicePointer pointer = 0;
    const char* text = "unset";
    recorder.note("device count", cuda.device_get_count(&number));
    recorder.note("device get", cuda.device_get(&number, 0));
    recorder.note("attribute", cuda.device_get_attribute(&number, DeviceAttribute::warp_size, 0));
    recorder.note("retain primary", cuda.primary_context_retain(&context, 0));
    recorder.note("get current", cuda.context_get_current(&context));
    recorder.note("set current null", cuda.context_set_current(nullptr));
    recorder.note("allocate", cuda.memory_allocate(&pointer, 16));
    recorder.note("free null", cuda.memory_free(0));
    recorder.note("stream query null", cuda.stream_query(nullptr));
    recorder.note("pointer attribute", cuda.pointer_get_attribute(&number, PointerAttribute::device_ordinal, 16));
    recorder.note("version", cuda.driver_get_version(&number));
    recorder.note("version of null", cuda.driver_get_version(nullptr));
    recorder.note("error name", cuda.get_error_name(Status::invalid_value, &text));
    recorder.note("error name text", text);
    void* found = nullptr;
    recorder.note("proc address", cuda.get_proc_address("cuInit", &found, 13000, 0));
    recorder.note("init flags 1", cuda.init(1));
    recorder.note("init flags 0", cuda.init(0));
    recorder.note("init again", cuda.init(0));
}

CALL_GROUP("error names") {
    const char* text = "unset";
    for (int code = 0; code < 1000; ++code) {
        if (recorder.cuda.get_error_name(static_cast<Status>(code), &text) == Status::success && text != nullptr) {
            recorder.note("name of " + std::to_string(code), text);
        }
    }
    text = "unset";
    recorder.note("name of 12345", recorder.cuda.get_error_name(static_cast<Status>(12345), &text));
    recorder.note("is null", text == nullptr);
    text = "unset";
    recorder.note("text of 12345", recorder.cuda.get_error_string(static_cast<Status>(12345), &text));
    recorder.note("text is null", text == nullptr);
}

CALL_GROUP("entry points") {
    const Library& cuda = recorder.cuda;
    recorder.note("init", cuda.init(0));
    const auto query = [&](const char* name, int version, std::uint64_t flags, const char* exported) {
        void* found = reinterpret_cast<void*>(1);
        auto status = static_cast<ProcAddressQueryResult>(9);
        const Status result = cuda.get_proc_address_v2(name, &found, version, flags, &status);
        recorder.note(std::string(name) + " " + std::to_string(version) + " flags " + std::to_string(flags),
                      describe(cuda, result, found, status, exported));
    };
    query("cuMemAllocAsync", 11020, 0, "cuMemAllocAsync");
    query("cuMemAllocAsync", 11010, 0, "cuMemAllocAsync");
    query("cuNoSuchThing", 12000, 0, "cuNoSuchThing");
    query("cuMemAlloc", 13000, 0, "cuMemAlloc_v2");
    query("cuMemAlloc", 3020, 0, "cuMemAlloc_v2");
    query("cuMemAlloc", 3010, 0, "cuMemAlloc_v2");
    query("cuMemAlloc", 1000, 0, "cuMemAlloc_v2");
    query("cuMemAlloc", 99000, 0, "cuMemAlloc_v2");
    query("cuMemAlloc_v2", 12000, 0, "cuMemAlloc_v2");
    query("cuMemAlloc", 12000, 1, "cuMemAlloc_v2");
    query("cuMemAlloc", 12000, 2, "cuMemAlloc_v2");
    query("cuStreamSynchronize", 12000, 2, "cuStreamSynchronize");
    query("cuStreamSynchronize", 12000, 1, "cuStreamSynchronize");
    query("cuStreamSynchronize", 12000, 3, "cuStreamSynchronize");
    query("cuStreamSynchronize", 12000, 4, "cuStreamSynchronize");
    query("cuCtxCreate", 3020, 0, "cuCtxCreate_v2");
    query("cuCtxCreate", 13000, 0, "cuCtxCreate_v2");
    query("cuGetProcAddress", 11030, 0, "cuGetProcAddress");
    query("cuGetProcAddress", 12000, 0, "cuGetProcAddress_v2");
    query("", 12000, 0, "");
    query("cuMemAlloc", 13010, 0, "cuMemAlloc_v2");
    query("cuMemAlloc", 14000, 0, "cuMemAlloc_v2");
    query("cuMemAlloc", 0, 0, "cuMemAlloc_v2");
    void* found = nullptr;
    recorder.note("null status", cuda.get_proc_address_v2("cuInit", &found, 12000, 0, nullptr));
    recorder.note("null status, unknown", cuda.get_proc_address_v2("cuNoSuchThing", &found, 12000, 0, nullptr));
    recorder.note("first form, unknown", cuda.get_proc_address("cuNoSuchThing", &found, 12000, 0));
    recorder.note("first form, null", found == nullptr);
    recorder.note("first form, too old", cuda.get_proc_address("cuMemAllocAsync", &found, 11010, 0));
}

CALL_GROUP("per-thread variants") {
    recorder.cuda.init(0);
    for (const Row& row : rows) {
        void* legacy = nullptr;
        void* per_thread = nullptr;
        recorder.cuda.get_proc_address_v2(row.base, &legacy, 13000, 1, nullptr);
        recorder.cuda.get_proc_address_v2(row.base, &per_thread, 13000, 2, nullptr);
        recorder.note(std::string(row.base) + " has another for the per-thread stream", legacy != per_thread);
    }
}

CALL_GROUP("variants of base names") {
    const Library& cuda = recorder.cuda;
    recorder.note("init", cuda.init(0));
    for (const Row& row : rows) {
        std::string seen;
        std::string last = "none";
        for (int version = 1000; version <= 13000; version += 10) {
            void* found = nullptr;
            cuda.get_proc_address_v2(row.base, &found, version, 0, nullptr);
            const std::string kind = found == nullptr ? "none" : found == cuda.symbol(row.exported) ? "ours" : "another";
            if (kind != last) {
                seen += " " + std::to_string(version) + ":" + kind;
            }
            last = kind;
        }
        recorder.note(std::string("variants of ") + row.base, seen);
    }
}

CALL_GROUP("devices") {
    const Library& cuda = recorder.cuda;
    cuda.init(0);
    int number = -1;
    recorder.note("count into null", cuda.device_get_count(nullptr));
    recorder.note("get -1", cuda.device_get(&number, -1));
    recorder.note("get 1000", cuda.device_get(&number, 1000));
    recorder.note("get into null", cuda.device_get(nullptr, 0));
    char text[64];
    std::memset(text, 'x', sizeof(text));
    recorder.note("name of 1000", cuda.device_get_name(text, 64, 1000));
    recorder.note("name into 1", cuda.device_get_name(text, 1, 0));
    recorder.note("name into 7", cuda.device_get_name(text, 7, 0));
    recorder.note("name in 7", text);
    recorder.note("name into null", cuda.device_get_name(nullptr, 64, 0));
    recorder.note("name", cuda.device_get_name(text, 64, 0));
    recorder.note("name text", text);
    std::memset(text, 'x', sizeof(text));
    recorder.note("pci id into 5", cuda.device_get_pci_bus_id(text, 5, 0));
    recorder.note("pci id into 12", cuda.device_get_pci_bus_id(text, 12, 0));
    recorder.note("pci id into 13", cuda.device_get_pci_bus_id(text, 13, 0));
    recorder.note_number("pci id length in 13", std::string(text, 13).find('\0'));
    recorder.note("pci id into 64", cuda.device_get_pci_bus_id(text, 64, 0));
    recorder.note_number("pci id length in 64", std::strlen(text));
    std::size_t bytes = 0;
    recorder.note("memory of -1", cuda.device_total_memory(&bytes, -1));
    recorder.note("memory into null", cuda.device_total_memory(nullptr, 0));
    Uuid uuid{};
    recorder.note("uuid of 1000", cuda.device_get_uuid(&uuid, 1000));
    recorder.note("uuid into null", cuda.device_get_uuid(nullptr, 0));
    recorder.note("attribute 9999", cuda.device_get_attribute(&number, static_cast<DeviceAttribute>(9999), 0));
    recorder.note("attribute 0", cuda.device_get_attribute(&number, static_cast<DeviceAttribute>(0), 0));
    recorder.note("attribute -1", cuda.device_get_attribute(&number, static_cast<DeviceAttribute>(-1), 0));
    recorder.note("attribute of 1000", cuda.device_get_attribute(&number, DeviceAttribute::warp_size, 1000));
    recorder.note("attribute into null", cuda.device_get_attribute(nullptr, DeviceAttribute::warp_size, 0));
    recorder.note("peer itself", cuda.device_can_access_peer(&number, 0, 0));
    recorder.note_number("peer itself", static_cast<std::uint64_t>(number));
    recorder.note("peer 1000", cuda.device_can_access_peer(&number, 0, 1000));
    recorder.note("peer into null", cuda.device_can_access_peer(nullptr, 0, 0));
    MemoryPool pool{};
    recorder.note("default pool without context", cuda.device_get_default_memory_pool(&pool, 0));
    recorder.note("default pool of 1000", cuda.device_get_default_memory_pool(&pool, 1000));
    recorder.note("default pool into null", cuda.device_get_default_memory_pool(nullptr, 0));
    recorder.note("primary of 1000", cuda.primary_context_release(1000));
    for (const DeviceAttribute attribute : portable_attributes) {
        cuda.device_get_attribute(&number, attribute, 0);
        recorder.note("value of attribute " + std::to_string(static_cast<int>(attribute)), std::to_string(number));
    }
}
