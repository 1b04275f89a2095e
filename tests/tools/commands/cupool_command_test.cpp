#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "engines.hpp"
#include "files.hpp"
#include "formats/hex.hpp"
#include "formats/pairs.hpp"
#include "process.hpp"
#include "sanitizers.hpp"
#include "test_data.hpp"

using namespace cupool;
using cupool::test::contains_text;
using cupool::test::run_process;
using cupool::test::TemporaryDirectory;

namespace {

const std::string tool = CUPOOL_TOOL;

/// A host without a driver, whatever this one has.
const std::vector<std::string> no_driver = {"CUPOOL_DRIVER=/nonexistent/libcuda.so.1"};

nlohmann::json run_job(const std::vector<std::string>& arguments, const std::string& input = {}) {
    const auto result = run_process(tool, arguments, input);
    INFO(result.err);
    CHECK(result.err.empty());
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out);
}

/// Requires that a command fails with this exit code and one line that has these texts, and leaves stdout alone.
void require_failure(const std::vector<std::string>& arguments, int exit_code, const std::vector<std::string>& texts,
                     const std::string& input = {}, const std::vector<std::string>& variables = {}) {
    const auto result = run_process(tool, arguments, input, variables);
    CHECK(result.exit_code == exit_code);
    CHECK(result.out.empty());
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    for (const auto& text : texts) CHECK_THAT(result.err, contains_text(text));
}

template <std::size_t N>
nlohmann::json coordinate_json(const Limbs<N>& coordinate) {
    return tools::to_hex(coordinate);
}
template <std::size_t N>
nlohmann::json coordinate_json(const QuadraticLimbs<N>& coordinate) {
    return {tools::to_hex(coordinate.c0), tools::to_hex(coordinate.c1)};
}

template <Curve C>
void check_msm_command() {
    const auto points = generator_multiples<C>(1, 3);
    const std::string text = tools::pair_line(points[0], {{2}}) + '\n' + tools::pair_line(points[2], {{5}}) + "\ninf 9\n";
    const auto expected = multiply(generator<C>(), Scalar{{17}});
    const auto json = run_job({"msm", "--curve", to_string(C), "--pairs", "-"}, text);
    CHECK(json.at("curve") == to_string(C));
    CHECK(json.at("n") == 3);
    CHECK(json.at("x") == coordinate_json(expected.x));
    CHECK(json.at("y") == coordinate_json(expected.y));
    CHECK(json.at("infinity") == false);
    CHECK((json.at("engine") == "gpu" || json.at("engine") == "host"));
    CHECK(json.at("devices").is_array());
    CHECK(json.at("ms").is_number());
    CHECK_FALSE(json.contains("checked_by"));
}

template <class T>
std::string raw(const std::vector<T>& elements) {
    return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

}  // namespace

TEST_CASE("cupool msm computes on every curve") {
    check_msm_command<Curve::bn254>();
    check_msm_command<Curve::bls12_381>();
    check_msm_command<Curve::bls12_377>();
    check_msm_command<Curve::bn254_g2>();
    check_msm_command<Curve::bls12_381_g2>();
}

TEST_CASE("cupool msm reads files, checks itself, and knows infinity") {
    const TemporaryDirectory directory;
    const auto file =
        directory.write("pairs.txt", "1 2 3\n1 2 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593effffffe\n");  // 3 and r - 3
    const auto json = run_job({"msm", "--curve", "bn254", "--pairs", file, "--check", "--engine", "host", "--threads", "1"});
    CHECK(json.at("infinity") == true);
    CHECK(json.at("x") == "0x" + std::string(64, '0'));
    CHECK(json.at("engine") == "host");
    CHECK(json.at("devices").empty());
    CHECK_FALSE(json.at("checked_by").get<std::string>().empty());
}

TEST_CASE("cupool msm refuses bad input in one line, with nothing on stdout") {
    const TemporaryDirectory directory;
    const auto refuse = [&](const std::string& content, const std::vector<std::string>& texts) {
        INFO(content);
        require_failure({"msm", "--curve", "bn254", "--pairs", directory.write("pairs", content)}, 3, texts);
        require_failure({"msm", "--curve", "bn254", "--pairs", "-"}, 3, {"standard input"}, content);
    };
    refuse("", {"pairs", "empty"});
    refuse("1 2 3\n1 2\n", {"pairs, line 2, column 4"});
    refuse("1 2 3\n1 2 3z\n", {"pairs, line 2, column 6", "'z'"});
    refuse("1 2 " + std::string(65, '1'), {"line 1, column 5", "65"});
    refuse(std::string(64, 'f') + " 2 3", {"line 1, column 1", "modulus"});
    refuse("1 2 3\n1 3 3\n", {"line 2, column 1", "curve"});
    require_failure({"msm", "--curve", "bls12-381", "--pairs", "-"}, 3, {"line 1, column 1", "subgroup"}, "0 2 1\n");
    require_failure({"msm", "--curve", "ed25519", "--pairs", "-"}, 3, {"ed25519", "bn254"}, "1 2 3\n");
    require_failure({"msm", "--curve", "bn254", "--pairs", directory.path("absent")}, 3, {"absent", "cannot be read"});
    require_failure({"msm", "--curve", "bn254", "--pairs", directory.path("")}, 3, {"cannot be read"});
}

TEST_CASE("cupool falls to the host only where it may") {
    const std::string pair = "1 2 3\n";
    const auto automatic = run_process(tool, {"msm", "--curve", "bn254", "--pairs", "-"}, pair, no_driver);
    CHECK(automatic.exit_code == 0);
    CHECK(automatic.err.empty());
    CHECK(nlohmann::json::parse(automatic.out).at("engine") == "host");
    const auto gpu = run_process(tool, {"msm", "--curve", "bn254", "--pairs", "-", "--engine", "gpu"}, pair, no_driver);
    CHECK((gpu.exit_code == 10 || gpu.exit_code == 11));
    require_failure({"msm", "--curve", "bn254", "--pairs", "-", "--engine", "gpu"}, gpu.exit_code, {"libcuda"}, pair, no_driver);
    require_failure({"msm", "--curve", "bn254", "--pairs", "-", "--devices", "0"}, gpu.exit_code, {"libcuda"}, pair, no_driver);
}

TEST_CASE("errors of cupool name no source file, which the debug log does") {
    const std::vector<std::string> failing = {"CUPOOL_DRIVER=" CUPOOL_MISBEHAVING_DRIVER, "CUPOOL_SIM_FAULTS=cuMemAlloc:1:2:always"};
    const std::vector<std::string> reduce = {"reduce", "--type", "i32", "--op", "sum", "--engine", "gpu", "-"};
    const std::string numbers("\1\0\0\0", 4);
    const auto result = run_process(tool, reduce, numbers, failing);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, contains_text("cuMemAlloc answered") && !contains_text("cpp"));
    auto debugging = failing;
    debugging.emplace_back("CUPOOL_LOG=debug");
    CHECK_THAT(run_process(tool, reduce, numbers, debugging).err, contains_text(" [tools/src/"));
}

TEST_CASE("cupool has usage errors, help and a version") {
    require_failure({}, 2, {"no command"});
    require_failure({"frobnicate"}, 2, {"frobnicate"});
    require_failure({"msm"}, 2, {"--curve"});
    require_failure({"msm", "--curve", "bn254", "--pairs", "-", "--engine", "fpga"}, 2, {"--engine"});
    require_failure({"msm", "--curve", "bn254", "--pairs", "-", "--devices", "-1"}, 2, {"--devices"});
    require_failure({"msm", "--curve", "bn254", "--pairs", "-", "--devices", ""}, 2, {"--devices", "\"\" is no GPU's ordinal"});
    require_failure({"msm", "--curve", "bn254", "--pairs", "-", "--devices", "0,x"}, 2, {"--devices", "\"x\" is no GPU's ordinal"});
    require_failure({"msm", "--curve", "bn254", "--pairs", "-", "--engine", "host", "--devices", "0"}, 2, {"--devices"}, "1 2 3\n");
    require_failure({"reduce", "--type", "i128", "--op", "sum", "-"}, 2, {"--type"});
    require_failure({"reduce", "--type", "i32", "--op", "mean", "-"}, 2, {"--op"});
    require_failure({"reduce", "--type", "f32", "--op", "product", "-"}, 2, {"--op product", "f32"});
    require_failure({"reduce", "--type", "i64", "--op", "sum", "--wide", "-"}, 2, {"--wide", "i64"});
    require_failure({"reduce", "--type", "i32", "--op", "max", "--wide", "-"}, 2, {"--wide", "max"});
    require_failure({"reduce", "--type", "f16", "--op", "sum", "--compensated", "-"}, 2, {"--compensated", "f16"});
    require_failure({"reduce", "--type", "f32", "--op", "sum", "--compensated", "--wide", "-"}, 2, {"--compensated", "--wide"});
    require_failure({"reduce", "--type", "f32", "--op", "argmin", "--segments", "2", "-"}, 2, {"argmin", "--segments"});
    require_failure({"reduce", "--type", "f32", "--op", "sum", "--segments", "0", "-"}, 2, {"--segments"});
    require_failure({"reduce", "--type", "f32", "--op", "sum", "--segments", "2", "--offsets", "x", "-"}, 2, {"--segments", "--offsets"});
    require_failure({"reduce", "--type", "f32", "--op", "sum", "--offsets", "-", "-"}, 2, {"--offsets", "standard input"});
    require_failure({"bench", "reduce", "--type", "f32", "--op", "product"}, 2, {"--op product"});
    require_failure({"bench"}, 2, {"no command"});
    require_failure({"bench", "frobnicate"}, 2, {"frobnicate"});
    require_failure({"bench", "msm", "--sizes", "99"}, 2, {"--sizes"});
    require_failure({"bench", "msm", "--sizes", "4", "--engine", "host", "--memory", "device"}, 2, {"--memory"});
    require_failure({"bench", "msm", "--sizes", "4", "--engine", "host", "--points", "device"}, 2, {"--points"});
    require_failure({"bench", "msm", "--sizes", "4", "--inputs", "dense"}, 2, {"--inputs"});
    require_failure({"bench", "msm", "--sizes", "4", "--tables", "0"}, 2, {"--tables"});
    require_failure({"bench", "msm", "--sizes", "4", "--msms", "0"}, 2, {"--msms"});
    require_failure({"bench", "msm", "--sizes", "4", "--width", "22"}, 2, {"--width"});
    require_failure({"bench", "msm", "--sizes", "4", "--budget", "many"}, 2, {"--budget"});
    require_failure({"bench", "msm", "--sizes", "4", "--engine", "host", "--results", "device"}, 2, {"--results device"});
    for (const auto& arguments : {std::vector<std::string>{"--help"}, {"--version"}, {"msm", "--help"}, {"bench", "msm", "--help"}}) {
        const auto result = run_process(tool, arguments);
        CHECK(result.exit_code == 0);
        CHECK_FALSE(result.out.empty());
        CHECK(result.err.empty());
    }
    CHECK_THAT(run_process(tool, {"bench", "msm", "--help"}).out, contains_text("--sizes"));
}

TEST_CASE("cupool says so when stdout takes nothing") {
    const auto result = run_process("/bin/sh", {"-c", "exec \"$0\" --version > /dev/full", tool});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, contains_text("stdout"));
}

TEST_CASE("cupool reduce handles every type and operation") {
    const auto result_of = [](const std::string& type, const std::string& operation, const std::string& input) {
        const auto json = run_job({"reduce", "--type", type, "--op", operation, "-", "--check"}, input);
        CHECK(json.at("type") == type);
        CHECK(json.at("op") == operation);
        CHECK(json.at("n").get<std::size_t>() > 0);
        CHECK_FALSE(json.at("checked_by").get<std::string>().empty());
        return json.at("result");
    };
    const auto check_type = [&](const std::string& type, const auto& elements, const auto& sum, const auto& min, const auto& max) {
        CHECK(result_of(type, "sum", raw(elements)) == sum);
        CHECK(result_of(type, "min", raw(elements)) == min);
        CHECK(result_of(type, "max", raw(elements)) == max);
    };
    check_type("i8", std::vector<std::int8_t>{100, 100, -5}, -61, -5, 100);
    check_type("u8", std::vector<std::uint8_t>{200, 100, 5}, 49, 5, 200);
    check_type("i16", std::vector<std::int16_t>{30000, 30000, -5}, -5541, -5, 30000);
    check_type("u16", std::vector<std::uint16_t>{60000, 60000, 5}, 54469, 5, 60000);
    check_type("i32", std::vector<std::int32_t>{-5, 7, 1}, 3, -5, 7);
    check_type("u32", std::vector<std::uint32_t>{0xffffffff, 7}, 6, 7, 0xffffffff);
    check_type("i64", std::vector<std::int64_t>{-5, 1LL << 60}, (1LL << 60) - 5, -5, 1LL << 60);
    check_type("u64", std::vector<std::uint64_t>{~0ULL, ~0ULL - 1}, ~0ULL - 2, ~0ULL - 1, ~0ULL);
    check_type("f32", std::vector<float>{0.5F, -2, 0.25F}, -1.25, -2, 0.5);
    check_type("f64", std::vector<double>{0.5, -2, 0.25}, -1.25, -2, 0.5);
    check_type("f16", std::vector<std::uint16_t>{0x3800, 0xc000, 0x3400}, -1.25, -2, 0.5);   // 0.5, -2, 0.25
    check_type("bf16", std::vector<std::uint16_t>{0x3f00, 0xc000, 0x3e80}, -1.25, -2, 0.5);  // the same
    CHECK(result_of("i8", "product", raw<std::int8_t>({100, 3, 5})) == -36);
    CHECK(result_of("u64", "product", raw<std::uint64_t>({1ULL << 63, 3})) == 1ULL << 63);
    CHECK(result_of("f32", "sum", raw<float>({std::numeric_limits<float>::infinity(), 1})) == "inf");
    CHECK(result_of("f64", "max", raw<double>({std::numeric_limits<double>::quiet_NaN(), 1})) == "nan");
}

TEST_CASE("cupool reduce sums wide and compensated") {
    const auto wide = run_job({"reduce", "--type", "i8", "--op", "sum", "--wide", "--check", "-"}, raw<std::int8_t>({100, 100, -5}));
    CHECK(wide.at("result") == 195);
    CHECK(wide.at("wide") == true);
    CHECK(run_job({"reduce", "--type", "u32", "--op", "product", "--wide", "-"}, raw<std::uint32_t>({1U << 31, 4})).at("result") ==
          1ULL << 33);
    CHECK(run_job({"reduce", "--type", "f32", "--op", "sum", "--wide", "-"}, raw<float>({16777216, 1})).at("result") == 16777217);
    const auto cancelling = raw<double>({1e100, 1, -1e100});
    CHECK(run_job({"reduce", "--type", "f64", "--op", "sum", "-"}, cancelling).at("result") == 0);
    const auto compensated = run_job({"reduce", "--type", "f64", "--op", "sum", "--compensated", "--check", "-"}, cancelling);
    CHECK(compensated.at("result") == 1);
    CHECK(compensated.at("compensated") == true);
}

TEST_CASE("cupool reduce rounds a compensated sum of f32 once, however many chunks it has") {
    std::vector<float> cancelling((std::size_t{1} << 24) + 1);  // the last element is in a chunk of its own
    cancelling[0] = 1e8F;
    cancelling[1] = 1;
    cancelling.back() = -1e8F;
    CHECK(run_job({"reduce", "--type", "f32", "--op", "sum", "--compensated", "--check", "-"}, raw(cancelling)).at("result") == 1);
}

TEST_CASE("cupool reduce finds where the minimum and the maximum are") {
    const auto find = [](const std::string& operation) {
        return run_job({"reduce", "--type", "f32", "--op", operation, "--check", "-"}, raw<float>({3, -2, 7, -2, 7}));
    };
    CHECK(find("argmin").at("result") == -2);
    CHECK(find("argmin").at("index") == 1);
    CHECK(find("argmax").at("result") == 7);
    CHECK(find("argmax").at("index") == 2);
    // In the second and the third of the chunks in which files are read.
    constexpr std::size_t chunk = std::size_t{1} << 26;
    std::string bytes(2 * chunk + 3, '\5');
    bytes[chunk + 17] = bytes[2 * chunk + 1] = '\7';
    bytes[2 * chunk + 2] = '\1';
    CHECK(run_job({"reduce", "--type", "i8", "--op", "argmax", "--engine", "host", "-"}, bytes).at("index") == chunk + 17);
    CHECK(run_job({"reduce", "--type", "i8", "--op", "argmin", "--engine", "host", "-"}, bytes).at("index") == 2 * chunk + 2);
}

TEST_CASE("cupool reduce takes segments") {
    const TemporaryDirectory directory;
    const auto input = raw<std::int16_t>({1, 2, 3, 4, 5, 6});
    const auto equal = run_job({"reduce", "--type", "i16", "--op", "sum", "--segments", "3", "--engine", "host", "--check", "-"}, input);
    CHECK(equal.at("results") == nlohmann::json({3, 7, 11}));
    CHECK(equal.at("segments") == 3);
    CHECK(equal.at("n") == 6);
    CHECK_FALSE(equal.at("checked_by").get<std::string>().empty());
    const auto by_offsets = [&](const std::string& operation, const std::vector<std::uint64_t>& offsets) {
        return std::vector<std::string>{
            "reduce", "--type", "i16", "--op", operation, "--offsets", directory.write("offsets", raw(offsets)), "--engine", "host", "-"};
    };
    CHECK(run_job(by_offsets("product", {1, 3, 3, 6}), input).at("results") == nlohmann::json({6, 1, 120}));
    CHECK(run_job(by_offsets("max", {0, 1, 6}), input).at("results") == nlohmann::json({1, 6}));
    const auto offsets = directory.path("offsets");
    require_failure(by_offsets("sum", {0, 4, 3}), 3, {offsets, "offset number 2 is below"}, input);
    require_failure(by_offsets("sum", {0, 7}), 3, {offsets, "offset number 1 is 7", "6 elements"}, input);
    require_failure(by_offsets("min", {0, 3, 3}), 3, {offsets, "an empty segment has no min"}, input);
    require_failure({"reduce", "--type", "i16", "--op", "sum", "--segments", "4", "--engine", "host", "-"}, 3,
                    {"standard input", "4 segments"}, input);
}

TEST_CASE("cupool reduce refuses bad input in one line, with nothing on stdout") {
    require_failure({"reduce", "--type", "i32", "--op", "sum", "-"}, 3, {"standard input", "empty"});
    require_failure({"reduce", "--type", "i32", "--op", "sum", "-"}, 3, {"standard input, byte 4", "7"}, "1234567");
    require_failure({"reduce", "--type", "f64", "--op", "max", "/nonexistent/file"}, 3, {"/nonexistent/file", "cannot be read"});
}

TEST_CASE("cupool reduce takes a file that is larger than memory") {
    if (test::is_sanitized) CUPOOL_SKIP("skipped: a sanitizer takes more address space than this test leaves");
    const TemporaryDirectory directory;
    const auto file = directory.write("sparse", raw<std::int64_t>({-3}));
    constexpr std::uintmax_t bytes = std::uintmax_t{1} << 30;
    std::filesystem::resize_file(file, bytes);
    std::ofstream(file, std::ios::binary | std::ios::app) << raw<std::int64_t>({10});
    const auto reduce = [&](const std::string& operation) {
        // 512 MiB of address space: half of the file.
        const auto result = run_process(
            "/bin/sh",
            {"-c", "ulimit -v 524288; exec \"$0\" reduce --type i64 --op " + operation + " --engine host --threads 1 --check \"$1\"", tool,
             file});
        INFO(result.err);
        REQUIRE(result.exit_code == 0);
        const auto json = nlohmann::json::parse(result.out);
        CHECK(json.at("n") == bytes / 8 + 1);
        return json.at("result");
    };
    CHECK(reduce("sum") == 7);
    CHECK(reduce("min") == -3);
    CHECK(reduce("max") == 10);
}

TEST_CASE("cupool reads an input no further than it may be long") {
    const TemporaryDirectory directory;
    const auto blob = directory.write("blob", std::string(131072, '\0'));
    require_failure({"kzg-commit", "--setup", "/dev/zero", blob}, 3, {"/dev/zero", "goes on after"});
    require_failure({"kzg-commit", "--setup", blob, "/dev/zero"}, 3, {"/dev/zero", "goes on after 262148 bytes"});
    require_failure({"msm", "--curve", "bn254", "--pairs", "/dev/zero"}, 3, {"/dev/zero, line 1", "longer than 1048576 bytes"});
}

TEST_CASE("cupool kzg-commit gives the specification's commitments") {
    CUPOOL_TEST_DATA_OR_SKIP(setup, "kzg/trusted_setup.txt");
    CUPOOL_TEST_DATA_OR_SKIP(vector, "kzg/blob_to_kzg_commitment_case_valid_blob_1.yaml");
    const auto yaml = test::read_text(vector);
    const TemporaryDirectory directory;
    const auto blob = directory.write("blob.hex", yaml.substr(yaml.find("0x"), 2 + 262144) + '\n');
    const auto zeros = directory.write("blob.bin", std::string(131072, '\0'));
    const std::string commitment = "0xa572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e";
    const std::string infinity = "0xc0" + std::string(94, '0');

    const auto result = run_process(tool, {"kzg-commit", "--setup", setup.string(), blob, zeros});
    CHECK(result.exit_code == 0);
    CHECK(result.out == commitment + '\n' + infinity + '\n');
    CHECK(result.err.empty());
    const auto json = run_job({"kzg-commit", "--setup", setup.string(), "--json", "--check", "-"}, test::read_text(blob));
    CHECK(json.at("blob") == "-");
    CHECK(json.at("commitment") == commitment);
    CHECK_FALSE(json.at("checked_by").get<std::string>().empty());

    const auto oddly_named = directory.write("\xff\x1b.bin", std::string(131072, '\0'));
    const auto odd = run_job({"kzg-commit", "--setup", setup.string(), "--json", oddly_named});
    CHECK(odd.at("blob") == directory.path("\xef\xbf\xbd\x1b.bin"));
    CHECK(odd.at("commitment") == infinity);

    auto faulty = std::string(131072, '\0');
    faulty[32 * 5] = '\xff';
    require_failure({"kzg-commit", "--setup", setup.string(), zeros, directory.write("faulty", faulty)}, 3,
                    {directory.path("faulty"), "field element 5", "order r"});
    require_failure({"kzg-commit", "--setup", directory.write("setup", "4096\n65\nzz\n"), zeros}, 3,
                    {directory.path("setup"), "line 3, column 1"});
    require_failure({"kzg-commit", "--setup", setup.string(), directory.write("short", "00")}, 3, {directory.path("short"), "131072"});
    require_failure({"kzg-commit", "--setup", setup.string(), directory.path("absent")}, 3, {directory.path("absent"), "cannot be read"});
}

TEST_CASE("cupool bench measures and checks") {
    const auto msm = run_job({"bench", "msm", "--json", "--curve", "bls12-377", "--sizes", "0,3,7", "--runs", "2", "--check"});
    CHECK(msm.at("schema") == 1);
    CHECK(msm.at("benchmark") == "msm");
    CHECK(msm.at("curve") == "bls12-377");
    CHECK(msm.at("runs") == 2);
    REQUIRE(msm.at("results").size() == 3);
    CHECK(msm["results"][2]["n"] == 128);
    for (const auto& result : msm["results"]) {
        CHECK(result.at("min_ms").get<double>() <= result.at("median_ms").get<double>());
        CHECK(result.at("points_per_s").get<double>() > 0);
        CHECK_FALSE(result.at("checked_by").get<std::string>().empty());
    }
    CHECK(msm.at("inputs") == "uniform");
    for (const auto* const inputs : {"zeros", "ones", "equal", "small", "same-point"}) {
        CHECK(run_job({"bench", "msm", "--json", "--inputs", inputs, "--sizes", "6", "--runs", "1"}).at("inputs") == inputs);
    }
    const auto prepared =
        run_job({"bench", "msm", "--json", "--tables", "3", "--width", "7", "--msms", "2", "--sizes", "5", "--runs", "1", "--check"});
    CHECK(prepared.at("tables") == 3);
    CHECK(prepared.at("width") == 7);
    CHECK(prepared.at("msms") == 2);
    CHECK(prepared.at("budget") == 0);
    CHECK_FALSE(prepared["results"][0].contains("bound_ms"));
    CHECK(run_job({"bench", "msm", "--json", "--budget", "67108864", "--sizes", "5", "--runs", "1"}).at("budget") == 67'108'864);
    const auto reduce = run_job({"bench", "reduce", "--json", "--type", "f64", "--sizes", "12", "--runs", "3"});
    CHECK(reduce.at("benchmark") == "reduce");
    CHECK(reduce.at("type") == "f64");
    CHECK(reduce.at("results").at(0).at("n") == 4096);
    if (reduce.at("engine") == "host") CHECK(reduce["results"][0].at("share_of_bound").get<double>() > 0);
    CHECK_FALSE(reduce.contains("wide"));
    const auto wide =
        run_job({"bench", "reduce", "--json", "--type", "u8", "--op", "product", "--wide", "--sizes", "0,9", "--runs", "2", "--check"});
    CHECK(wide.at("wide") == true);
    for (const auto* const type : {"f16", "i16"}) {
        CHECK(run_job({"bench", "reduce", "--json", "--type", type, "--op", "argmax", "--sizes", "8", "--runs", "1"}).at("type") == type);
    }

    const auto table = run_process(tool, {"bench", "reduce", "--type", "u64", "--op", "max", "--sizes", "5"});
    CHECK(table.exit_code == 0);
    CHECK(table.err.empty());
    CHECK_THAT(table.out, contains_text("2^5"));
}

TEST_CASE("cupool bench all-reduce measures collectives over all devices") {
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    for (const std::size_t devices : {1U, 3U}) {
        const std::vector<std::string> variables = {std::string("CUPOOL_DRIVER=") + simulator,
                                                    "CUPOOL_SIM_DEVICES=" + std::to_string(devices)};
        const auto run = run_process(tool, {"bench", "all-reduce", "--json", "--sizes", "0,7", "--runs", "2"}, {}, variables);
        INFO(run.err);
        REQUIRE(run.exit_code == 0);
        const auto json = nlohmann::json::parse(run.out);
        CHECK(json.at("benchmark") == "all-reduce");
        CHECK(json.at("devices").size() == devices);
        REQUIRE(json.at("results").size() == 2);
        CHECK(json["results"][1].at("n") == 128);
        CHECK(json["results"][1].at("median_ms").get<double>() > 0);
        CHECK(json["results"][1].contains("share_of_bound") == (devices > 1));
    }
    require_failure({"bench", "all-reduce", "--engine", "host"}, 2, {"--engine host"});
}

TEST_CASE("cupool bench msm hands on the budget of device memory") {
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    for (const auto* const msms : {"1", "2"}) {
        const auto run = [&](const std::string& budget) {
            return run_process(
                tool,
                {"bench", "msm", "--engine", "gpu", "--devices", "0", "--sizes", "5", "--runs", "1", "--msms", msms, "--budget", budget},
                {}, {std::string("CUPOOL_DRIVER=") + simulator});
        };
        const auto refused = run("1000");
        CHECK(refused.exit_code != 0);
        CHECK_THAT(refused.err, contains_text("memory_budget is 1000"));
        CHECK(run("200000").exit_code == 0);  // less than it takes without a budget
    }
}
