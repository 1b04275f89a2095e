#pragma once

/// \file
/// The PTX interpreter of the simulated driver: parses a module's text, compiles it and runs an entry over a grid.
///
/// Semantics follow NVIDIA's "Parallel Thread Execution ISA". Unsupported features are refused, never skipped: a function that contains one
/// makes all entries that reach it refused (Entry::refusal); parse() refuses any other. The interpreter depends on nothing of the simulated
/// driver except the GlobalMemory that is passed in.

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

/// A text that cannot be loaded. The simulated driver returns the CUresult of kind() with log() as the JIT error log.
class ParseError : public std::exception {
public:
    enum class Kind {
        malformed,            ///< not PTX: CUDA_ERROR_INVALID_PTX
        unsupported,          ///< valid PTX that the interpreter does not support: CUDA_ERROR_INVALID_PTX too, and the log names the
                              ///< simulator
        unsupported_version,  ///< `.version` below 6.3: CUDA_ERROR_UNSUPPORTED_PTX_VERSION
    };

    ParseError(Kind kind, int line, std::string token, const std::string& message);

    Kind kind() const noexcept { return kind_; }
    /// Line of the text, starting at 1.
    int line() const noexcept { return line_; }
    /// The offending token: an opcode with its modifiers, a directive or another token.
    const std::string& token() const noexcept { return token_; }
    /// In the format of ptxas: `ptxas application ptx input, line 7; error   : ...` and a final fatal line.
    const std::string& log() const noexcept { return log_; }
    const char* what() const noexcept override { return log_.c_str(); }

private:
    Kind kind_;
    int line_;
    std::string token_;
    std::string log_;
};

/// A formal parameter of an entry; `offset` is in bytes from the start of the parameter buffer.
struct Parameter {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t alignment = 1;
};

/// The properties of an entry that cuFuncGetAttribute and launches need.
struct Entry {
    std::string name;
    std::string refusal;  ///< why it cannot be launched, in the format of ParseError::log(); empty if it can
    std::vector<Parameter> parameters;
    std::uint32_t parameter_bytes = 0;  ///< size of the whole parameter buffer
    std::uint32_t shared_bytes = 0;     ///< static shared memory of a block
    std::uint32_t local_bytes = 0;      ///< local memory of a thread, including the frames of its callees (without recursion)
    std::uint32_t registers = 0;        ///< estimate: maximum number of live 32-bit registers, at most 255
    std::array<std::uint32_t, 3> max_threads{0, 0, 0};       ///< .maxntid, or zeros
    std::array<std::uint32_t, 3> required_threads{0, 0, 0};  ///< .reqntid, or zeros
};

/// A `.global` or `.const` variable of the module. The simulated driver allocates it, writes `initial` (padded with zeros to `size`) and
/// then every relocation, and passes its address to each launch.
struct Variable {
    /// Stores the address of another variable plus an addend, as a 64-bit little-endian number.
    struct Relocation {
        std::uint64_t offset = 0;  ///< in this variable, in bytes
        std::size_t variable = 0;  ///< index into Program::variables()
        std::int64_t addend = 0;
    };

    std::string name;
    std::uint64_t size = 0;
    std::uint32_t alignment = 1;
    bool constant = false;  ///< `.const`: at most 64 KiB per module; read-only to kernels
    bool visible = false;   ///< to other linked modules; cuModuleGetGlobal finds every variable
    std::vector<std::byte> initial;
    std::vector<Relocation> relocations;
};

struct Module;  // the executable form, internal

/// A compiled module. Immutable, cheap to copy, thread-safe.
class Program {
public:
    /// Compiles PTX text up to its end or first NUL. If `contract` is set, products and sums without a rounding modifier are contracted to
    /// fused operations as ptxas does. Throws ParseError.
    static Program parse(std::string_view text, bool contract = true);

    int version_major() const noexcept;
    int version_minor() const noexcept;
    /// The first word of `.target`, such as `sm_75`.
    const std::string& target() const noexcept;

    const std::vector<Entry>& entries() const noexcept;
    /// Index into entries(), or nullopt.
    std::optional<std::size_t> find_entry(std::string_view name) const noexcept;

    const std::vector<Variable>& variables() const noexcept;
    std::optional<std::size_t> find_variable(std::string_view name) const noexcept;

    const Module& module() const noexcept { return *module_; }

private:
    explicit Program(std::shared_ptr<const Module> module);

    std::shared_ptr<const Module> module_;
};

/// Generic addresses of the windows of a block's shared and a thread's local memory. A GlobalMemory must not use addresses in them. They
/// lie above the user address range of x86-64, so that pinned host memory keeps its addresses.
inline constexpr std::uint64_t shared_window = 0xf000'0000'0000;
inline constexpr std::uint64_t local_window = 0xf100'0000'0000;
inline constexpr std::uint64_t window_bytes = 0x1'0000'0000;

/// Value in MemoryRange::initialised for a byte that has been written; 0 otherwise.
inline constexpr std::byte initialised_byte{0xff};

/// Host memory behind a range of device addresses. `host` and `address` must be congruent modulo 256.
struct MemoryRange {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< 0: no allocation
    std::byte* host = nullptr;
    bool writable = true;
    /// Shadow memory: for each byte at `host`, whether it has been written; null if all bytes count as written. Launches that check
    /// initialisation read and update it; other writers of the memory must update it too. Congruent to `host` modulo 16.
    std::byte* initialised = nullptr;
};

/// Translates device addresses. Called by the executing thread; concurrent launches call it concurrently.
class GlobalMemory {
public:
    virtual ~GlobalMemory() = default;
    /// The allocation that contains `address`, or a range of 0 bytes. The result must remain valid until the launch ends.
    virtual MemoryRange find(std::uint64_t address) = 0;
    /// Describes what lies at or near an invalid address, for fault reports: "4 bytes past the end of an allocation of 1024 bytes at
    /// 0x...". Empty if nothing is known.
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

/// Optional checks of a launch, besides bounds, alignment and liveness, which are always checked. A finding ends the launch with
/// launch_failed; a GPU would continue with an undefined result.
struct Checks {
    bool initialisation = false;  ///< reads of registers or memory before they are written
    bool races = false;           ///< unordered accesses of threads to the same bytes, unless all are atomic or all are reads
};

/// Findings that must not be reported, since they are known to be benign. Called concurrently by executing threads.
class Suppressions {
public:
    virtual ~Suppressions() = default;
    /// Whether a finding in this kernel at this instruction is suppressed; counts it if so.
    virtual bool suppress(std::string_view kernel, int line, int source_line) = 0;
};

struct Launch {
    std::size_t entry = 0;  ///< index into Program::entries()
    Dimensions grid;
    Dimensions block;  ///< at most 1024 threads
    std::uint32_t dynamic_shared_bytes = 0;
    std::span<const std::byte> parameters;              ///< Entry::parameter_bytes bytes, with the layout of Entry::parameters
    std::span<const std::uint64_t> variable_addresses;  ///< in the order of Program::variables()
    bool cooperative = false;                           ///< makes all blocks resident at once
    std::uint64_t resident_blocks = 64;                 ///< maximum number of resident blocks, unless cooperative
    Checks checks;
    Suppressions* suppressions = nullptr;  ///< null: none
    /// Randomises the order in which blocks start, the number of resident blocks, and the order and length of the turns of blocks and of
    /// the warps in a block. The same launch with the same seed executes identically. 0: blocks start in index order, and a block that is
    /// slow to finish is interleaved with the following ones.
    std::uint64_t seed = 0;
};

struct Limits {
    std::uint64_t warp_instructions = 20'000'000'000;  ///< of the whole launch; beyond this: launch_timeout
    double seconds = 1e9;                              ///< processor time of the calling thread; beyond this: launch_timeout
    const std::atomic<bool>* cancel = nullptr;         ///< set by another thread to end the launch with launch_timeout
    std::uint32_t multiprocessors = 1;                 ///< value of %nsmid; %smid cycles through them
    std::uint32_t device_stack_bytes = 64 * 1024;      ///< maximum local memory of a thread, including recursion
};

/// Values are those of CUresult.
enum class Fault : int {
    none = 0,
    illegal_address = 700,      ///< also stack overflow
    launch_timeout = 702,       ///< budget exceeded, or a deadlock of threads
    illegal_instruction = 715,  ///< a barrier number above 15
    misaligned_address = 716,
    launch_failed = 719,  ///< trap, a lane outside its own member mask, a branch index out of range, lanes of a warp at different
                          ///< barriers, or a finding of Checks
};

struct Outcome {
    Fault fault = Fault::none;
    bool is_finding = false;  ///< of Checks: the device remains usable
    std::string report;       ///< the fault in words, with the fields below; empty without a fault
    std::string kernel;
    std::string opcode;
    int line = 0;  ///< of the PTX text
    Dimensions block{0, 0, 0};
    Dimensions thread{0, 0, 0};
    std::uint64_t address = 0;  ///< of a memory fault, in its own space
    std::string space;          ///< of a memory fault: global, shared, local, param or generic

    std::uint64_t warp_instructions = 0;  ///< executed
    std::uint64_t lane_instructions = 0;  ///< the same, weighted by active lanes

    explicit operator bool() const noexcept { return fault == Fault::none; }
};

/// Runs an entry over a grid until it ends or faults. Throws std::invalid_argument if the launch does not fit the entry (sizes, counts) or
/// the entry is refused; the simulated driver checks this first. Atomics on global memory are atomic with respect to concurrent launches
/// and host code.
Outcome execute(const Program& program, const Launch& launch, GlobalMemory& memory, const Limits& limits = {});

}  // namespace cupool::ptx
