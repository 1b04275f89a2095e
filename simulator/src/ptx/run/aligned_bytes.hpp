#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace cupool::ptx {

/// Zeroed bytes aligned to a cache line, for vector loops.
class AlignedBytes {
public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t size) { resize(size); }

    /// Keeps the content that fits; new bytes are zero.
    void resize(std::size_t size) {
        std::unique_ptr<std::byte, Free> moved(size == 0 ? nullptr : new (alignment) std::byte[size]{});
        if (size != 0 && size_ != 0) std::memcpy(moved.get(), bytes_.get(), size < size_ ? size : size_);
        bytes_ = std::move(moved);
        size_ = size;
    }

    std::byte* data() const noexcept { return bytes_.get(); }
    std::size_t size() const noexcept { return size_; }

private:
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(std::byte* bytes) const noexcept { operator delete[](bytes, alignment); }
    };

    std::unique_ptr<std::byte, Free> bytes_;
    std::size_t size_ = 0;
};

}  // namespace cupool::ptx
