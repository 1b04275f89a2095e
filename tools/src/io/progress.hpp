#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cupool::tools {

/// A line on stderr that says what long work is doing, drawn over itself and gone when the work is. Silent where stderr is no terminal.
class Progress {
public:
    explicit Progress(const std::string& work);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows how much is done, a few times a second at most. \param total  0 where it is not known
    void update(std::uint64_t done, std::uint64_t total);

    /// Shows the work at once, without how much is done: for one long call.
    void show();

private:
    void draw();

    using Clock = std::chrono::steady_clock;

    std::string work_;
    Clock::time_point next_drawing_;
    bool to_terminal_;
    bool drawn_ = false;
};

}  // namespace cupool::tools
