#pragma once

#include <atomic>
#include <memory>

namespace cupool::detail {

/// The constant T(), computed by the first call and kept until the process ends. Thread-safe.
///
/// Two threads that call first both compute it. Neither waits for the other, unlike with a static local
/// variable: there, a child forked while another thread computes the constant would wait forever.
template <class T>
const T& lazy_constant() {
    static std::atomic<const T*> kept{nullptr};
    const T* found = kept.load(std::memory_order_acquire);
    if (found != nullptr) return *found;
    auto computed = std::make_unique<const T>();
    if (kept.compare_exchange_strong(found, computed.get(), std::memory_order_acq_rel)) found = computed.release();
    return *found;
}

}  // namespace cupool::detail
