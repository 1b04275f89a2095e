#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cupool/driver/profiler_range.hpp>
#include <string>

#include "loading/elf_check.hpp"

/// \file
/// The program's side of NVTX 3: a profiler's library gets tables of empty slots and fills in
/// functions for those that interest it. Numbers and layouts are those of NVTX's documented
/// injection interface; `tests/driver/abi/profiler_test.cpp` compares them with its headers.

namespace cupool {

namespace {

using Slot = void (*)();

constexpr std::size_t push_slot = 9;
constexpr std::size_t pop_slot = 11;
/// The number of slots of each module of NVTX: none, core, CUDA, OpenCL, CUDA runtime, domains,
/// synchronisation.
constexpr std::array<unsigned, 7> slot_counts{0, 16, 9, 15, 7, 16, 7};
constexpr std::size_t core_module = 1;
constexpr std::size_t max_slots = 16;

struct Tables {
    std::array<std::array<Slot, max_slots>, slot_counts.size()> slots{};
    std::array<std::array<Slot*, max_slots + 1>, slot_counts.size()> pointers{};
};

// Never destroyed, because ranges may end during static destruction.
Tables& tables() {
    static auto* const instance = [] {
        auto* const made = new Tables;
        for (std::size_t module = 0; module < slot_counts.size(); ++module) {
            for (std::size_t slot = 0; slot < slot_counts[module]; ++slot) made->pointers[module][slot] = &made->slots[module][slot];
        }
        return made;
    }();
    return *instance;
}

int give_table(int module, Slot*** table, unsigned* size) {
    if (module <= 0 || static_cast<std::size_t>(module) >= slot_counts.size()) return 0;
    if (table != nullptr) *table = tables().pointers[static_cast<std::size_t>(module)].data();
    if (size != nullptr) *size = slot_counts[static_cast<std::size_t>(module)];
    return 1;
}

void ignore_version(std::uint32_t) {}

struct Callbacks {
    std::size_t struct_size;
    int (*give_table)(int module, Slot*** table, unsigned* size);
};

struct VersionInfo {
    std::size_t struct_size;
    std::uint32_t version;
    std::uint32_t reserved;
    void (*set_tool_version)(std::uint32_t version);
};

const void* give_export_table(std::uint32_t id) {
    static const Callbacks callbacks{sizeof(Callbacks), give_table};
    static const VersionInfo version{sizeof(VersionInfo), 3, 0, ignore_version};
    switch (id) {
        case 1: return &callbacks;
        case 3: return &version;
        default: return nullptr;
    }
}

/// Whether to pass the library to the dynamic loader: a name without a slash, for which it
/// searches, or a file without a fault.
bool can_be_loaded(const std::string& path) {
    return !path.empty() && (path.find('/') == std::string::npos || detail::find_elf_fault(path).empty());
}

/// Loads the library of the profiler, if there is one. \return whether it records ranges
bool load_profiler() {
    const char* const variable = ::secure_getenv("NVTX_INJECTION64_PATH");
    const std::string path = variable == nullptr ? "" : variable;
    void* const library = can_be_loaded(path) ? ::dlopen(path.c_str(), RTLD_LAZY) : nullptr;
    if (library == nullptr) return false;
    using Initialize = int (*)(const void* (*)(std::uint32_t));
    const auto initialize = reinterpret_cast<Initialize>(::dlsym(library, "InitializeInjectionNvtx2"));
    return initialize != nullptr && initialize(give_export_table) != 0 && tables().slots[core_module][push_slot] != nullptr &&
           tables().slots[core_module][pop_slot] != nullptr;
}

bool has_profiler() {
    static const bool found = [] {
        try {
            return load_profiler();
        } catch (...) {  // out of memory: go on without a profiler
            return false;
        }
    }();
    return found;
}

}  // namespace

ProfilerRange::ProfilerRange(const char* name) noexcept {
    if (has_profiler()) reinterpret_cast<int (*)(const char*)>(tables().slots[core_module][push_slot])(name);
}

ProfilerRange::~ProfilerRange() {
    if (has_profiler()) reinterpret_cast<int (*)()>(tables().slots[core_module][pop_slot])();
}

}  // namespace cupool
