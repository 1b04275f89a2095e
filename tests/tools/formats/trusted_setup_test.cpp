// EIP-4844: the trusted setup, and the consensus specification's commitments.
#include "formats/trusted_setup.hpp"
#include "catch.hpp"
#include "engines.hpp"
#include "faults.hpp"
#include "files.hpp"
#include "formats/blob.hpp"
#include "formats/compressed_point.hpp"
#include "formats/hex.hpp"
#include "test_data.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::require_fault;

namespace {

constexpr Curve bls = Curve::bls12_381;
constexpr std::size_t blob_size = 131072;

/// What stands between the quotes after a key of a vector's YAML; "" where it is null.
std::string quoted_after(const std::string& yaml, const std::string& key) {
    const auto begin = yaml.find(key + ": '");
    if (begin == std::string::npos) return {};
    const auto first = begin + key.size() + 3;
    return yaml.substr(first, yaml.find('\'', first) - first);
}

std::vector<Scalar> parse_blob_text(const std::string& text) { return parse_blob(test::as_bytes(text)); }

/// A text with one of its lines replaced.
std::string with_line(const std::string& text, std::size_t number, const std::string& line) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i < number; ++i) begin = text.find('\n', begin) + 1;
    return text.substr(0, begin) + line + text.substr(text.find('\n', begin));
}

}  // namespace

TEST_CASE("every valid blob has the specification's commitment") {
    CUPOOL_TEST_DATA_OR_SKIP(setup_file, "kzg/trusted_setup.txt");
    const auto setup = parse_trusted_setup(test::read_text(setup_file));
    REQUIRE(setup.size() == blob_elements);
    const auto pool = test::engine_under_test();
    for (int i = 0; i < 4; ++i) {
        const auto name = "kzg/blob_to_kzg_commitment_case_valid_blob_" + std::to_string(i) + ".yaml";
        INFO(name);
        CUPOOL_TEST_DATA_OR_SKIP(file, name);
        const auto yaml = test::read_text(file);
        const auto blob = quoted_after(yaml, "blob");
        const auto elements = parse_blob_text(blob);
        CHECK(to_hex(compress(test::msm_on<bls>(pool, setup, elements))) == quoted_after(yaml, "output"));

        const auto raw = parse_hex_bytes(blob, blob_size, {});
        CHECK(parse_blob(raw) == elements);
        CHECK(parse_blob_text(blob.substr(2) + "\r\n") == elements);
    }
}

TEST_CASE("blobs with an element of r and above are refused with its index") {
    const std::vector<std::string> first_faults = {"field element 0 (byte 0)", "field element 2111 (byte 67552)"};
    for (std::size_t i = 0; i < first_faults.size(); ++i) {
        const auto name = "kzg/blob_to_kzg_commitment_case_invalid_blob_" + std::to_string(i) + ".yaml";
        INFO(name);
        CUPOOL_TEST_DATA_OR_SKIP(file, name);
        const auto yaml = test::read_text(file);
        CHECK(quoted_after(yaml, "output").empty());
        require_fault([&] { parse_blob_text(quoted_after(yaml, "blob")); }, InputFault::not_reduced, first_faults[i]);
    }
}

TEST_CASE("a blob is read big-endian, in raw bytes or hexadecimal") {
    std::vector<std::uint8_t> blob(blob_size);
    blob[31] = 7;
    blob[blob_size - 2] = 1;
    const auto elements = parse_blob(blob);
    REQUIRE(elements.size() == blob_elements);
    CHECK(elements[0] == Scalar{{7}});
    CHECK(elements[1] == Scalar{});
    CHECK(elements[4095] == Scalar{{256}});
    CHECK(parse_blob_text(to_hex(blob)) == elements);

    const auto order = to_big_endian(group_order<bls>());
    std::copy(order.begin(), order.end(), blob.begin() + 32 * 9);
    require_fault([&] { parse_blob(blob); }, InputFault::not_reduced, "field element 9 (byte 288)");
    require_fault([&] { parse_blob_text(to_hex(blob)); }, InputFault::not_reduced, "field element 9 (byte 288)");
    --blob[32 * 9 + 31];
    CHECK(parse_blob(blob)[9].limbs[0] == group_order<bls>().limbs[0] - 1);
}

TEST_CASE("what is no blob is refused") {
    const std::string digits(2 * blob_size, '0');
    require_fault([] { parse_blob({}); }, InputFault::empty, "");
    for (const std::size_t size : {std::size_t{1}, blob_size - 1, blob_size + 1, 2 * blob_size - 1, 2 * blob_size + 1}) {
        INFO(size);
        require_fault([&] { parse_blob_text(std::string(size, '0')); }, InputFault::length, "");
    }
    require_fault([&] { parse_blob_text(digits + "\n00"); }, InputFault::length, "");
    auto faulty = digits;
    faulty[1000] = 'x';
    require_fault([&] { parse_blob_text(faulty); }, InputFault::digit, "line 1, column 1001");
    require_fault([&] { parse_blob_text("0x" + faulty); }, InputFault::digit, "line 1, column 1003");
}

TEST_CASE("a damaged trusted setup is refused with its line") {
    CUPOOL_TEST_DATA_OR_SKIP(file, "kzg/trusted_setup.txt");
    const auto text = test::read_text(file);
    const auto refuse = [](const std::string& damaged, InputFault fault, const std::string& where) {
        require_fault([&] { parse_trusted_setup(damaged); }, fault, where);
    };
    refuse("", InputFault::empty, "");
    refuse("4096\n", InputFault::length, "line 2, column 1");
    refuse(with_line(text, 1, "4095"), InputFault::length, "line 1, column 1");
    refuse(with_line(text, 2, "64"), InputFault::length, "line 2, column 1");
    refuse(with_line(text, 3, ""), InputFault::length, "line 3, column 1");
    refuse(with_line(text, 10, std::string(96, '0')), InputFault::flags, "line 10, column 1");
    refuse(with_line(text, 4098, "b" + std::string(94, '0') + "g"), InputFault::digit, "line 4098, column 96");
    refuse(with_line(text, 4099, std::string(96, '0')), InputFault::length, "line 4099, column 1");
    refuse(text + "c0\n", InputFault::length, "line 8260, column 1");
    refuse(text.substr(0, text.size() - 98), InputFault::length, "line 8259, column 1");

    // (0, 2) is on the curve, of order 3
    refuse(with_line(text, 4, to_hex(compress({{}, {{2}}}))), InputFault::not_in_subgroup, "line 4, column 1");
}
