#include "io/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <cupool/driver/printable_text.hpp>

namespace cupool::tools {
namespace {

constexpr std::chrono::milliseconds interval{250};

void erase_line() { std::fputs("\r\033[K", stderr); }

}  // namespace

Progress::Progress(const std::string& work)
    : work_(printable_text(work)), next_drawing_(Clock::now() + interval), to_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (drawn_) erase_line();
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
    const auto now = Clock::now();
    if (!to_terminal_ || now < next_drawing_) return;
    next_drawing_ = now + interval;
    draw();
    if (total != 0) std::fprintf(stderr, " %3.0f %%", 100.0 * static_cast<double>(done) / static_cast<double>(total));
}

void Progress::show() {
    if (to_terminal_) draw();
}

void Progress::draw() {
    drawn_ = true;
    erase_line();
    std::fputs(work_.c_str(), stderr);
}

}  // namespace cupool::tools
