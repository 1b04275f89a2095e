#pragma once

#include <cstdint>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/curve.hpp>

#include "support/shipped_code.hpp"

namespace cupool::detail {

/// The kernels of a field in one context.
template <Curve C>
struct VectorKernels {
    using Elements = DeviceSpan<const Scalar>;
    using Results = DeviceSpan<Scalar>;
    /// Left elements, right elements, results, their number.
    using Sum = Kernel<Elements, Elements, Results, std::uint64_t>;

    explicit VectorKernels(ContextView context)
        : module(load(context, vectors_code<C>())),
          add(module.kernel<Elements, Elements, Results, std::uint64_t>("vectors_add")),
          subtract(module.kernel<Elements, Elements, Results, std::uint64_t>("vectors_subtract")),
          multiply(module.kernel<Elements, Elements, Results, std::uint64_t, std::uint32_t>("vectors_multiply")),
          multiply_by_powers(module.kernel<Elements, Scalar, Results, std::uint64_t>("vectors_multiply_by_powers")),
          invert(module.kernel<Elements, Results, Results, std::uint64_t, std::uint32_t>("vectors_invert")) {}

    Module module;
    Sum add;
    Sum subtract;
    Kernel<Elements, Elements, Results, std::uint64_t, std::uint32_t> multiply;  ///< and whether elements are in Montgomery form
    /// Elements, the base in Montgomery form, results, their number. The number of threads is a power of two.
    Kernel<Elements, Scalar, Results, std::uint64_t> multiply_by_powers;
    /// Elements, room for products, which may be the results, results, their number, whether elements are in Montgomery form.
    Kernel<Elements, Results, Results, std::uint64_t, std::uint32_t> invert;
};

}  // namespace cupool::detail
