#pragma once

#include <cstdint>
#include <cupool/driver/context.hpp>
#include <cupool/driver/jit_options.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cupool::detail {

/// A buffer for the log of the JIT compiler.
class LogBuffer {
public:
    explicit LogBuffer(std::size_t size) : text_(size, '\0') {}

    char* data() { return text_.data(); }
    std::size_t size() const { return text_.size(); }
    /// Takes the text. It allocates nothing, because a failure here would leak the compiled object.
    std::string take() noexcept;
    /// Whether the log may be truncated: the compiler cuts it off at the end of the buffer.
    bool is_full() const;

private:
    std::string text_;
};

/// Options and their values in the form of the driver: numbers are stored in the pointers
/// themselves.
class OptionList {
public:
    OptionList(const JitOptions& options, LogBuffer& info, LogBuffer& error);

    unsigned count() const { return static_cast<unsigned>(options_.size()); }
    abi::JitOption* options() { return options_.data(); }
    void** values() { return values_.data(); }
    /// The time that the compiler has written in place of the option.
    std::optional<float> wall_milliseconds() const;

private:
    void add(abi::JitOption option, std::uintptr_t value);
    void add(abi::JitOption option, const std::optional<int>& value);
    void add_log(abi::JitOption buffer_option, abi::JitOption size_option, LogBuffer& buffer);

    std::vector<abi::JitOption> options_;
    std::vector<void*> values_;
};

/// The result of a compilation.
struct Compilation {
    abi::Status result;
    std::string info_log;
    std::string error_log;
    std::optional<float> milliseconds;
    bool log_is_cut;
};

/// Compiles, and repeats with larger logs if they were truncated. \param undo  destroys the object
/// of the first attempt
Compilation compile(const JitOptions& options, const std::function<abi::Status(OptionList&)>& load, const std::function<void()>& undo);

[[noreturn]] void throw_failed_compilation(const Driver& driver, int ordinal, const EntryPointInfo& entry_point,
                                           const Compilation& compilation, const std::string& message, const SourceLocation& where);

}  // namespace cupool::detail
