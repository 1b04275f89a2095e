#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "ptx/ptx.hpp"

namespace cupool::simulator {

/// Findings that the user declared benign, by kernel or by kernel and line. Thread-safe.
class Suppressions : public ptx::Suppressions {
public:
    /// `line` is a line of the PTX text or of the source that it was compiled from; 0 means the whole kernel.
    void add(std::string kernel, int line);
    void clear();
    bool suppress(std::string_view kernel, int line, int source_line) override;
    /// Number of suppressed findings.
    std::uint64_t count() const { return count_; }

private:
    struct Rule {
        std::string kernel;
        int line;
    };

    mutable std::shared_mutex mutex_;
    std::deque<Rule> rules_;
    std::atomic<std::uint64_t> count_{0};
};

/// The suppressions of the machine.
Suppressions& suppressions();

}  // namespace cupool::simulator
