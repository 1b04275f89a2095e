#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cupool/driver/management_library.hpp>

#include "management/nvml_library.hpp"

namespace cupool {
namespace {

using namespace detail::nvml;

std::string usual_path() {
    const char* const chosen = ::secure_getenv("CUPOOL_NVML");
    return chosen != nullptr && *chosen != '\0' ? chosen : "libnvidia-ml.so.1";
}

/// A value in the type that readings have.
template <class To, class From>
std::optional<To> as(const std::optional<From>& value) {
    return value ? std::optional<To>(static_cast<To>(*value)) : std::nullopt;
}

}  // namespace

ManagementLibrary::State::State(const std::string& path) {
    const bool is_safe = path.starts_with('/') || path == "libnvidia-ml.so.1";
    if (!is_safe) {
        finding = path + " is refused: CUPOOL_NVML must be an absolute path";
        return;
    }
    library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const message = ::dlerror();
        finding = message == nullptr ? path + " cannot be loaded" : message;
        return;
    }
    const auto initialise = reinterpret_cast<int (*)()>(::dlsym(library, "nvmlInit_v2"));
    const int status = initialise == nullptr ? success : initialise();
    if (initialise == nullptr) finding = path + " has no function nvmlInit_v2";
    if (status != success) finding = path + ": nvmlInit_v2 answered " + std::to_string(status);
}

ManagementLibrary::State::~State() {
    if (const auto end = find<int (*)()>("nvmlShutdown")) end();
}

void* ManagementLibrary::State::symbol(const char* name) const noexcept {
    return library == nullptr || !finding.empty() ? nullptr : ::dlsym(library, name);
}

ManagementLibrary::ManagementLibrary() : ManagementLibrary(usual_path()) {}
ManagementLibrary::ManagementLibrary(const std::string& path) : state_(std::make_shared<const State>(path)) {}

bool ManagementLibrary::works() const noexcept { return state_->finding.empty(); }
const std::string& ManagementLibrary::finding() const noexcept { return state_->finding; }

std::optional<ManagedDevice> ManagementLibrary::device_at(const std::string& pci_bus_id) const {
    const auto handle = state_->ask<Handle>("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str());
    return handle && *handle != nullptr ? std::optional(ManagedDevice{*handle}) : std::nullopt;
}

DeviceReadings ManagementLibrary::readings(ManagedDevice device) const {
    const Handle handle = device.handle;
    DeviceReadings readings;
    if (const auto memory = state_->ask<Memory>("nvmlDeviceGetMemoryInfo", handle)) {
        readings.total_memory = memory->total;
        readings.used_memory = memory->used;
    }
    if (const auto rates = state_->ask<Utilisation>("nvmlDeviceGetUtilizationRates", handle)) {
        readings.utilisation = rates->gpu;
        readings.memory_utilisation = rates->memory;
    }
    constexpr double milliwatts_of_watt = 1000;
    if (const auto power = state_->ask<unsigned>("nvmlDeviceGetPowerUsage", handle)) readings.power = *power / milliwatts_of_watt;
    readings.temperature = state_->ask<unsigned>("nvmlDeviceGetTemperature", handle, gpu_sensor);
    const auto errors = [&](int kind) {
        return as<std::uint64_t>(state_->ask<unsigned long long>("nvmlDeviceGetTotalEccErrors", handle, kind, since_driver_load));
    };
    readings.corrected_errors = errors(corrected);
    readings.uncorrected_errors = errors(uncorrected);
    return readings;
}

std::optional<bool> ManagementLibrary::persistence(ManagedDevice device) const {
    return as<bool>(state_->ask<int>("nvmlDeviceGetPersistenceMode", device.handle));
}

std::optional<int> ManagementLibrary::mig_cards() const {
    constexpr unsigned most_cards = 1024;
    const auto count = state_->ask<unsigned>("nvmlDeviceGetCount_v2");
    const auto mode_of = state_->find<int (*)(Handle, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
    if (!count) return std::nullopt;
    int cards = 0;
    for (unsigned i = 0; i < std::min(*count, most_cards); ++i) {
        unsigned current = 0;
        unsigned pending = 0;
        const auto handle = state_->ask<Handle>("nvmlDeviceGetHandleByIndex_v2", i);
        const bool is_known = handle && mode_of != nullptr && mode_of(*handle, &current, &pending) == success;
        if (is_known && current != 0) ++cards;
    }
    return cards;
}

std::map<std::uint64_t, std::uint64_t> ManagementLibrary::memory_of_processes(ManagedDevice device) const {
    constexpr unsigned most_processes = 64;
    std::map<std::uint64_t, std::uint64_t> memory;
    std::array<Process, most_processes> processes{};
    unsigned count = most_processes;
    const auto get = state_->find<int (*)(Handle, unsigned*, Process*)>("nvmlDeviceGetComputeRunningProcesses_v3");
    if (get == nullptr || get(device.handle, &count, processes.data()) != success) return memory;
    for (unsigned i = 0; i < std::min(count, most_processes); ++i) memory[processes.at(i).process] = processes.at(i).used_memory;
    return memory;
}

}  // namespace cupool
