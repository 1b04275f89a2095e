#pragma once

namespace cupool {

/// An NVTX range: while it lives, a profiler shows its name on the time line of this thread, nested
/// in the enclosing ranges. Without a profiler (profilers set NVTX_INJECTION64_PATH) it costs a
/// load and a comparison. It needs neither a driver nor an NVTX library.
class ProfilerRange {
public:
    /// \param name  copied by the profiler
    explicit ProfilerRange(const char* name) noexcept;
    ~ProfilerRange();
    ProfilerRange(const ProfilerRange&) = delete;
    ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace cupool
