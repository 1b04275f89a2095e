#include "formats/compressed_point.hpp"

#include "catch.hpp"
#include "engines.hpp"
#include "faults.hpp"
#include "formats/hex.hpp"
#include "formats/limbs.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::require_fault;

namespace {

CompressedBls12381 zcash_bytes(const std::string& hex) {
    const auto bytes = parse_hex_bytes(hex, 48, {});
    CompressedBls12381 array;
    std::copy(bytes.begin(), bytes.end(), array.begin());
    return array;
}

void refuse_zcash(const std::string& hex, InputFault fault) {
    INFO(hex);
    require_fault([&] { decompress_bls12_381(zcash_bytes(hex), "here"); }, fault, "here");
}

void refuse_gnark(const std::string& hex, InputFault fault) {
    INFO(hex);
    const auto bytes = parse_hex_bytes(hex, 32, {});
    require_fault([&] { decompress_bn254(std::span(bytes).first<32>(), "here"); }, fault, "here");
}

const std::string zeros(94, '0');

}  // namespace

TEST_CASE("the generator's compressed form is the standard's") {
    const std::string standard = "0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
    CHECK(to_hex(compress(generator<Curve::bls12_381>())) == standard);
    CHECK(decompress_bls12_381(zcash_bytes(standard), "") == generator<Curve::bls12_381>());
    CHECK(decompress_bls12_381(zcash_bytes("0xb" + standard.substr(3)), "") == negate(generator<Curve::bls12_381>()));
}

TEST_CASE("BLS12-381 points survive compression") {
    auto points = generator_multiples<Curve::bls12_381>(1, 200);
    for (auto& point : points) {
        CHECK(decompress_bls12_381(compress(point), "") == point);
        CHECK(decompress_bls12_381(compress(negate(point)), "") == negate(point));
    }
    CHECK(to_hex(compress(infinity<Curve::bls12_381>())) == "0xc0" + zeros);
    CHECK(is_infinity(decompress_bls12_381(zcash_bytes("0xc0" + zeros), "")));
}

TEST_CASE("faulty Zcash encodings are refused") {
    const auto modulus = to_hex(base_field_modulus<Curve::bls12_381>());
    refuse_zcash("00" + zeros, InputFault::flags);
    refuse_zcash("40" + zeros, InputFault::flags);
    refuse_zcash("20" + zeros, InputFault::flags);
    refuse_zcash("e0" + zeros, InputFault::flags);
    refuse_zcash("c0" + zeros.substr(1) + "1", InputFault::flags);
    refuse_zcash("c1" + zeros, InputFault::flags);
    refuse_zcash("9a" + modulus.substr(4), InputFault::not_reduced);
    refuse_zcash("9f" + std::string(94, 'f'), InputFault::not_reduced);
    refuse_zcash("80" + zeros.substr(1) + "1", InputFault::not_on_curve);
}

TEST_CASE("faulty gnark encodings are refused") {
    const std::string rest(62, '0');
    refuse_gnark("00" + rest, InputFault::flags);
    refuse_gnark("40" + rest.substr(1) + "1", InputFault::flags);
    refuse_gnark("bf" + std::string(62, 'f'), InputFault::not_reduced);
    refuse_gnark("80" + rest, InputFault::not_on_curve);
    const auto infinite = parse_hex_bytes("40" + rest, 32, {});
    CHECK(is_infinity(decompress_bn254(std::span(infinite).first<32>(), "")));
}

TEST_CASE("a file of compressed points has whole points") {
    const std::vector<std::uint8_t> bytes(33);
    require_fault([] { parse_compressed_bn254({}); }, InputFault::empty, "");
    require_fault([&] { parse_compressed_bn254(bytes); }, InputFault::length, "byte 33");
    require_fault([&] { parse_compressed_bn254(std::span(bytes).first(32)); }, InputFault::flags, "point 0");
}
