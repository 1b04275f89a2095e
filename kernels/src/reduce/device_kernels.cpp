#include "reduce/device_kernels.hpp"

#include "reduce/order.hpp"

namespace cupool::detail {

namespace {

const ShippedCode& middle_code_of(ReduceModuleName name) {
    switch (name) {
        case ReduceModuleName::u8: return reduce_middle_u8_code;
        case ReduceModuleName::u16: return reduce_middle_u16_code;
        case ReduceModuleName::u32: return reduce_middle_u32_code;
        case ReduceModuleName::u64: return reduce_middle_u64_code;
        case ReduceModuleName::f16: return reduce_middle_f16_code;
        case ReduceModuleName::bf16: return reduce_middle_bf16_code;
        case ReduceModuleName::f32: return reduce_middle_f32_code;
        case ReduceModuleName::f64: break;
    }
    return reduce_middle_f64_code;
}

const ShippedCode& code_of(ReduceModuleName name) {
    switch (name) {
        case ReduceModuleName::u8: return reduce_u8_code;
        case ReduceModuleName::u16: return reduce_u16_code;
        case ReduceModuleName::u32: return reduce_u32_code;
        case ReduceModuleName::u64: return reduce_u64_code;
        case ReduceModuleName::f16: return reduce_f16_code;
        case ReduceModuleName::bf16: return reduce_bf16_code;
        case ReduceModuleName::f32: return reduce_f32_code;
        case ReduceModuleName::f64: break;
    }
    return reduce_f64_code;
}

}  // namespace

ReduceKernel::ReduceKernel(const UntypedKernel& kernel)
    : UntypedKernel(kernel),
      resident_blocks(static_cast<unsigned>(kernel.max_active_blocks(reduce_lanes) * kernel.context().device().multiprocessor_count())) {}

ReduceKernel ReduceKernels::get(const ReduceArithmetic& arithmetic, const std::string& shape) {
    const bool is_middle = shape.starts_with("middle");
    const ShippedCode* const code = is_middle ? &middle_code_of(arithmetic.module) : &code_of(arithmetic.module);
    const std::pair key(code, shape + "_" + arithmetic.policy);
    const std::lock_guard lock(mutex_);
    const auto known = kernels_.find(key);
    if (known != kernels_.end()) return known->second;
    auto module = modules_.find(code);
    if (module == modules_.end()) module = modules_.emplace(code, load(context_, *code)).first;
    return kernels_.emplace(key, ReduceKernel(module->second.untyped_kernel(key.second))).first->second;
}

}  // namespace cupool::detail
