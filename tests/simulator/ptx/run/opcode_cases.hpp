#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cupool::ptx::test {

/// The input of one thread of an opcode's kernel: three operands as bits, of which it uses the low ones.
struct Operands {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
};

/// Its output, zero-extended.
struct Results {
    std::uint64_t d = 0;
    std::uint64_t e = 0;

    bool operator==(const Results&) const = default;
};

/// A few instructions under test in a separate kernel. They read %a, %b, %c and write %d and %e, whose kinds are letters:
/// h 16 bits, w 32, l 64, f f32, d f64, p predicate, - unused.
struct OpcodeCase {
    std::string name;
    std::string instructions;
    std::string inputs;
    std::string outputs;
    std::vector<Operands> operands;  ///< their number is a multiple of 32
    /// Independently computed results; empty if only the recorded results of a GPU are available.
    std::function<Results(const Operands&)> expected;
};

/// Every form of every arithmetic opcode with edge cases and random operands. The list is the same in every run.
const std::vector<OpcodeCase>& opcode_cases();

/// One module with a kernel `<name>(operands, results)` for each case, one thread for each element of its operands.
std::string opcode_module();

/// FNV-1a hash of the results, for comparison with another machine.
std::uint64_t hash_of(const std::vector<Results>& results);

// The lists, by family.
void add_integer_cases(std::vector<OpcodeCase>& cases);
void add_bit_cases(std::vector<OpcodeCase>& cases);
void add_choice_cases(std::vector<OpcodeCase>& cases);
void add_float_cases(std::vector<OpcodeCase>& cases);
void add_conversion_cases(std::vector<OpcodeCase>& cases);
void add_warp_cases(std::vector<OpcodeCase>& cases);

/// Combinations of edge cases and random numbers of the kinds of `inputs`.
std::vector<Operands> operands_for(const std::string& inputs);

}  // namespace cupool::ptx::test
