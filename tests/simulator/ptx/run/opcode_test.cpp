#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "machine.hpp"
#include "opcode_cases.hpp"

namespace cupool::ptx::test {
namespace {

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::vector<Results> run(Memory& memory, Loaded& loaded, const OpcodeCase& one) {
    const std::uint64_t operands = memory.upload(one.operands);
    const std::uint64_t results = memory.allocate(one.operands.size() * sizeof(Results));
    const auto count = static_cast<std::uint32_t>(one.operands.size());
    const Outcome outcome = loaded.run(one.name, {count / 32}, {32}, operands, results);
    INFO(one.name << ": " << outcome.report);
    REQUIRE(outcome);
    return memory.download<Results>(results, one.operands.size());
}

std::string difference(const OpcodeCase& one, const Operands& o, const Results& got, const Results& wanted) {
    return one.name + " of " + hexadecimal(o.a) + ", " + hexadecimal(o.b) + ", " + hexadecimal(o.c) + ": " + hexadecimal(got.d) + ", " +
           hexadecimal(got.e) + ", expected " + hexadecimal(wanted.d) + ", " + hexadecimal(wanted.e);
}

}  // namespace

TEST_CASE("Every form of every arithmetic opcode gives what exact arithmetic gives", "[ptx][opcode]") {
    Memory memory;
    Loaded loaded(memory, opcode_module());
    for (const OpcodeCase& one : opcode_cases()) {
        const std::vector<Results> results = run(memory, loaded, one);
        if (!one.expected) continue;
        int wrong = 0;
        for (std::size_t i = 0; i < results.size() && wrong < 3; ++i) {
            const Results wanted = one.expected(one.operands[i]);
            if (results[i] == wanted) continue;
            ++wrong;
            UNSCOPED_INFO(difference(one, one.operands[i], results[i], wanted));
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("Every form of every arithmetic opcode gives what an H200 gives", "[ptx][opcode]") {
    std::map<std::string, std::uint64_t> recorded;
    std::ifstream file(CUPOOL_OPCODE_ANSWERS);
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string name;
        words >> name >> std::hex >> recorded[name];
    }
    Memory memory;
    Loaded loaded(memory, opcode_module());
    std::size_t compared = 0;
    for (const OpcodeCase& one : opcode_cases()) {
        const auto answer = recorded.find(one.name);
        if (answer == recorded.end()) continue;  // newer than the recording
        INFO(one.name);
        CHECK(hash_of(run(memory, loaded, one)) == answer->second);
        ++compared;
    }
    CHECK(compared == recorded.size());
    CHECK(compared > 1000);
}

}  // namespace cupool::ptx::test
