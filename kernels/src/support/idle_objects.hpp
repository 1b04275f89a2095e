#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace cupool::detail {

/// Objects that one job at a time uses, kept for the next job. Thread-safe.
template <class T>
class IdleObjects {
public:
    /// An idle object or, if there is none, make() (a unique_ptr). It comes back when the pointer is destroyed, also after this.
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
                        // It is destroyed instead of coming back.
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
