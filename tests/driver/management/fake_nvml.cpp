// A library that looks like NVML: two devices, with the readings of the tests. The environment says what it does: CUPOOL_FAKE_NVML_INIT
// is what nvmlInit_v2 answers, CUPOOL_FAKE_NVML_XID the number of one event of the second device, and with CUPOOL_FAKE_NVML_SILENT all
// readings fail. Whenever there is a file of the name CUPOOL_FAKE_NVML_XID_FILE, it is taken away, and the first device has an event of the
// number 79.
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int timed_out = 10;

const char* variable(const char* name) { return std::getenv(name); }

int number(const char* name, int otherwise) { return variable(name) == nullptr ? otherwise : std::atoi(variable(name)); }

int reading() { return variable("CUPOOL_FAKE_NVML_SILENT") == nullptr ? success : not_supported; }

int devices[2];
int event_set;

unsigned index_of(const void* device) { return device == &devices[1] ? 1 : 0; }

struct Memory {
    unsigned long long total, free, used;
};
struct Utilisation {
    unsigned gpu, memory;
};
struct Process {
    unsigned process;
    unsigned long long used_memory;
    unsigned gpu_instance, compute_instance;
};
struct Event {
    void* device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};

}  // namespace

extern "C" {

int nvmlInit_v2() { return number("CUPOOL_FAKE_NVML_INIT", success); }
int nvmlShutdown() { return success; }

int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 2;
    return success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index >= 2) return not_found;
    *device = &devices[index];
    return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* pci_bus_id, void** device) {
    const std::string_view name = pci_bus_id;
    if (name != "0000:10:00.0" && name != "0000:11:00.0") return not_found;
    *device = &devices[name == "0000:11:00.0" ? 1 : 0];
    return success;
}

int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
    *memory = {1000, 900 - index_of(device), 100 + index_of(device)};
    return reading();
}

int nvmlDeviceGetUtilizationRates(void* device, Utilisation* rates) {
    *rates = {50 + index_of(device), 20};
    return reading();
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 300500;
    return reading();
}

int nvmlDeviceGetTemperature(void*, int sensor, unsigned* degrees) {
    *degrees = 40;
    return sensor == 0 ? reading() : not_supported;
}

int nvmlDeviceGetTotalEccErrors(void*, int kind, int counter, unsigned long long* count) {
    *count = kind == 1 ? 2 : 7;
    return counter == 0 ? reading() : not_supported;
}

int nvmlDeviceGetPersistenceMode(void*, int* mode) {
    *mode = 1;
    return reading();
}

int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
    *current = index_of(device);
    *pending = 0;
    return reading();
}

int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
    if (*count < 1) return not_found;
    *count = 1;
    processes[0] = {4711, 64, 0, 0};
    return reading();
}

int nvmlEventSetCreate(void** set) {
    *set = &event_set;
    return success;
}

int nvmlDeviceRegisterEvents(void*, unsigned long long types, void*) { return types == 8 ? reading() : not_supported; }

int nvmlEventSetWait_v2(void*, Event* event, unsigned limit) {
    static bool is_delivered = false;
    const int xid = number("CUPOOL_FAKE_NVML_XID", 0);
    if (xid != 0 && !is_delivered) {
        is_delivered = true;
        *event = {&devices[1], 8, static_cast<unsigned long long>(xid), 0, 0};
        return success;
    }
    const char* const file = variable("CUPOOL_FAKE_NVML_XID_FILE");
    if (file != nullptr && ::unlink(file) == 0) {
        *event = {&devices[0], 8, 79, 0, 0};
        return success;
    }
    ::usleep(limit * 1000);
    return timed_out;
}

int nvmlEventSetFree(void*) { return success; }

}  // extern "C"
