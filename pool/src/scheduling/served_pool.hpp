#pragma once

namespace cupool::detail {

/// The PoolState to which the calling thread belongs; null for threads that no pool started.
inline thread_local const void* served_pool = nullptr;

}  // namespace cupool::detail
