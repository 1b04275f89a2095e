// Fuzzes the PTX parser, loader and interpreter. The input is a module's text.
#include <cstddef>
#include <cstdint>

#include "load_and_run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cupool::ptx::test::load_and_run({reinterpret_cast<const char*>(data), size});
    return 0;
}
