// Whether this is built with a sanitizer, which makes everything about ten times slower: what spins, or is large, then does less of it.
#pragma once

namespace cupool::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

/// Why a test that forks while other threads work is skipped under a sanitizer.
inline constexpr const char* sanitizer_and_forks =
    "skipped: under the address sanitizer a lock of its allocator that another thread held at the fork is never released in the child, and "
    "under the thread sanitizer a child that was forked while there were threads may start none";

}  // namespace cupool::test
