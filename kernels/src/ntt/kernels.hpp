#pragma once

#include <cstdint>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/curve.hpp>

#include "ntt/sliced_pass.hpp"
#include "support/shipped_code.hpp"

namespace cupool::detail {

/// The kernels of a field in one context.
template <Curve C>
struct NttKernels {
    explicit NttKernels(ContextView context)
        : module(load(context, ntt_code<C>())),
          pass(module.kernel<NttPass<Scalar>>("ntt_pass")),
          sliced_pass(module.kernel<NttSlicedPass<Scalar>>("ntt_sliced_pass")),
          powers(module.kernel<DeviceSpan<Scalar>, std::uint64_t, Scalar, std::uint64_t>("ntt_powers")) {}

    Module module;
    Kernel<NttPass<Scalar>> pass;
    Kernel<NttSlicedPass<Scalar>> sliced_pass;
    /// powers[i] = base^(i step): powers, their number, the base in Montgomery form, the step.
    Kernel<DeviceSpan<Scalar>, std::uint64_t, Scalar, std::uint64_t> powers;
};

}  // namespace cupool::detail
