#pragma once

namespace cupool::detail {

/// The pool whose worker the calling thread is; null for all other threads.
inline thread_local const void* served_pool = nullptr;

}  // namespace cupool::detail
