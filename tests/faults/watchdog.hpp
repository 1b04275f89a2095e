#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

namespace cupool::test {

/// Ends the process, saying what it was at, where one step takes longer than anything but a hang can.
class Watchdog {
public:
    explicit Watchdog(std::chrono::seconds patience) : patience_(patience), thread_([this] { watch(); }) {}
    ~Watchdog() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// A new step begins.
    void begin(std::string step) {
        const std::lock_guard lock(mutex_);
        step_ = std::move(step);
        ++steps_;
    }

private:
    void watch() {
        std::unique_lock lock(mutex_);
        while (!ended_) {
            const auto step = steps_;
            if (!changed_.wait_for(lock, patience_, [&] { return ended_; }) && step == steps_) {
                std::cerr << "hangs: " << step_ << std::endl;
                std::abort();
            }
        }
    }

    std::chrono::seconds patience_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string step_ = "the beginning";
    unsigned long long steps_ = 0;
    bool ended_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace cupool::test
