#pragma once

/// \file
/// How the layers above the driver layer report the line that called them.

#include <cupool/driver/error.hpp>
#include <utility>

namespace cupool::detail {

/// Calls the function and returns its result. An Error that it throws gets `where` as its location,
/// because a public function of the upper layers has many steps with locations in our own files,
/// while the line of the program is the useful one. Do not pass functions of the program: their
/// errors already name a better location.
template <class Function>
decltype(auto) report_at(const SourceLocation& where, Function&& function) {
    try {
        return std::forward<Function>(function)();
    } catch (const Error& error) {
        throw error.at(where);
    }
}

}  // namespace cupool::detail
