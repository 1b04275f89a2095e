#pragma once

#include <cupool/driver/module.hpp>
#include <cupool/kernels/curve.hpp>

#include "poseidon/launch.hpp"
#include "support/shipped_code.hpp"

namespace cupool::detail {

using PoseidonKernel = Kernel<PoseidonLaunch<Scalar>>;

/// The kernels of Poseidon over a field in one context.
template <Curve C>
struct PoseidonKernels {
    explicit PoseidonKernels(ContextView context)
        : module(load(context, poseidon_code<C>())),
          of_2(module.kernel<PoseidonLaunch<Scalar>>("poseidon_2")),
          of_3(module.kernel<PoseidonLaunch<Scalar>>("poseidon_3")),
          to_5(module.kernel<PoseidonLaunch<Scalar>>("poseidon_to_5")),
          to_17(module.kernel<PoseidonLaunch<Scalar>>("poseidon_to_17")) {}

    const PoseidonKernel& of_width(unsigned width) const {
        if (width == 2) return of_2;
        if (width == 3) return of_3;
        return width <= 5 ? to_5 : to_17;
    }

    Module module;
    PoseidonKernel of_2;
    PoseidonKernel of_3;
    PoseidonKernel to_5;   ///< widths up to 5
    PoseidonKernel to_17;  ///< widths up to 17
};

/// The kernels of Poseidon2 over a field in one context.
template <Curve C>
struct Poseidon2Kernels {
    explicit Poseidon2Kernels(ContextView context)
        : module(load(context, poseidon2_code<C>())),
          of_2(module.kernel<PoseidonLaunch<Scalar>>("poseidon2_2")),
          of_3(module.kernel<PoseidonLaunch<Scalar>>("poseidon2_3")),
          of_4(module.kernel<PoseidonLaunch<Scalar>>("poseidon2_4")),
          of_8(module.kernel<PoseidonLaunch<Scalar>>("poseidon2_8")) {}

    const PoseidonKernel& of_width(unsigned width) const {
        if (width == 2) return of_2;
        if (width == 3) return of_3;
        return width == 4 ? of_4 : of_8;
    }

    Module module;
    PoseidonKernel of_2;
    PoseidonKernel of_3;
    PoseidonKernel of_4;
    PoseidonKernel of_8;
};

}  // namespace cupool::detail
