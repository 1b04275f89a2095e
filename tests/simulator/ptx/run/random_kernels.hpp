#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cupool::ptx::test {

/// What a random kernel may contain besides straight-line code with explicit rounding.
enum class RandomFamily : std::uint8_t {
    plain,      ///< nothing else
    unrounded,  ///< `mul`, `add` and `sub` without a rounding, which a compiler may contract
    branches,   ///< short branches that diverge within a warp
    constants,  ///< floating-point constants as operands
};
inline constexpr unsigned random_families = 4;

/// A random kernel: instructions on registers of every type, with edge cases and random values as input, that stores all of its registers
/// at the end. A seed gives the same kernel on every machine. The seed modulo `random_families` selects the family.
struct RandomKernel {
    std::uint64_t seed = 0;
    std::vector<std::string> instructions;
};

/// The number of threads of the single block, and the bytes that each thread reads and writes.
inline constexpr unsigned random_threads = 32;
inline constexpr unsigned random_thread_bytes = 256;

RandomFamily family_of(std::uint64_t seed);
RandomKernel random_kernel(std::uint64_t seed);

/// `.visible .entry <name>(input, output)` with the first `count` instructions of the kernel; all branch targets remain defined.
std::string random_entry(const RandomKernel& kernel, const std::string& name, std::size_t count);

/// The directives at the beginning of a module of such entries.
std::string random_module_head();

/// The input of the threads: `random_threads * random_thread_bytes` bytes.
std::vector<std::uint64_t> random_input(std::uint64_t seed);

/// A register that the kernel stores, and its offset in the output of a thread.
struct StoredRegister {
    std::string name;
    unsigned offset = 0;
    unsigned bytes = 0;
};
const std::vector<StoredRegister>& stored_registers();

/// FNV-1a of the whole output, and of one register of all threads.
std::uint64_t hash_of_output(const std::vector<unsigned char>& output);
std::uint64_t hash_of_register(const std::vector<unsigned char>& output, const StoredRegister& reg);

}  // namespace cupool::ptx::test
