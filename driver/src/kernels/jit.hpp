#pragma once

#include <cstdint>
#include <cupool/driver/context.hpp>
#include <cupool/driver/jit_options.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cupool::detail {

/// A buffer that the JIT compiler writes its log into.
class LogBuffer {
public:
    explicit LogBuffer(std::size_t size) : text_(size, '\0') {}

    char* data() { return text_.data(); }
    std::size_t size() const { return text_.size(); }
    /// What the compiler wrote. Needs no memory, as there may be something to lose by then.
    std::string take() noexcept;
    /// Whether the compiler may have had more to say: it ends what it cuts off at the buffer's end.
    bool is_full() const;

private:
    std::string text_;
};

/// Options and their values as the driver takes them: numbers stand in the pointers themselves.
class OptionList {
public:
    OptionList(const JitOptions& options, LogBuffer& info, LogBuffer& error);

    unsigned count() const { return static_cast<unsigned>(options_.size()); }
    abi::JitOption* options() { return options_.data(); }
    void** values() { return values_.data(); }
    /// What the compiler left in the place of the option that asks for the time.
    std::optional<float> wall_milliseconds() const;

private:
    void add(abi::JitOption option, std::uintptr_t value);
    void add(abi::JitOption option, const std::optional<int>& value);
    void add_log(abi::JitOption buffer_option, abi::JitOption size_option, LogBuffer& buffer);

    std::vector<abi::JitOption> options_;
    std::vector<void*> values_;
};

/// What came of a compilation.
struct Compilation {
    abi::Status result;
    std::string info_log;
    std::string error_log;
    std::optional<float> milliseconds;
    bool log_is_cut;
};

/// Compiles, again with larger logs where they were cut. \param undo  drops what the first attempt made
Compilation compile(const JitOptions& options, const std::function<abi::Status(OptionList&)>& load, const std::function<void()>& undo);

[[noreturn]] void throw_failed_compilation(const Driver& driver, int ordinal, const EntryPointInfo& entry_point,
                                           const Compilation& compilation, const std::string& message, const SourceLocation& where);

}  // namespace cupool::detail
