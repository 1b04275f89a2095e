// cupool ntt and cupool poseidon.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "process.hpp"

using cupool::test::contains_text;
using cupool::test::run_process;

namespace {

const std::string tool = CUPOOL_TOOL;
const std::string r_less_one = "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000";  // of BN254

std::string run(std::vector<std::string> arguments, const std::string& input) {
    arguments.push_back("-");
    const auto result = run_process(tool, arguments, input);
    INFO(result.err);
    CHECK(result.err.empty());
    REQUIRE(result.exit_code == 0);
    return result.out;
}

void check_refused(std::vector<std::string> arguments, const std::string& input, int exit_code, const std::string& text) {
    arguments.push_back("-");
    const auto result = run_process(tool, arguments, input);
    INFO(result.err);
    CHECK(result.exit_code == exit_code);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains_text(text));
}

/// As hexadecimal digits that are padded to those of an output line.
std::string line(std::uint64_t value) {
    char text[80];
    std::snprintf(text, sizeof text, "0x%064llx\n", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace

TEST_CASE("cupool ntt transforms lines of scalars, forth and back") {
    for (const std::string engine : {"host", "auto"}) {
        const std::vector<std::string> forward = {"ntt", "--curve", "bn254", "--engine", engine};
        CHECK(run(forward, "1\n0x2\n") == line(3) + r_less_one + '\n');
        const std::string four = "1\n2\n3\n4\n";
        const std::string values = run(forward, four);
        auto inverse = forward;
        inverse.insert(inverse.end(), {"--inverse", "--check"});
        CHECK(run(inverse, values) == line(1) + line(2) + line(3) + line(4));
        auto coset = forward;
        coset.insert(coset.end(), {"--coset", "7", "--ordering", "NR", "--check"});
        const std::string on_coset = run(coset, four);
        CHECK(on_coset != values);
        auto back = forward;
        back.insert(back.end(), {"--inverse", "--coset", "0x7", "--ordering", "RN"});
        CHECK(run(back, on_coset) == line(1) + line(2) + line(3) + line(4));
    }
}

TEST_CASE("cupool ntt prints JSON") {
    const auto json = nlohmann::json::parse(run({"ntt", "--curve", "bls12-377", "--json", "--check"}, "5\n"));
    CHECK(json.at("curve") == "bls12-377");
    CHECK(json.at("n") == 1);
    CHECK(json.at("direction") == "forward");
    CHECK(json.at("ordering") == "NN");
    CHECK(json.at("outputs").at(0).get<std::string>() + '\n' == line(5));
    CHECK_FALSE(json.at("checked_by").get<std::string>().empty());
    CHECK(json.at("ms").is_number());
}

TEST_CASE("cupool poseidon hashes lines of scalars as circomlib does") {
    const std::string two = "0x115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a\n";
    for (const std::string engine : {"host", "auto"}) {
        const std::vector<std::string> hash = {"poseidon", "--curve", "bn254", "--engine", engine};
        CHECK(run(hash, "1\n2\n1\n2\n") == two + two);
        auto tree = hash;
        tree.push_back("--tree");
        CHECK(run(tree, "1\n2\n3\n4\n5\n6\n7\n8\n") == "0x2057f9fa34cbdc2664d96ba53ade5d0511262b98f56953039be24ee92f9a7677\n");
        auto compress = hash;
        compress.insert(compress.end(), {"--variant", "poseidon2", "--width", "2", "--compress"});
        CHECK(run(compress, "1\n2\n") == "0x0e90c132311e864e0c8bca37976f28579a2dd9436bbc11326e21ec7c00cea5b3\n");
        auto sponge = hash;
        sponge.push_back("--sponge");
        CHECK(run(sponge, "1\n2\n3\n") != run(sponge, "1\n2\n3\n0\n"));
    }
    const auto json =
        nlohmann::json::parse(run({"poseidon", "--curve", "bls12-381", "--variant", "filecoin", "--width", "5", "--json"}, "0\n1\n2\n3\n"));
    CHECK(json.at("variant") == "filecoin");
    CHECK(json.at("width") == 5);
    CHECK(json.at("n") == 4);
    CHECK(json.at("digests").at(0) == "0x58a54b10a9e5848a00db3c6579229399fb6b4605bf1327ec019814ff6662075d");
}

TEST_CASE("cupool ntt and cupool poseidon refuse what they cannot take, with nothing on stdout") {
    check_refused({"ntt", "--curve", "bn254"}, "1\n2\n3\n", 3, "there are 3 elements; expected a power of two");
    check_refused({"ntt", "--curve", "bn254"}, "1\nx\n", 3, "line 2, column 1");
    check_refused({"ntt", "--curve", "bn254"}, "1 2\n", 3, "line 1, column 3");
    check_refused({"ntt", "--curve", "bn254"}, "", 3, "the input is empty");
    check_refused({"ntt", "--curve", "bn254", "--coset", "g"}, "1\n", 2, "--coset");
    check_refused({"ntt", "--curve", "bn254", "--coset", "0"}, "1\n", 2, "--coset is 0 modulo r");
    check_refused({"ntt", "--curve", "bn254-g2"}, "1\n", 2, "its G1");
    check_refused({"ntt", "--curve", "bn254", "--ordering", "XX"}, "1\n", 2, "XX");
    check_refused({"poseidon", "--curve", "bn254"}, "1\n2\n3\n", 3, "there are 3 elements; a hash takes 2");
    check_refused({"poseidon", "--curve", "bn254", "--tree"}, "1\n2\n3\n", 3, "a tree has a power of 2 leaves");
    check_refused({"poseidon", "--curve", "bn254", "--tree", "--width", "2"}, "1\n2\n", 2, "--width");
    check_refused({"poseidon", "--curve", "bn254", "--variant", "poseidon2", "--width", "5"}, "1\n2\n", 2, "2, 3, 4 and 8");
    check_refused({"ntt", "--curve", "bn254", "--ordering", "3"}, "1\n", 2, "--ordering");
    check_refused({"poseidon", "--curve", "bn254", "--variant", "0"}, "1\n2\n", 2, "--variant");
    check_refused({"poseidon", "--curve", "bls12-377"}, "1\n2\n", 2, "bn254 and bls12-381");
    check_refused({"poseidon", "--curve", "bn254", "--sponge", "--tree"}, "1\n2\n", 2, "--tree");
}

TEST_CASE("cupool poseidon checks its hashes on the other engine, and says where there is none") {
    const std::vector<std::string> arguments = {"poseidon", "--curve", "bn254", "--check", "--json", "-"};
    const auto alone = run_process(tool, arguments, "1\n2\n", {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"});
    CHECK(alone.exit_code == 2);
    CHECK_THAT(alone.err, contains_text("--check needs a GPU"));
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const auto simulated = run_process(tool, arguments, "1\n2\n", {std::string("CUPOOL_DRIVER=") + simulator});
    INFO(simulated.err);
    REQUIRE(simulated.exit_code == 0);
    const auto json = nlohmann::json::parse(simulated.out);
    CHECK(json.at("engine") == "gpu");
    CHECK_THAT(json.at("checked_by").get<std::string>(), contains_text("the same hashes on"));
}

TEST_CASE("cupool bench ntt and cupool bench poseidon measure what they check") {
    const auto run_bench = [](std::vector<std::string> arguments, const std::vector<std::string>& variables = {}) {
        arguments.insert(arguments.end(), {"--engine", "host", "--sizes", "0,5", "--runs", "2", "--json"});
        const auto result = run_process(tool, arguments, "", variables);
        INFO(result.err);
        REQUIRE(result.exit_code == 0);
        return nlohmann::json::parse(result.out);
    };
    const auto transforms = run_bench({"bench", "ntt", "--curve", "bls12-381", "--inverse", "--coset", "7"});
    CHECK(transforms.at("benchmark") == "ntt");
    CHECK(transforms.at("direction") == "inverse");
    CHECK(transforms.at("coset") == 7);
    CHECK(transforms.at("results").at(1).at("n") == 32);
    CHECK(transforms.at("results").at(1).at("elements_per_s").get<double>() > 0);
    for (const std::string variant : {"original", "filecoin", "poseidon2"}) {
        const auto hashes = run_bench({"bench", "poseidon", "--curve", "bls12-381", "--variant", variant});
        CHECK(hashes.at("variant") == variant);
        CHECK(hashes.at("width") == 3);
        CHECK(hashes.at("results").at(1).at("hashes_per_s").get<double>() > 0);
    }
    const auto refused = run_process(tool, {"bench", "poseidon", "--curve", "bn254", "--variant", "filecoin", "--engine", "host"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, contains_text("bls12-381"));

    for (const std::string job : {"ntt", "poseidon"}) {
        const std::vector<std::string> checked = {"bench",    job,    "--curve", "bn254", "--check",
                                                  "--engine", "host", "--sizes", "3",     "--json"};
        const auto alone = run_process(tool, checked, "", {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"});
        CHECK(alone.exit_code == 2);
        CHECK_THAT(alone.err, contains_text("--check needs a GPU"));
        const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
        if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
        const auto results =
            run_bench({"bench", job, "--curve", "bn254", "--check"}, {std::string("CUPOOL_DRIVER=") + simulator}).at("results");
        CHECK_THAT(results.at(1).at("checked_by").get<std::string>(), contains_text("on device 0"));
    }
}
