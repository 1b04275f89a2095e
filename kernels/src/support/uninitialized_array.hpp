#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cupool::detail {

/// A large array that is written before it is read: its construction touches no memory, so the threads that fill it
/// share the cost of page faults. It uses huge pages if the system has them, which make access in any order cheaper.
template <class T>
class UninitializedArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>, "elements come to be by being assigned to");

public:
    explicit UninitializedArray(std::size_t size)
        : size_(size), alignment_(size * sizeof(T) < huge_page ? alignof(T) : huge_page), memory_(allocated()) {
#if defined(__linux__)
        if (alignment_ == huge_page) madvise(memory_, size * sizeof(T), MADV_HUGEPAGE);  // if this fails, pages are small
#endif
    }
    ~UninitializedArray() { ::operator delete (memory_, std::align_val_t{alignment_}); }
    UninitializedArray(const UninitializedArray&) = delete;
    UninitializedArray& operator=(const UninitializedArray&) = delete;

    T& operator[](std::size_t i) { return memory_[i]; }
    const T& operator[](std::size_t i) const { return memory_[i]; }
    std::span<T> span() { return {memory_, size_}; }
    std::span<const T> span() const { return {memory_, size_}; }

private:
    static constexpr std::size_t huge_page = std::size_t{2} << 20;

    T* allocated() const { return static_cast<T*>(::operator new (size_ * sizeof(T), std::align_val_t{alignment_})); }

    std::size_t size_;
    std::size_t alignment_;
    T* memory_;
};

}  // namespace cupool::detail
