#include "kernels/jit.hpp"

#include <cstring>
#include <utility>

namespace cupool::detail {

namespace {

/// The messages of the compiler, errors first.
std::string join_logs(const Compilation& compilation) {
    std::string log = compilation.error_log;
    if (!log.empty() && !compilation.info_log.empty()) log += '\n';
    return log + compilation.info_log;
}

Compilation compile_once(const JitOptions& options, std::size_t log_size, const std::function<abi::Status(OptionList&)>& load) {
    LogBuffer info(log_size);
    LogBuffer error(log_size);
    OptionList list(options, info, error);
    const abi::Status result = load(list);
    const bool log_is_cut = info.is_full() || error.is_full();
    return {result, info.take(), error.take(), list.wall_milliseconds(), log_is_cut};
}

}  // namespace

std::string LogBuffer::take() noexcept {
    text_.resize(std::strlen(text_.c_str()));
    return std::move(text_);
}

bool LogBuffer::is_full() const { return std::strlen(text_.c_str()) + 2 >= text_.size(); }

OptionList::OptionList(const JitOptions& options, LogBuffer& info, LogBuffer& error) {
    using abi::JitOption;
    add_log(JitOption::info_log_buffer, JitOption::info_log_buffer_size_bytes, info);
    add_log(JitOption::error_log_buffer, JitOption::error_log_buffer_size_bytes, error);
    add(JitOption::max_registers, options.max_registers);
    add(JitOption::threads_per_block, options.threads_per_block);
    add(JitOption::min_blocks_per_multiprocessor, options.min_blocks_per_multiprocessor);
    add(JitOption::optimization_level, options.optimization_level);
    add(JitOption::target, options.target);
    if (options.fallback) add(JitOption::fallback_strategy, static_cast<std::uintptr_t>(*options.fallback));
    if (options.cache_mode) add(JitOption::cache_mode, static_cast<std::uintptr_t>(*options.cache_mode));
    const std::pair<JitOption, bool> switches[] = {
        {JitOption::generate_debug_info, options.debug_info},
        {JitOption::generate_line_info, options.line_info},
        {JitOption::position_independent_code, options.position_independent_code},
        {JitOption::log_verbose, options.verbose},
    };
    for (const auto& [option, is_on] : switches) {
        if (is_on) add(option, std::uintptr_t{1});
    }
    if (options.wall_time) add(JitOption::wall_time, std::uintptr_t{0});
}

std::optional<float> OptionList::wall_milliseconds() const {
    if (options_.back() != abi::JitOption::wall_time) return std::nullopt;
    float milliseconds = 0;
    std::memcpy(&milliseconds, &values_.back(), sizeof milliseconds);
    return milliseconds;
}

void OptionList::add(abi::JitOption option, std::uintptr_t value) {
    options_.push_back(option);
    values_.push_back(reinterpret_cast<void*>(value));
}

void OptionList::add(abi::JitOption option, const std::optional<int>& value) {
    if (value) add(option, static_cast<std::uintptr_t>(static_cast<unsigned>(*value)));
}

void OptionList::add_log(abi::JitOption buffer_option, abi::JitOption size_option, LogBuffer& buffer) {
    add(buffer_option, reinterpret_cast<std::uintptr_t>(buffer.data()));
    add(size_option, buffer.size() - 1);  // the last byte remains a terminator
}

Compilation compile(const JitOptions& options, const std::function<abi::Status(OptionList&)>& load, const std::function<void()>& undo) {
    constexpr std::size_t first_log_size = std::size_t{1} << 14;
    constexpr std::size_t last_log_size = std::size_t{1} << 24;
    std::size_t log_size = first_log_size;
    Compilation compilation = compile_once(options, log_size, load);
    while (compilation.log_is_cut && log_size < last_log_size) {
        if (compilation.result == abi::Status::success) undo();
        log_size *= 32;
        compilation = compile_once(options, log_size, load);
    }
    return compilation;
}

void throw_failed_compilation(const Driver& driver, int ordinal, const EntryPointInfo& entry_point, const Compilation& compilation,
                              const std::string& message, const SourceLocation& where) {
    ErrorDetails details;
    details.category = category_of(compilation.result);
    details.code = compilation.result;
    details.call = entry_point.base;
    if (ordinal != no_ordinal) details.device = ordinal;
    details.log = join_logs(compilation);
    details.message = message + " on a driver of CUDA " + cuda_version_text(driver.version());
    throw Error(std::move(details), where);
}

}  // namespace cupool::detail
