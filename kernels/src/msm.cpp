#include <chrono>
#include <cupool/kernels/msm.hpp>
#include <new>
#include <string>

#include "device_msm.hpp"
#include "host_msm.hpp"
#include "oversized_scalar.hpp"

namespace cupool {

namespace detail {

OversizedScalar::OversizedScalar(std::size_t index, unsigned bits)
    : Error(ErrorCategory::invalid_argument, "msm: scalar " + std::to_string(index) + " (modulo r) is not below 2^" + std::to_string(bits) +
                                                 " as bitsize promises; raise bitsize, or set it to 0 for any scalar"),
      index_(index),
      bits_(bits) {}

void throw_oversized_scalar(std::size_t index, unsigned bits) { throw OversizedScalar(index, bits); }

namespace {

/// The kernels read 16 bytes at a time; a misaligned read would be a fault of the whole process.
constexpr abi::DevicePointer device_operand_alignment = 16;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCategory::invalid_argument, "msm: " + message); }

template <class T>
void require_place(const Operand<T>& operand, bool flag, const std::string& name, const DeviceContext& context) {
    if (operand.is_on_device() != flag) {
        refuse("are_" + name + "_on_device is " + (flag ? "set, but the " : "not set, but the ") + name + " are " +
               (flag ? "in host memory" : "on a device"));
    }
    if (!operand.is_on_device()) return;
    if (operand.device().pointer() % device_operand_alignment != 0) {
        refuse("the " + name + " begin at a device address that is no multiple of " + std::to_string(device_operand_alignment) +
               ", in which the kernels read");
    }
    if (context.is_host())
        refuse("the " + name + " are on device " + std::to_string(operand.device().device()) + ", but config.ctx is the host");
    if (operand.size() != 0 && operand.device().device() != context.device()) {
        throw Error(ErrorCategory::wrong_context, "msm: the " + name + " are on device " + std::to_string(operand.device().device()) +
                                                      ", but config.ctx is device " + std::to_string(context.device()));
    }
}

template <Curve C>
void validate(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config) {
    if (scalars.size() != points.size())
        refuse(std::to_string(scalars.size()) + " scalars, but " + std::to_string(points.size()) + " points");
    if (config.c < 0 || config.c > 20) refuse("c is " + std::to_string(config.c) + "; it must be 1 to 20, or 0 to choose by size");
    if (config.bitsize < 0 || config.bitsize > 256) {
        refuse("bitsize is " + std::to_string(config.bitsize) + "; it must be 1 to 256, or 0 for the width of r");
    }
    require_place(scalars, config.are_scalars_on_device, "scalars", config.ctx);
    require_place(points, config.are_points_on_device, "points", config.ctx);
}

template <Curve C>
RunReport run_on_host(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
                      JacobianPoint<C>& result) {
    const auto start = std::chrono::steady_clock::now();
    try {
        result = msm_on_host<C>(scalars.host(), points.host(), config);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory, "msm: the host has not enough memory for " + std::to_string(scalars.size()) + " terms");
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
}

}  // namespace

}  // namespace detail

MsmConfig MsmConfig::default_for_device(int device) {
    MsmConfig config;
    config.ctx = DeviceContext::default_for_device(device);
    return config;
}

MsmConfig MsmConfig::default_for_host() { return {}; }

template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config, JacobianPoint<C>& result) {
    detail::validate<C>(scalars, points, config);
    if (config.ctx.is_host()) return detail::run_on_host<C>(scalars, points, config, result);
    if (scalars.size() != 0) return detail::msm_on_device<C>(scalars, points, config, result);
    result = {};
    return {.engine = Engine::gpu, .devices = {config.ctx.device()}, .milliseconds = 0, .bytes = 0};
}

#define CUPOOL_INSTANTIATE(C) \
    template RunReport msm<C>(const Operand<Scalar>&, const Operand<AffinePoint<C>>&, const MsmConfig&, JacobianPoint<C>&);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
