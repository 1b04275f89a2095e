// The official vectors of EIP-2537's G1 precompiles.
#include "formats/eip2537.hpp"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "engines.hpp"
#include "faults.hpp"
#include "files.hpp"
#include "formats/hex.hpp"
#include "test_data.hpp"

using namespace cupool;
using namespace cupool::tools;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Output = std::array<std::uint8_t, 128>;

Bytes hex_bytes(const std::string& hex) { return parse_hex_bytes(hex, hex.size() / 2, {}); }

Output precompile_add(const Bytes& input) {
    const auto points = parse_eip2537_g1_add(input);
    return eip2537_g1(add(points[0], points[1]));
}

Output precompile_msm(const Bytes& input, const DevicePool& pool) {
    const auto pairs = parse_eip2537_g1_msm(input);
    return eip2537_g1(test::msm_on<Curve::bls12_381>(pool, pairs.points, pairs.scalars));
}

void check_vectors(const std::filesystem::path& file, std::size_t count, const std::function<Output(const Bytes&)>& precompile) {
    const auto cases = nlohmann::json::parse(test::read_text(file));
    CHECK(cases.size() == count);
    for (const auto& vector : cases) {
        INFO(vector.at("Name").get<std::string>());
        CHECK(to_hex(precompile(hex_bytes(vector.at("Input")))) == "0x" + vector.at("Expected").get<std::string>());
    }
}

void check_failing_vectors(const std::filesystem::path& file, std::size_t count, const std::function<void(const Bytes&)>& parse) {
    const std::map<std::string, InputFault> faults = {{"invalid input length", InputFault::length},
                                                      {"invalid point: not on curve", InputFault::not_on_curve},
                                                      {"invalid fp.Element encoding", InputFault::not_reduced},
                                                      {"invalid field element top bytes", InputFault::padding},
                                                      {"g1 point is not in the correct subgroup", InputFault::not_in_subgroup}};
    const auto cases = nlohmann::json::parse(test::read_text(file));
    CHECK(cases.size() == count);
    for (const auto& vector : cases) {
        const std::string hex = vector.at("Input");
        INFO(vector.at("Name").get<std::string>() << ", which expects: " << vector.at("ExpectedError").get<std::string>());
        const auto fault = test::fault_of([&] { parse(hex_bytes(hex)); });
        REQUIRE(fault.has_value());
        INFO(fault->what());
        CHECK(static_cast<int>(fault->fault()) == static_cast<int>(faults.at(vector.at("ExpectedError"))));
    }
}

}  // namespace

TEST_CASE("EIP-2537 additions give the official sums, also outside the subgroup") {
    CUPOOL_TEST_DATA_OR_SKIP(file, "eip2537/add_G1_bls.json");
    check_vectors(file, 9, precompile_add);
}

TEST_CASE("EIP-2537 multiplications give the official products") {
    CUPOOL_TEST_DATA_OR_SKIP(file, "eip2537/mul_G1_bls.json");
    const auto pool = test::engine_under_test();
    check_vectors(file, 11, [&](const Bytes& input) { return precompile_msm(input, pool); });
    check_vectors(file, 11, [](const Bytes& input) {
        const auto pairs = parse_eip2537_g1_msm(input);
        return eip2537_g1(multiply(pairs.points.at(0), pairs.scalars.at(0)));
    });
}

TEST_CASE("EIP-2537 MSMs give the official sums") {
    CUPOOL_TEST_DATA_OR_SKIP(file, "eip2537/msm_G1_bls.json");
    const auto pool = test::engine_under_test();
    check_vectors(file, 163, [&](const Bytes& input) { return precompile_msm(input, pool); });
}

TEST_CASE("EIP-2537's failing inputs are refused, each for its own fault") {
    CUPOOL_TEST_DATA_OR_SKIP(add_file, "eip2537/fail-add_G1_bls.json");
    CUPOOL_TEST_DATA_OR_SKIP(mul_file, "eip2537/fail-mul_G1_bls.json");
    CUPOOL_TEST_DATA_OR_SKIP(msm_file, "eip2537/fail-msm_G1_bls.json");
    check_failing_vectors(add_file, 7, [](const Bytes& input) { parse_eip2537_g1_add(input); });
    check_failing_vectors(mul_file, 8, [](const Bytes& input) { parse_eip2537_g1_msm(input); });
    check_failing_vectors(msm_file, 8, [](const Bytes& input) { parse_eip2537_g1_msm(input); });
}

TEST_CASE("EIP-2537 names the byte that is at fault") {
    const auto point = eip2537_g1(generator<Curve::bls12_381>());
    Bytes input(point.begin(), point.end());
    input.resize(160);
    auto two = input;
    two.insert(two.end(), input.begin(), input.end());
    CHECK(parse_eip2537_g1_msm(two).points.size() == 2);
    auto faulty = two;
    faulty[160 + 15] = 1;
    test::require_fault([&] { parse_eip2537_g1_msm(faulty); }, InputFault::padding, "byte 160");
    faulty = two;
    faulty[160 + 64 + 16] = 0xff;
    test::require_fault([&] { parse_eip2537_g1_msm(faulty); }, InputFault::not_reduced, "byte 224");
    faulty = two;
    ++faulty[160 + 127];
    test::require_fault([&] { parse_eip2537_g1_msm(faulty); }, InputFault::not_on_curve, "byte 160");
}
