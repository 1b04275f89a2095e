#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cupool::tools {

/// A line on stderr that shows the progress of long work and disappears at the end. Prints nothing
/// if stderr is not a terminal.
class Progress {
public:
    explicit Progress(const std::string& work);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows how much is done, at most a few times a second. \param total  0 if unknown
    void update(std::uint64_t done, std::uint64_t total);

    /// Shows the name of the work at once, without progress: for one long call.
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
