#include "support/shipped_code.hpp"

#include <cupool/driver/error.hpp>
#include <cupool/driver/log.hpp>
#include <string>
#include <string_view>

namespace cupool::detail {

namespace {

/// A driver that is older than the assembler rejects its code; with CUDA_FORCE_PTX_JIT set every driver does.
bool is_refusal(const Error& error) { return error.code() == abi::Status::no_binary_for_gpu || error.code() == abi::Status::invalid_image; }

bool takes_sm_90(ContextView context) { return context.device().compute_capability() == Device::ComputeCapability{9, 0}; }

}  // namespace

Module load(ContextView context, const ShippedCode& code) {
    if (takes_sm_90(context)) {
        try {
            return Module(context, std::string_view(code.sm_90_begin, code.sm_90_end));
        } catch (const Error& error) {
            if (!is_refusal(error)) throw;
            log(LogLevel::debug, std::string("machine code is refused, its PTX is compiled instead: ") + error.what());
        }
    }
    return Module(context, code.ptx);
}

}  // namespace cupool::detail
