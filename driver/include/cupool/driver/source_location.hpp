#pragma once

namespace cupool {

/// Where in the program something was asked for. (GCC 11 and Clang 14 lack a common std::source_location.)
struct SourceLocation {
    /// As the compiler names it.
    const char* file = "";
    /// Counted from 1.
    int line = 0;
    /// Its name alone.
    const char* function = "";

    /// The place of the call; as a default argument, the place where the function that has it is called.
    static constexpr SourceLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                            const char* function = __builtin_FUNCTION()) noexcept {
        return {file, line, function};
    }
};

}  // namespace cupool
