#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace cupool {

namespace detail {
class SharedMemory;
std::span<std::byte> bytes_of(const SharedMemory& memory) noexcept;
}  // namespace detail

/// Memory that a WorkerPool lends to the program and shares with its worker processes: operands that lie in it are not copied, but read by
/// the workers where they lie, page-locked for their devices. It begins as zeros. Copyable; copies share the memory, which is given back
/// with the last copy and the last job that uses it. The program may use it from any thread, and must not change what a job reads until
/// that has ended. Outlives its pool if need be.
template <class T>
class SharedArray {
    static_assert(std::is_trivially_copyable_v<T>, "processes share bytes: T must be trivially copyable");

public:
    /// No elements.
    SharedArray() = default;

    /// In elements.
    std::size_t size() const noexcept { return span().size(); }
    /// The first element; null where there is none.
    T* data() const noexcept { return span().data(); }
    /// \pre index < size()
    T& operator[](std::size_t index) const noexcept { return data()[index]; }
    /// The first element.
    T* begin() const noexcept { return data(); }
    /// Past the last element.
    T* end() const noexcept { return data() + size(); }

    /// All elements.
    std::span<T> span() const noexcept {
        if (memory_ == nullptr) return {};
        const std::span<std::byte> bytes = detail::bytes_of(*memory_);
        return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }

private:
    friend class WorkerPool;
    explicit SharedArray(std::shared_ptr<const detail::SharedMemory> memory) noexcept : memory_(std::move(memory)) {}

    std::shared_ptr<const detail::SharedMemory> memory_;
};

}  // namespace cupool
