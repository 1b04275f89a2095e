#include "api/error_log.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <deque>
#include <mutex>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

#include "api/error_name.hpp"
#include "api/handle_call.hpp"

namespace cupool::simulator {
namespace {

// What a real driver keeps.
constexpr std::size_t max_bytes = 25'600;
const std::string truncation_line = "[CUDA][W] older lines of the log are lost\n";

/// The last lines of the log. An iterator is the number of lines that were logged before it.
class ErrorLog {
public:
    void add(std::string line) {
        const std::lock_guard lock(mutex_);
        bytes_ += line.size();
        lines_.push_back(std::move(line));
        ++end_;
        while (bytes_ > max_bytes) {
            bytes_ -= lines_.front().size();
            lines_.pop_front();
        }
    }

    unsigned end() const {
        const std::lock_guard lock(mutex_);
        return end_;
    }

    /// The newest lines from `iterator` on that fit, which then is at the end.
    std::string take(unsigned& iterator, std::size_t space) const {
        const std::lock_guard lock(mutex_);
        const unsigned wanted = std::min(end_ - iterator, end_);
        std::size_t taken = std::min<std::size_t>(wanted, lines_.size());
        std::size_t bytes = 0;
        for (std::size_t i = lines_.size() - taken; i < lines_.size(); ++i) bytes += lines_[i].size();
        bool is_truncated = taken < wanted;
        while (taken > 0 && bytes + (is_truncated ? truncation_line.size() : 0) > space) {
            bytes -= lines_[lines_.size() - taken].size();
            --taken;
            is_truncated = true;
        }
        require(taken > 0 || wanted == 0, abi::Status::invalid_value);
        std::string text = is_truncated ? truncation_line : "";
        for (std::size_t i = lines_.size() - taken; i < lines_.size(); ++i) text += lines_[i];
        iterator = end_;
        return text;
    }

private:
    mutable std::mutex mutex_;
    std::deque<std::string> lines_;
    std::size_t bytes_ = 0;
    unsigned end_ = 0;
};

std::string time_of_day() {
    timespec now{};
    tm local{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    ::localtime_r(&now.tv_sec, &local);
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%H:%M:%S.", &local);
    const std::string milliseconds = std::to_string(1000 + now.tv_nsec / 1'000'000).substr(1);
    return std::string(text.data(), length) + milliseconds;
}

// Never destroyed, because calls may fail during static destruction.
ErrorLog& error_log() {
    static auto* const instance = new ErrorLog;
    return *instance;
}

}  // namespace

void log_failure(EntryPoint entry_point, abi::Status result) noexcept {
    try {
        std::string line = "[" + time_of_day() + "][" + std::to_string(::syscall(SYS_gettid)) + "][CUDA][E] Returning ";
        line += std::to_string(static_cast<int>(result)) + " (" + error_name(result) + ") from ";
        line += entry_points()[static_cast<std::size_t>(entry_point)].base;
        error_log().add(line + "\n");
    } catch (...) {
    }
}

namespace exports {

Status logs_current(unsigned* iterator, unsigned flags) {
    return handle_call(EntryPoint::logs_current, [&] {
        require(iterator != nullptr && flags == 0, Status::invalid_value);
        *iterator = error_log().end();
    });
}

Status logs_dump_to_memory(unsigned* iterator, char* buffer, std::size_t* bytes, unsigned flags) {
    return handle_call(EntryPoint::logs_dump_to_memory, [&] {
        require(buffer != nullptr && bytes != nullptr && *bytes > 0 && flags == 0, Status::invalid_value);
        unsigned first_line = 0;
        const std::size_t space = *bytes - 1;
        *bytes = 0;
        const std::string text = error_log().take(iterator == nullptr ? first_line : *iterator, space);
        std::memcpy(buffer, text.c_str(), text.size() + 1);
        *bytes = text.size();
    });
}

}  // namespace exports
}  // namespace cupool::simulator
