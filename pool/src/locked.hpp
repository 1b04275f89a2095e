#pragma once

#include <cupool/driver/detail/caller.hpp>
#include <mutex>

namespace cupool::detail {

/// Calls function(state) while no other call of the same object runs. Errors name the caller's line. \pre the state has a mutex
template <class State, class Function>
auto locked(State& state, const SourceLocation& where, const Function& function) {
    return report_at(where, [&] {
        const std::lock_guard lock(state.mutex);
        return function(state);
    });
}

}  // namespace cupool::detail
