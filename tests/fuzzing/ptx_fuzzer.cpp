// libFuzzer's way in: see CMakeLists.txt beside it.
#include <cstddef>
#include <cstdint>

#include "load_and_run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cupool::ptx::test::load_and_run({reinterpret_cast<const char*>(data), size});
    return 0;
}
