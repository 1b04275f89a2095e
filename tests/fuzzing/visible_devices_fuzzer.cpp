// Fuzzes what the driver layer makes of CUDA_VISIBLE_DEVICES. The input is its value.
#include <string>

#include <cupool/driver/visible_devices.hpp>

#include "fuzz_input.hpp"

using namespace cupool::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string variable(FuzzInput(data, size).text());
    const std::string uuids[] = {"GPU-c00f0000-0000-0000-0000-000000000000", "GPU-c00f0000-0000-0000-0000-000000000001", ""};
    for (std::size_t count = 0; count <= std::size(uuids); ++count) {
        const auto visible = cupool::map_visible_devices(variable, {uuids, count});
        must_hold(!to_string(visible).empty(), "what is visible can be told");
    }
    return 0;
}
