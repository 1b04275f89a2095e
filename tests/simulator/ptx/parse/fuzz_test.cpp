#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "../../../fuzzing/load_and_run.hpp"
#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::filesystem::path folder = CUPOOL_FUZZING_FOLDER;

}  // namespace

TEST_CASE("The fuzzer's seed corpus loads", "[ptx][fuzz]") {
    for (const auto& seed : std::filesystem::directory_iterator(folder / "corpus/ptx")) {
        INFO(seed.path());
        CHECK_NOTHROW(Program::parse(text_of(seed.path())));
        CHECK_NOTHROW(load_and_run(text_of(seed.path())));
    }
}

TEST_CASE("The fuzzer's learnt corpus runs without a failure", "[ptx][fuzz]") {
    for (const auto& text : std::filesystem::directory_iterator(folder / "learnt")) {
        INFO(text.path());
        CHECK_NOTHROW(load_and_run(text_of(text.path())));
    }
}

TEST_CASE("No text breaks the parser", "[ptx][fuzz]") {
    const std::string sample = text_of(folder / "corpus/ptx/statements.ptx");
    REQUIRE(sample.size() > header.size());
    std::mt19937 random(7);
    const auto below = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); };
    for (std::size_t end = 0; end < sample.size(); end += 3) load_and_run(sample.substr(0, end));
    const std::string fragments[] = {"{",    "}",      "(",    ")",  ";",  ",",           ".",           "[",      "]",
                                     "@",    "!",      "|",    "-",  "+",  "%r1",         "%rd1",        "%p1",    ".u32",
                                     ".b64", ".param", ".reg", "0x", "<",  "99999999999", "_",           "call",   "ld",
                                     "mov",  ".v4",    "$L_1", ":",  "\"", "/*",          ".align 4096", "%tid.x", "{{{{{{{{{{{{{{{{",
                                     "\x80", "0f",     ".f64", "k",  "f",  "c",           "dyn"};
    for (int i = 0; i < 6000; ++i) {
        std::string text = sample;
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
            const std::size_t place = header.size() + below(text.size() - header.size());
            switch (below(4)) {
                case 0: text[place] = static_cast<char>(below(256)); break;
                case 1: text.erase(place, 1 + below(12)); break;
                case 2: text.insert(place, fragments[below(std::size(fragments))]); break;
                default: text.insert(place, sample.substr(below(sample.size()), below(40)));
            }
            if (text.size() <= header.size()) break;
        }
        load_and_run(text);
    }
    load_and_run(header + std::string(100000, '{'));
    load_and_run(header + ".entry k() " + std::string(100000, '{'));
    load_and_run(header + ".global .u32 x[1] = " + std::string(100000, '{'));
    load_and_run(header + ".entry k() { .reg .u32 %r<4294967295>; mov.u32 %r4294967294, 1; }");
    load_and_run(header + ".global .b8 x[1099511627776][1099511627776];");
}

}  // namespace cupool::ptx::test
