#pragma once

/// \file
/// How the layers above the driver layer report the line that called them.

#include <cupool/driver/error.hpp>
#include <utility>

namespace cupool::detail {

/// Calls the function and returns what it returns. An Error that it throws leaves with `where` as its location: public functions of the
/// upper layers are made of many steps, each with a location of its own in our files, of which the program's line is the useful one. Do
/// not call a function of the program's own through it, whose errors name a better place already.
template <class Function>
decltype(auto) report_at(const SourceLocation& where, Function&& function) {
    try {
        return std::forward<Function>(function)();
    } catch (const Error& error) {
        throw error.at(where);
    }
}

}  // namespace cupool::detail
