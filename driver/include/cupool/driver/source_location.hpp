#pragma once

namespace cupool {

/// Where in the program something was asked for. (GCC 11 and Clang 14 lack a common std::source_location.)
struct SourceLocation {
    const char* file = "";
    int line = 0;
    const char* function = "";

    /// The place of the call; as a default argument, the place where the function that has it is called.
    static constexpr SourceLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                            const char* function = __builtin_FUNCTION()) noexcept {
        return {file, line, function};
    }
};

}  // namespace cupool
