#pragma once

namespace cupool {

/// A location in the program. (GCC 11 and Clang 14 lack a common std::source_location.)
struct SourceLocation {
    /// The file as the compiler names it.
    const char* file = "";
    /// The line, counted from 1.
    int line = 0;
    /// The name of the function without parameters.
    const char* function = "";

    /// The location of the call; as a default argument, the location where the enclosing function
    /// is called.
    static constexpr SourceLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                            const char* function = __builtin_FUNCTION()) noexcept {
        return {file, line, function};
    }
};

}  // namespace cupool
