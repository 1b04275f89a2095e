// Fuzzes the inputs of EIP-2537's precompiles. The input is one of either.
#include "formats/bad_input.hpp"
#include "formats/eip2537.hpp"
#include "fuzz_input.hpp"

using namespace cupool;
using namespace cupool::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        parse_eip2537_g1_add({data, size});
    } catch (const BadInput&) {
    }
    try {
        parse_eip2537_g1_msm({data, size});
    } catch (const BadInput&) {
    }
    return 0;
}
