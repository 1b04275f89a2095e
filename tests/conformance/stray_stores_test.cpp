// Stores of kernels where they must not store: each poisons its process, so each has one.
#include "memory_child.hpp"
#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a store to freed memory, or to mapped memory without access, is an illegal address for good", "[faults]") {
    CUPOOL_NEEDS_GPUS(1);
    CHECK(run_memory_child({"store", "freed"}) == 0);
    CHECK(run_memory_child({"store", "mapped"}) == 0);
}

TEST_CASE("a store to a peer's memory without the access that it takes is an illegal address for good", "[faults]") {
    CUPOOL_NEEDS_GPUS(2);
    CHECK(run_memory_child({"store", "peer"}) == 0);
    if (!gpus()[0].device().can_access_peer(gpus()[1].device())) return;
    CHECK(run_memory_child({"store", "pool of peer"}) == 0);
}
