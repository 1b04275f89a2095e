// Fuzzes points: compressed, in decimal and in hexadecimal. The input is read as each.
#include "formats/bad_input.hpp"
#include "formats/compressed_point.hpp"
#include "formats/decimal_points.hpp"
#include "formats/hex.hpp"
#include "fuzz_input.hpp"

using namespace cupool;
using namespace cupool::tools;
using namespace cupool::test;

namespace {

template <class Parse>
void accept_bad_input(const Parse& parse) {
    try {
        parse();
    } catch (const BadInput&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const FuzzInput input(data, size);
    accept_bad_input([&] { parse_compressed_bn254(input.bytes()); });
    accept_bad_input([&] { parse_decimal_points<Curve::bn254>(input.text()); });
    accept_bad_input([&] { parse_decimal_points<Curve::bls12_377>(input.text()); });
    accept_bad_input([&] {
        const Limbs<4> number = parse_hex<4>(input.text(), {1, 1});
        must_hold(parse_hex<4>(to_hex(number), {1, 1}) == number, "a number reads as the same again");
    });
    accept_bad_input([&] { must_hold(parse_hex_bytes(input.text(), 4, {1, 1}).size() == 4, "as many bytes as were asked for"); });
    CompressedBls12381 compressed{};
    if (size == compressed.size()) {
        std::copy(data, data + size, compressed.begin());
        accept_bad_input([&] { must_hold(compress(decompress_bls12_381(compressed, "here")) == compressed, "a point has one encoding"); });
    }
    return 0;
}
