#pragma once

namespace cupool::detail::nvml {

// Numbers and layouts of NVML's ABI that are used here.
constexpr int success = 0;
constexpr int timed_out = 10;
constexpr int gpu_sensor = 0;
constexpr int corrected = 0;
constexpr int uncorrected = 1;
constexpr int since_driver_load = 0;
constexpr unsigned long long xid_events = 8;

/// An opaque handle of a device or of a set of events.
using Handle = void*;

struct Memory {
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
};

struct Utilisation {
    unsigned gpu = 0;
    unsigned memory = 0;
};

struct Process {
    unsigned process = 0;
    unsigned long long used_memory = 0;
    unsigned gpu_instance = 0;
    unsigned compute_instance = 0;
};

struct Event {
    Handle device = nullptr;
    unsigned long long type = 0;
    unsigned long long data = 0;
    unsigned gpu_instance = 0;
    unsigned compute_instance = 0;
};

}  // namespace cupool::detail::nvml
