#pragma once

#include <vector>

#include "known_answers.hpp"

namespace cupool::test {

/// Appends the modules of transforms, element-wise operations and Poseidon. The host's answers are right.
void append_field_modules(std::vector<ShippedModule>& modules);

}  // namespace cupool::test
