// At which of many places something fails, where there is no time for all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cupool::test {

/// CUPOOL_FAULT_SEED, or the usual one.
std::uint64_t fault_seed();

/// Places from 1 to `count`, in rising order: the first `size` / 2 and the last ten, and as many drawn from the others as make `size`.
/// CUPOOL_FAULT_MATRIX=whole makes it all of them.
std::vector<std::uint64_t> fault_places(std::uint64_t count, std::uint64_t size);

}  // namespace cupool::test
