#pragma once

#include <cupool/driver/context.hpp>

namespace cupool {

/// While it lives, a profiler that waits for the profiler API (`ncu --profile-from-start off`,
/// `nsys profile -c cudaProfilerApi`) records. Without a profiler it has no effect.
class ProfiledScope {
public:
    /// \throws Error any failure of the driver call
    explicit ProfiledScope(ContextView context, const SourceLocation& where = SourceLocation::current());
    ~ProfiledScope();
    ProfiledScope(const ProfiledScope&) = delete;
    ProfiledScope& operator=(const ProfiledScope&) = delete;

private:
    detail::Shared<const detail::ContextState> context_;
};

}  // namespace cupool
