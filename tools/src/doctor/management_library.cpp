#include "doctor/management_library.hpp"

#include <dlfcn.h>

#include <array>
#include <string>

namespace cupool::tools {
namespace {

// Numbers and layouts of NVML's ABI.
using NvmlDevice = struct NvmlDeviceTag*;
struct NvmlProcess {
    unsigned process = 0;
    unsigned long long used_memory = 0;
    unsigned gpu_instance = 0;
    unsigned compute_instance = 0;
};
constexpr int nvml_success = 0;
constexpr int uncorrected = 1;
constexpr int volatile_counter = 0;
constexpr unsigned most_processes = 64;
constexpr unsigned most_cards = 1024;

class ManagementLibrary {
public:
    ManagementLibrary() : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
        const auto init = find<int (*)()>("nvmlInit_v2");
        works_ = init != nullptr && init() == nvml_success;
    }

    bool works() const { return works_; }

    NvmlDevice device_at(const std::string& pci_bus_id) const {
        NvmlDevice device = nullptr;
        const auto get = find<int (*)(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
        return get != nullptr && get(pci_bus_id.c_str(), &device) == nvml_success ? device : nullptr;
    }

    std::optional<bool> persistence(NvmlDevice device) const {
        int mode = 0;
        const auto get = find<int (*)(NvmlDevice, int*)>("nvmlDeviceGetPersistenceMode");
        return get != nullptr && get(device, &mode) == nvml_success ? std::optional(mode != 0) : std::nullopt;
    }

    /// The number of cards in MIG mode.
    int mig_cards() const {
        unsigned count = 0;
        const auto get_count = find<int (*)(unsigned*)>("nvmlDeviceGetCount_v2");
        const auto get_device = find<int (*)(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2");
        const auto get_mode = find<int (*)(NvmlDevice, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
        if (get_count == nullptr || get_device == nullptr || get_mode == nullptr || get_count(&count) != nvml_success) return 0;
        int cards = 0;
        for (unsigned i = 0; i < count && i < most_cards; ++i) {
            NvmlDevice device = nullptr;
            unsigned current = 0;
            unsigned pending = 0;
            const bool known = get_device(i, &device) == nvml_success && get_mode(device, &current, &pending) == nvml_success;
            if (known && current != 0) ++cards;
        }
        return cards;
    }

    std::optional<std::uint64_t> ecc_errors(NvmlDevice device) const {
        unsigned long long count = 0;
        const auto get = find<int (*)(NvmlDevice, int, int, unsigned long long*)>("nvmlDeviceGetTotalEccErrors");
        const bool known = get != nullptr && get(device, uncorrected, volatile_counter, &count) == nvml_success;
        return known ? std::optional<std::uint64_t>(count) : std::nullopt;
    }

    std::map<std::string, std::uint64_t> users(NvmlDevice device) const {
        std::map<std::string, std::uint64_t> users;
        std::array<NvmlProcess, most_processes> processes{};
        unsigned count = most_processes;
        const auto get = find<int (*)(NvmlDevice, unsigned*, NvmlProcess*)>("nvmlDeviceGetComputeRunningProcesses_v3");
        if (get == nullptr || get(device, &count, processes.data()) != nvml_success) return users;
        for (unsigned i = 0; i < count && i < most_processes; ++i)
            users[std::to_string(processes.at(i).process)] = processes.at(i).used_memory;
        return users;
    }

private:
    template <class Function>
    Function find(const char* name) const {
        return library_ == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library_, name));
    }

    void* library_;
    bool works_ = false;
};

}  // namespace

void ask_management_library(DriverAnswer& answer) {
    const ManagementLibrary library;
    if (!library.works()) return;
    answer.mig_cards = library.mig_cards();
    for (auto& device : answer.devices) {
        NvmlDevice handle = library.device_at(device.pci_bus_id);
        if (handle == nullptr) continue;
        device.persistence = library.persistence(handle);
        device.ecc_errors = library.ecc_errors(handle);
        device.users = library.users(handle);
    }
}

}  // namespace cupool::tools
