#pragma once

/// \file
/// The code of the built-in models of replica exchange.

#include <cupool/driver/module.hpp>

#include "support/embedded_code.hpp"

namespace cupool::detail {

extern const ShippedCode ising_code;

/// The module of a built-in model in one context. \throws Error jit_failure, and any error of the driver
Module load_replica_model(ContextView context, const ShippedCode& code);

}  // namespace cupool::detail
