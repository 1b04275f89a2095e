#pragma once

#include <cupool/driver/context.hpp>

namespace cupool {

/// While it lives, a profiler that was told to wait for it (`ncu --profile-from-start off`, `nsys profile -c cudaProfilerApi`) watches.
/// Without a profiler nothing happens.
class ProfiledScope {
public:
    /// \throws Error whatever the driver answers
    explicit ProfiledScope(ContextView context, const SourceLocation& where = SourceLocation::current());
    ~ProfiledScope();
    ProfiledScope(const ProfiledScope&) = delete;
    ProfiledScope& operator=(const ProfiledScope&) = delete;

private:
    detail::Shared<const detail::ContextState> context_;
};

}  // namespace cupool
