#pragma once

#include <string_view>

namespace cupool::tools {

/// The report of a child process of run_child() to its parent. What a library prints to stdout goes to stderr, which the parent discards,
/// so that only this object writes to the report.
class ChildReport {
public:
    /// Takes stdout.
    ChildReport();

    /// \return whether all of it was written
    bool write(std::string_view text) const;

private:
    int to_ = -1;
};

}  // namespace cupool::tools
