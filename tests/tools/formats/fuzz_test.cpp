// Damaged input of every format is refused or read, and never does harm (which the sanitizers' builds would see).
#include <random>

#include "catch.hpp"
#include "engines.hpp"
#include "faults.hpp"
#include "formats/blob.hpp"
#include "formats/compressed_point.hpp"
#include "formats/decimal_points.hpp"
#include "formats/dimacs.hpp"
#include "formats/eip2537.hpp"
#include "formats/hex.hpp"
#include "formats/pairs.hpp"
#include "formats/trusted_setup.hpp"
#include "formats/usrs.hpp"

using namespace cupool;
using namespace cupool::tools;

namespace {

using Bytes = std::vector<std::uint8_t>;

std::string_view as_text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

template <Curve C>
Bytes pairs_file() {
    std::string text;
    for (const auto& point : generator_multiples<C>(1, 3)) text += pair_line(point, Scalar{{5, 6, 7, 8}}) + '\n';
    return {text.begin(), text.end()};
}

Bytes usrs_file() {
    Bytes bytes = {3, 0, 0, 0, 0, 0, 0, 0};
    for (const auto& point : generator_multiples<Curve::bls12_377>(1, 3)) {
        for (const auto& coordinate : {point.x, point.y}) {
            const auto big_endian = to_big_endian(coordinate);
            bytes.insert(bytes.end(), big_endian.rbegin(), big_endian.rend());
        }
    }
    return bytes;
}

Bytes eip2537_input() {
    Bytes bytes;
    for (const auto& point : generator_multiples<Curve::bls12_381>(1, 3)) {
        const auto encoded = eip2537_g1(point);
        bytes.insert(bytes.end(), encoded.begin(), encoded.end());
        bytes.insert(bytes.end(), 32, 0x11);
    }
    return bytes;
}

Bytes setup_beginning() {
    std::string text = "4096\n65\n";
    for (const auto& point : generator_multiples<Curve::bls12_381>(1, 3)) text += to_hex(compress(point)) + '\n';
    return {text.begin(), text.end()};
}

/// Cuts a sample at every length, and damages single bytes of it at random.
template <class Parse>
void damage(const Bytes& sample, const Parse& parse, std::size_t step = 1) {
    for (std::size_t length = 0; length <= sample.size(); length += step)
        test::fault_of([&] { parse(Bytes(sample.begin(), sample.begin() + length)); });
    std::mt19937_64 random(5);
    for (int i = 0; i < 300; ++i) {
        auto damaged = sample;
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
        test::fault_of([&] { parse(damaged); });
    }
    CHECK(test::fault_of([&] { parse(Bytes()); }).has_value());
}

}  // namespace

TEST_CASE("damaged pairs do no harm") {
    damage(pairs_file<Curve::bls12_377>(), [](const Bytes& bytes) { parse_pairs<Curve::bls12_377>(as_text(bytes)); });
    damage(pairs_file<Curve::bn254_g2>(), [](const Bytes& bytes) { parse_pairs<Curve::bn254_g2>(as_text(bytes)); });
}

TEST_CASE("damaged .usrs files do no harm") {
    damage(usrs_file(), [](const Bytes& bytes) { parse_usrs(bytes); });
}

TEST_CASE("damaged EIP-2537 inputs do no harm") {
    damage(eip2537_input(), [](const Bytes& bytes) { parse_eip2537_g1_msm(bytes); });
    auto addition = eip2537_input();
    addition.resize(256);
    damage(addition, [](const Bytes& bytes) { parse_eip2537_g1_add(bytes); });
}

TEST_CASE("damaged trusted setups do no harm") {
    damage(setup_beginning(), [](const Bytes& bytes) { parse_trusted_setup(as_text(bytes)); });
}

TEST_CASE("damaged blobs do no harm") {
    damage(
        Bytes(131072), [](const Bytes& bytes) { parse_blob(bytes); }, 997);
    damage(
        Bytes(262144, '1'), [](const Bytes& bytes) { parse_blob(bytes); }, 997);
}

TEST_CASE("damaged DIMACS graphs do no harm") {
    const std::string ascii = "c a path\np edge 3 2\ne 1 2\ne 2 3\n";
    damage({ascii.begin(), ascii.end()}, [](const Bytes& bytes) { parse_dimacs(bytes); });
    std::string binary = "10\np col 9 3\n" + std::string(10, '\0');
    binary[14] = '\x80';
    damage({binary.begin(), binary.end()}, [](const Bytes& bytes) { parse_dimacs(bytes); });
}

TEST_CASE("damaged compressed and decimal points do no harm") {
    Bytes compressed(96, 0x15);
    compressed[0] = compressed[32] = compressed[64] = 0x80;
    damage(compressed, [](const Bytes& bytes) { parse_compressed_bn254(bytes); });
    const std::string decimal = "1,2\n1,2\n1,21888242871839275222246405745257275088696311157297823662689037894645226208581\n";
    damage({decimal.begin(), decimal.end()}, [](const Bytes& bytes) { parse_decimal_points<Curve::bn254>(as_text(bytes)); });
}
