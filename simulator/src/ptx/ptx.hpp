#pragma once

/// \file
/// The PTX interpreter of the simulated driver: parse a module's text, lay it out, run an entry of it over a grid.
///
/// Semantics follow NVIDIA's "Parallel Thread Execution ISA". What is not implemented is refused, never skipped: a function that
/// contains it makes the entries that reach it refused ones (Entry::refusal), anything else is refused by parse().
/// Needs nothing of the simulated driver but the GlobalMemory that it hands in.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cupool::ptx {

/// What a driver's JIT says of a text it cannot load. The simulated driver answers CUDA_ERROR_INVALID_PTX with log() as the JIT error log.
class ParseError : public std::exception {
public:
    enum class Kind {
        malformed,    ///< not PTX: CUDA_ERROR_INVALID_PTX
        unsupported,  ///< PTX, but not within what the interpreter runs: CUDA_ERROR_INVALID_PTX too, and the log says that it is the
                      ///< simulator
        unsupported_version,  ///< `.version` below 6.3: CUDA_ERROR_UNSUPPORTED_PTX_VERSION
    };

    ParseError(Kind kind, int line, std::string token, const std::string& message);

    Kind kind() const noexcept { return kind_; }
    /// Line of the text, counted from 1.
    int line() const noexcept { return line_; }
    /// The opcode with its modifiers, the directive or the other token that was not understood.
    const std::string& token() const noexcept { return token_; }
    /// As ptxas writes it: `ptxas application ptx input, line 7; error   : ...` and a closing fatal line.
    const std::string& log() const noexcept { return log_; }
    const char* what() const noexcept override { return log_.c_str(); }

private:
    Kind kind_;
    int line_;
    std::string token_;
    std::string log_;
};

/// One formal parameter of an entry, in bytes from the start of the parameter buffer.
struct Parameter {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t alignment = 1;
};

/// What cuFuncGetAttribute and a launch need to know of an entry.
struct Entry {
    std::string name;
    std::string refusal;  ///< why it cannot be launched, as ParseError::log(); empty: it can
    std::vector<Parameter> parameters;
    std::uint32_t parameter_bytes = 0;  ///< size of the whole parameter buffer
    std::uint32_t shared_bytes = 0;     ///< static shared memory of a block
    std::uint32_t local_bytes = 0;      ///< local memory of a thread, the frames of what it calls included (recursion aside)
    std::uint32_t registers = 0;        ///< estimate: most 32-bit registers live at once, at most 255
    std::array<std::uint32_t, 3> max_threads{0, 0, 0};       ///< .maxntid, zeros when there is none
    std::array<std::uint32_t, 3> required_threads{0, 0, 0};  ///< .reqntid, zeros when there is none
};

/// A `.global` or `.const` variable of the module. The simulated driver gives it memory, writes `initial` (zeros where it is shorter
/// than `size`) and then every relocation, and hands its address to each launch.
struct Variable {
    /// Writes the address of another variable, plus an addend, as a 64-bit little-endian number.
    struct Relocation {
        std::uint64_t offset = 0;  ///< where in this variable, in bytes
        std::size_t variable = 0;  ///< index into Program::variables()
        std::int64_t addend = 0;
    };

    std::string name;
    std::uint64_t size = 0;
    std::uint32_t alignment = 1;
    bool constant = false;  ///< `.const`: 64 KiB a module at most, read only to kernels
    bool visible = false;   ///< to other modules that are linked; cuModuleGetGlobal finds every variable
    std::vector<std::byte> initial;
    std::vector<Relocation> relocations;
};

struct Module;  // the decoded form, internal

/// A parsed and decoded module. Immutable, cheap to copy, safe to share between threads.
class Program {
public:
    /// Parses PTX text up to its end or its first NUL. With `contract`, products and sums that name no rounding become fused operations
    /// where a GPU's compiler makes them so. Throws ParseError.
    static Program parse(std::string_view text, bool contract = true);

    int version_major() const noexcept;
    int version_minor() const noexcept;
    /// `sm_75` and the like: the first word of `.target`.
    const std::string& target() const noexcept;

    const std::vector<Entry>& entries() const noexcept;
    /// Index into entries(), none when there is no such entry.
    std::optional<std::size_t> find_entry(std::string_view name) const noexcept;

    const std::vector<Variable>& variables() const noexcept;
    std::optional<std::size_t> find_variable(std::string_view name) const noexcept;

    const Module& module() const noexcept { return *module_; }

private:
    explicit Program(std::shared_ptr<const Module> module);

    std::shared_ptr<const Module> module_;
};

/// Generic addresses of the windows onto a block's shared and a thread's local memory: a GlobalMemory hands out no address in them.
/// Above what a process can map on x86-64, so that pinned host memory may keep its addresses.
inline constexpr std::uint64_t shared_window = 0xf000'0000'0000;
inline constexpr std::uint64_t local_window = 0xf100'0000'0000;
inline constexpr std::uint64_t window_bytes = 0x1'0000'0000;

/// What the owner of memory puts into MemoryRange::initialised for a byte that has been written; what has not is 0.
inline constexpr std::byte initialised_byte{0xff};

/// Host memory behind a range of device addresses. `host` and `address` must agree modulo 256.
struct MemoryRange {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< 0: nothing there
    std::byte* host = nullptr;
    bool writable = true;
    /// For each byte at `host` one that tells whether it has been written; null: all of them count as written. Launches that check
    /// initialisation read it and set what they write; whoever else writes the memory sets it too, and a copy copies it. Agrees
    /// with `host` modulo 16.
    std::byte* initialised = nullptr;
};

/// Where device addresses lead. Called by the thread that executes; two launches at once may call it at once.
class GlobalMemory {
public:
    virtual ~GlobalMemory() = default;
    /// The allocation that holds `address`, or a range of 0 bytes. What it answers must hold until the launch ends.
    virtual MemoryRange find(std::uint64_t address) = 0;
    /// What lies at or near an address that a kernel had no business to touch, for the report of the fault: "4 bytes past the end of an
    /// allocation of 1024 bytes at 0x...". Empty: nothing is known.
    virtual std::string describe(std::uint64_t address) {
        static_cast<void>(address);
        return {};
    }
};

struct Dimensions {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;

    std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
};

/// What a launch looks for besides bounds, alignment and liveness, which are always checked. A finding ends it as launch_failed: a GPU
/// would go on, with a result of luck.
struct Checks {
    bool initialisation = false;  ///< no register, shared, local or global memory is read before it is written
    bool races = false;           ///< threads that touch the same bytes do so atomically, or synchronise in between, or all only read
};

/// Findings of races and of reads of what was never written that are not to be reported, since they are
/// known to be benign. Called by the threads that execute, several at once.
class Suppressions {
public:
    virtual ~Suppressions() = default;
    /// Whether a finding in this kernel, at this instruction, is one of them; counts it then.
    virtual bool suppress(std::string_view kernel, int line, int source_line) = 0;
};

struct Launch {
    std::size_t entry = 0;  ///< index into Program::entries()
    Dimensions grid;
    Dimensions block;  ///< 1024 threads at most
    std::uint32_t dynamic_shared_bytes = 0;
    std::span<const std::byte> parameters;              ///< Entry::parameter_bytes of them, laid out as Entry::parameters says
    std::span<const std::uint64_t> variable_addresses;  ///< of every Program::variables(), in their order
    bool cooperative = false;                           ///< all blocks are resident at once
    std::uint64_t resident_blocks = 64;                 ///< so many are at most, if it is not cooperative
    Checks checks;
    Suppressions* suppressions = nullptr;  ///< null: none
    /// Permutes the order in which blocks start, how many are resident at once, and whose turn it is, among blocks and among warps of a
    /// block, and for how long. The same launch with the same seed does the same, step by step. 0: blocks start in order of their index,
    /// and one that is slow to finish is interleaved with those after it.
    std::uint64_t seed = 0;
};

struct Limits {
    std::uint64_t warp_instructions = 20'000'000'000;  ///< of the whole launch; more is launch_timeout
    double seconds = 1e9;                              ///< processor time of the calling thread; more is launch_timeout
    const std::atomic<bool>* cancel = nullptr;         ///< set from another thread, it ends the launch as launch_timeout
    std::uint32_t multiprocessors = 1;                 ///< what %nsmid tells, and over which %smid goes round
    std::uint32_t device_stack_bytes = 64 * 1024;      ///< local memory a thread may use, recursion included
};

/// Numbers are those of CUresult.
enum class Fault : int {
    none = 0,
    illegal_address = 700,      ///< also calls too deep for the stack
    launch_timeout = 702,       ///< out of budget, or threads that wait for others that never come
    illegal_instruction = 715,  ///< a barrier number above 15
    misaligned_address = 716,
    launch_failed = 719,  ///< trap, a lane outside its own member mask, a branch index outside its table, lanes of a warp at different
                          ///< barriers, or what Checks find
};

struct Outcome {
    Fault fault = Fault::none;
    bool is_finding = false;  ///< by Checks: the device is none the worse for it
    std::string report;       ///< empty when all went well, else all of the below in words
    std::string kernel;
    std::string opcode;
    int line = 0;  ///< of the PTX text
    Dimensions block{0, 0, 0};
    Dimensions thread{0, 0, 0};
    std::uint64_t address = 0;  ///< of a memory fault, in its own space
    std::string space;          ///< of a memory fault: global, shared, local, param or generic

    std::uint64_t warp_instructions = 0;  ///< what ran
    std::uint64_t lane_instructions = 0;  ///< the same, times the lanes that took part

    explicit operator bool() const noexcept { return fault == Fault::none; }
};

/// Runs an entry over a grid, to its end or its first fault. Throws std::invalid_argument where the launch does not fit the entry
/// (sizes, counts) or the entry is refused: the simulated driver checks that before. Atomics on global memory are atomic against other
/// threads' launches and host code.
Outcome execute(const Program& program, const Launch& launch, GlobalMemory& memory, const Limits& limits = {});

}  // namespace cupool::ptx
