#pragma once

#include <string>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// The log buffers that a caller of cuModuleLoadDataEx supplies for the JIT's messages.
class JitLog {
public:
    JitLog(unsigned option_count, const abi::JitOption* options, void** values);

    /// Writes as much of the text as fits, NUL-terminated, and stores the length in the option that gave the size.
    void write_error(const std::string& text) {
        write(text, abi::JitOption::error_log_buffer, abi::JitOption::error_log_buffer_size_bytes);
    }
    void write_info(const std::string& text) { write(text, abi::JitOption::info_log_buffer, abi::JitOption::info_log_buffer_size_bytes); }

private:
    void write(const std::string& text, abi::JitOption buffer_option, abi::JitOption size_option);
    void** value_of(abi::JitOption option) const;

    unsigned option_count_;
    const abi::JitOption* options_;
    void** values_;
};

}  // namespace cupool::simulator
