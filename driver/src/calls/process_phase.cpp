#include <pthread.h>

#include <cstdlib>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/driver/detail/process_phase.hpp>
#include <cupool/driver/error.hpp>
#include <mutex>
#include <set>
#include <string>

namespace cupool::detail {

namespace {

/// The number of initialisations that have succeeded or are in progress.
std::atomic<int> initializations{0};

void note_fork_in_child() {
    fork_count.fetch_add(1, std::memory_order_relaxed);
    if (initializations.load(std::memory_order_relaxed) > 0) process_phase.fetch_or(forked, std::memory_order_relaxed);
}

/// Registered when the library is loaded and not at first use: a lazy registration would need a
/// lock, which a fork may leave held.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, note_fork_in_child);

void note_exit() { process_phase.fetch_or(exiting, std::memory_order_relaxed); }

}  // namespace

void throw_forked(const char* what, const SourceLocation& where) {
    throw Error(ErrorCategory::forked,
                std::string(what) + " was made before this process was forked, and its threads stayed in the parent; make a new one here",
                where);
}

DriverInitialization::DriverInitialization() { initializations.fetch_add(1, std::memory_order_relaxed); }

DriverInitialization::~DriverInitialization() {
    if (!succeeded_) initializations.fetch_sub(1, std::memory_order_relaxed);
}

void DriverInitialization::succeeded(const void* library) {
    succeeded_ = true;
    // Once for each library, since every probe may open it again. Never destroyed, because threads may
    // still initialise while the process exits.
    static auto& noted = *new std::set<const void*>;
    static auto& mutex = *new std::mutex;
    const std::lock_guard lock(mutex);
    if (noted.insert(library).second) {
        // Registered after the exit handlers of the driver, so that it runs before them.
        std::atexit(note_exit);
    }
}

}  // namespace cupool::detail
