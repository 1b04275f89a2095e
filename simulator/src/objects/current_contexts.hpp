#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <cupool/driver/abi.hpp>

#include "api/failure.hpp"

namespace cupool::simulator {

/// A thread's stack of contexts, with the current one on top. Trivially destructible, since the driver may still be called while the
/// thread's objects are destroyed.
class CurrentContexts {
public:
    /// Empties a stack from before the last reset.
    void enter_generation(std::uint64_t generation) {
        if (generation_ != generation) {
            depth_ = 0;
            generation_ = generation;
        }
    }

    bool empty() const { return depth_ == 0; }
    /// Null if the stack is empty.
    abi::Context top() const { return depth_ == 0 ? nullptr : contexts_[depth_ - 1]; }
    /// Fails with out_of_memory if the stack is full.
    void require_room() const { require(depth_ < contexts_.size(), abi::Status::out_of_memory); }
    void push(abi::Context context) {
        require_room();
        contexts_[depth_++] = context;
    }
    void pop() { --depth_; }

private:
    std::array<abi::Context, 128> contexts_{};
    std::size_t depth_ = 0;
    std::uint64_t generation_ = 0;
};

}  // namespace cupool::simulator
