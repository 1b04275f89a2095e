// The driver that the conformance suite judges, simulated or real, and its devices.
#pragma once

#include <cupool/driver/context.hpp>
#include <cupool/driver/driver.hpp>
#include <vector>

#include "catch.hpp"

namespace cupool::test {

/// Every device of the driver under judgement (CUPOOL_DRIVER, or else this host's), its primary context retained until the process ends;
/// none where there is no usable driver.
const std::vector<ContextView>& gpus();

/// Whether the driver under judgement is the simulated one. Assertions must not depend on it: only sizes and patience may,
/// and whether a case is run that a real driver does not always survive.
bool is_simulated();

/// The Error that a function throws; fails the test where it throws none.
template <class Function>
Error error_of(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error;
    }
    FAIL("no Error was thrown");
    return Error(ErrorCategory::internal, "");
}

}  // namespace cupool::test

/// Skips the test case, saying so, where there are fewer devices.
#define CUPOOL_NEEDS_GPUS(count)                                                                       \
    if (::cupool::test::gpus().size() < (count)) {                                                     \
        CUPOOL_SKIP("skipped: it needs " #count " GPUs, and there are fewer than that, or no driver"); \
    }
