#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "ptx/ptx.hpp"

namespace cupool::simulator {

/// Findings of checks that the user knows to be benign, by the kernel, or a line of it. Safe to use from any thread.
class Suppressions : public ptx::Suppressions {
public:
    /// `line`: of the PTX text, or of the source that it was compiled from; 0: all of the kernel.
    void add(std::string kernel, int line);
    void clear();
    bool suppress(std::string_view kernel, int line, int source_line) override;
    /// How often something was suppressed.
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

/// The machine's.
Suppressions& suppressions();

}  // namespace cupool::simulator
