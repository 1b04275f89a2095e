#pragma once

namespace cupool {

/// While it lives, what this thread does has a name on a profiler's time line: an NVTX range, nested in those around it. Without a profiler
/// (NVTX_INJECTION64_PATH, which profilers set, names none) it costs a load and a comparison. Needs no driver and no library of NVTX.
class ProfilerRange {
public:
    /// \param name  copied by the profiler
    explicit ProfilerRange(const char* name) noexcept;
    ~ProfilerRange();
    ProfilerRange(const ProfilerRange&) = delete;
    ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace cupool
