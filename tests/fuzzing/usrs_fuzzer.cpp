// Fuzzes .usrs files. The input is a file.
#include "formats/bad_input.hpp"
#include "formats/usrs.hpp"
#include "fuzz_input.hpp"

using namespace cupool;
using namespace cupool::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        parse_usrs({data, size});
    } catch (const BadInput&) {
    }
    return 0;
}
