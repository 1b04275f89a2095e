#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace cupool::detail {

/// Objects that jobs use one at a time, kept for the next job. Safe from any thread.
template <class T>
class IdleObjects {
public:
    /// One for a job, what make() returns (a unique_ptr) if none is idle. It comes back when the pointer goes, also after this is gone.
    template <class Make>
    std::shared_ptr<T> take(const Make& make) {
        std::unique_ptr<T> object = take_idle();
        if (object == nullptr) object = make();
        return {object.release(), [idle = idle_](T* used) {
                    std::unique_ptr<T> owned(used);
                    const std::lock_guard lock(idle->mutex);
                    try {
                        idle->objects.push_back(std::move(owned));
                    } catch (const std::bad_alloc&) {
                        // It goes instead of coming back.
                    }
                }};
    }

private:
    struct Idle {
        std::mutex mutex;
        std::vector<std::unique_ptr<T>> objects;
    };

    std::unique_ptr<T> take_idle() {
        const std::lock_guard lock(idle_->mutex);
        idle_->objects.reserve(idle_->objects.size() + 1);
        if (idle_->objects.empty()) return nullptr;
        std::unique_ptr<T> object = std::move(idle_->objects.back());
        idle_->objects.pop_back();
        return object;
    }

    std::shared_ptr<Idle> idle_ = std::make_shared<Idle>();
};

}  // namespace cupool::detail
