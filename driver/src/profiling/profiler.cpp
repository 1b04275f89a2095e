#include <cupool/driver/profiler.hpp>

namespace cupool {

ProfiledScope::ProfiledScope(ContextView context, const SourceLocation& where) : context_(context ? context.share() : nullptr) {
    detail::call_in<&EntryPoints::profiler_start>(context, where);
}

ProfiledScope::~ProfiledScope() { detail::destroy_in<&EntryPoints::profiler_stop>(context_.get()); }

}  // namespace cupool
