#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "catch.hpp"

namespace cupool::test {

/// A folder for marks of what has happened once; removed at the end.
class Marks {
public:
    Marks() {
        std::string pattern = (std::filesystem::temp_directory_path() / "cupool-workers-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) FAIL("no temporary folder");
        folder_ = pattern;
    }
    ~Marks() { std::filesystem::remove_all(folder_); }
    std::string next() { return (folder_ / std::to_string(count_++)).string(); }

private:
    std::filesystem::path folder_;
    int count_ = 0;
};

}  // namespace cupool::test
