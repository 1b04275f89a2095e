#include <pthread.h>

#include <cstdlib>
#include <cupool/driver/process_phase.hpp>
#include <mutex>
#include <set>

namespace cupool::detail {

namespace {

/// How many initialisations have succeeded or are under way.
std::atomic<int> initializations{0};

void note_fork_in_child() {
    if (initializations.load(std::memory_order_relaxed) > 0) {
        process_phase.fetch_or(forked, std::memory_order_relaxed);
    }
}

void note_exit() { process_phase.fetch_or(exiting, std::memory_order_relaxed); }

}  // namespace

DriverInitialization::DriverInitialization() {
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork(nullptr, nullptr, note_fork_in_child); });
    initializations.fetch_add(1, std::memory_order_relaxed);
}

DriverInitialization::~DriverInitialization() {
    if (!succeeded_) {
        initializations.fetch_sub(1, std::memory_order_relaxed);
    }
}

void DriverInitialization::succeeded(const void* library) {
    succeeded_ = true;
    // Once a library, which may be opened anew by every probe. Never destroyed: threads may still initialise while the process exits.
    static auto& noted = *new std::set<const void*>;
    static auto& mutex = *new std::mutex;
    const std::lock_guard lock(mutex);
    if (noted.insert(library).second) {
        // Registered after the driver's own exit handlers, hence run before them.
        std::atexit(note_exit);
    }
}

}  // namespace cupool::detail
