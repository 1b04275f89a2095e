// Where the tests' input data lies: the directory named by CUPOOL_TEST_DATA.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace cupool::test {

/// The file or directory `name` of the test data, or nothing when CUPOOL_TEST_DATA is unset or has no such entry.
inline std::optional<std::filesystem::path> test_data(const std::string& name) {
    const char* directory = std::getenv("CUPOOL_TEST_DATA");
    if (directory == nullptr || *directory == '\0') {
        return std::nullopt;
    }
    std::filesystem::path path = std::filesystem::path(directory) / name;
    if (!std::filesystem::exists(path)) {
        return std::nullopt;
    }
    return path;
}

}  // namespace cupool::test

/// Declares the path `variable` of the test data entry `name`, or skips the test case saying what is missing.
#define CUPOOL_TEST_DATA_OR_SKIP(variable, name)                                \
    const auto variable##_found = ::cupool::test::test_data(name);              \
    if (!variable##_found) {                                                    \
        CUPOOL_SKIP(std::string("skipped: CUPOOL_TEST_DATA has no ") + (name)); \
    }                                                                           \
    const std::filesystem::path variable = *variable##_found
