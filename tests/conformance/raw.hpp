// The driver's entry points as they are, for what the public interface does not let happen.
#pragma once

#include <cupool/driver/context.hpp>
#include <cupool/driver/driver.hpp>

#include "gpus.hpp"

namespace cupool::test {

/// What the driver answers.
using Answer = abi::Status;

/// The entry points of the driver under judgement.
inline const EntryPoints& raw() { return Driver::system()->api(); }

/// Whether a function fails because this driver cannot do it at all; any other failure is the test's.
template <class Function>
bool is_unsupported(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        if (error.category() != ErrorCategory::unsupported) throw;
        return true;
    }
    return false;
}

}  // namespace cupool::test
