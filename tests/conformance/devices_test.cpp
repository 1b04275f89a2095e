#include <limits>
#include <string>

#include "gpus.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a device tells who it is", "[devices]") {
    CUPOOL_NEEDS_GPUS(1);
    const Device& device = gpus()[0].device();
    CHECK(device.ordinal() == 0);
    CHECK_FALSE(device.name().empty());
    CHECK(device.uuid().size() == std::string("GPU-").size() + 36);
    CHECK(device.total_memory() > std::size_t{1} << 30);
    CHECK(device.multiprocessor_count() > 0);
}

TEST_CASE("an ordinal that no device has is refused", "[devices]") {
    CUPOOL_NEEDS_GPUS(1);
    for (const int ordinal : {-1, static_cast<int>(gpus().size()), std::numeric_limits<int>::max()}) {
        CHECK(error_of([&] { Device(Driver::system(), ordinal); }).category() == ErrorCategory::invalid_device);
    }
}
