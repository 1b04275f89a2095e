// Fuzzes the inputs of KZG commitments: blobs and trusted setups. The input is either's file.
#include "formats/bad_input.hpp"
#include "formats/blob.hpp"
#include "formats/trusted_setup.hpp"
#include "fuzz_input.hpp"

using namespace cupool;
using namespace cupool::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        parse_blob({data, size});
    } catch (const BadInput&) {
    }
    try {
        parse_trusted_setup(test::FuzzInput(data, size).text());
    } catch (const BadInput&) {
    }
    return 0;
}
