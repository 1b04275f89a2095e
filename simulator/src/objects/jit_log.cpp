#include "objects/jit_log.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "api/failure.hpp"

namespace cupool::simulator {
namespace {

// CU_JIT_SPLIT_COMPILE of CUDA 13. The other options have no effect here.
constexpr int last_option = 37;

}  // namespace

JitLog::JitLog(unsigned option_count, const abi::JitOption* options, void** values)
    : option_count_(option_count), options_(options), values_(values) {
    require(option_count == 0 || (options != nullptr && values != nullptr), abi::Status::invalid_value);
    for (unsigned i = 0; i < option_count; ++i) {
        require(static_cast<int>(options[i]) >= 0 && static_cast<int>(options[i]) <= last_option, abi::Status::invalid_value);
    }
}

void JitLog::write(const std::string& text, abi::JitOption buffer_option, abi::JitOption size_option) {
    void** const buffer = value_of(buffer_option);
    void** const size = value_of(size_option);
    if (buffer == nullptr || *buffer == nullptr || size == nullptr) {
        return;
    }
    const auto capacity = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*size));
    if (capacity == 0) {
        return;
    }
    const std::size_t length = std::min<std::size_t>(text.size(), capacity - 1);
    std::memcpy(*buffer, text.data(), length);
    static_cast<char*>(*buffer)[length] = '\0';
    *size = reinterpret_cast<void*>(std::min<std::size_t>(text.size(), capacity));
}

void** JitLog::value_of(abi::JitOption option) const {
    const auto* const end = options_ + option_count_;
    const auto* const found = std::find(options_, end, option);
    return found == end ? nullptr : values_ + (found - options_);
}

}  // namespace cupool::simulator
