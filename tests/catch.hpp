// The one place that knows both Catch2 2 and Catch2 3.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>

// Ends the test case without failing it, and says why. Catch2 has SKIP since 3.3; before, a warning is the nearest thing.
#ifdef SKIP
#define CUPOOL_SKIP(reason) SKIP(reason)
#else
#define CUPOOL_SKIP(reason) \
    do {                    \
        WARN(reason);       \
        return;             \
    } while (false)
#endif

namespace cupool::test {

#if defined(CATCH_VERSION_MAJOR) && CATCH_VERSION_MAJOR >= 3
using Catch::Approx;  // Catch2 2 has it outside of all namespaces
#endif

/// Matches a string that contains `text`.
inline auto contains_text(const std::string& text) {
#if defined(CATCH_VERSION_MAJOR) && CATCH_VERSION_MAJOR >= 3
    return Catch::Matchers::ContainsSubstring(text);
#else
    return Catch::Matchers::Contains(text);
#endif
}

}  // namespace cupool::test
