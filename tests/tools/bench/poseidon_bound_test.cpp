#include "bench/poseidon_bound.hpp"

#include "bench/multiply_rate.hpp"
#include "catch.hpp"

using namespace cupool;
using namespace cupool::tools;

TEST_CASE("the multiplications of a permutation are those reckoned by hand") {
    const double power = 2 * 208 + 264;
    // 8 full rounds with 3 powers and 3 sums of 3 products, 57 partial ones with a power and a sum of 5, and 2 sums of 4 behind them
    CHECK(poseidon_multiply_slots(PoseidonVariant::original, 3, 57) == 24 * (power + 4 * 132) + 57 * (power + 6 * 132) + 2 * 5 * 132);
    CHECK(poseidon_multiply_slots(PoseidonVariant::poseidon2, 3, 56) == 80 * power);
    CHECK(poseidon_multiply_slots(PoseidonVariant::poseidon2, 4, 56) == 88 * power + 56 * 4 * 264);
    CHECK_FALSE(multiply_milliseconds(1e9, DevicePool::host(), {}));
}
