#include "teardown.hpp"

#include <cupool/driver/log.hpp>
#include <exception>
#include <utility>

#include "scheduling/served_pool.hpp"

namespace cupool::detail {

namespace {

/// The teardowns that have started. The list is lock-free, because a forked child might find a lock held.
std::atomic<Teardown*> begun{nullptr};

/// Destroyed when the process exits, or the library is unloaded.
class WaitAtExit {
public:
    ~WaitAtExit() {
        // A pool thread that calls exit() would wait for the teardown of its own pool, which waits for the thread.
        if (served_pool == nullptr) Teardown::wait_for_all();
    }
};
const WaitAtExit wait_at_exit;

}  // namespace

void Teardown::begin(std::unique_ptr<Teardown> teardown) noexcept {
    join_ended();
    Teardown* const begins = teardown.release();  // from here on the list owns it
    try {
        begins->thread_ = std::thread([begins] {
            begins->destroy_(begins->object_);
            begins->has_ended_.store(true, std::memory_order_release);
        });
    } catch (const std::exception& error) {
        log(LogLevel::warning, "pool: its last copy went in a piece of its own work, and it is taken down later, as there is no thread:");
        log(LogLevel::warning, error.what());
    }
    begins->push();
}

void Teardown::wait_for_all() noexcept {
    while (Teardown* teardown = begun.exchange(nullptr, std::memory_order_acq_rel)) {
        while (teardown != nullptr) std::exchange(teardown, teardown->next_)->finish();
    }
}

void Teardown::push() noexcept {
    next_ = begun.load(std::memory_order_relaxed);
    while (!begun.compare_exchange_weak(next_, this, std::memory_order_acq_rel)) continue;
}

/// Waits for the teardown and deletes it. In a forked child, which lacks its thread, it is leaked.
void Teardown::finish() noexcept {
    if (process_.is_forked()) return;
    const std::unique_ptr<Teardown> own(this);
    if (thread_.joinable()) {
        thread_.join();
    } else {
        destroy_(object_);
    }
}

/// Deletes teardowns whose threads have ended, so that they do not accumulate.
void Teardown::join_ended() noexcept {
    Teardown* teardown = begun.exchange(nullptr, std::memory_order_acq_rel);
    while (teardown != nullptr) {
        Teardown* const current = std::exchange(teardown, teardown->next_);
        if (current->has_ended_.load(std::memory_order_acquire)) {
            current->finish();
        } else {
            current->push();
        }
    }
}

}  // namespace cupool::detail
