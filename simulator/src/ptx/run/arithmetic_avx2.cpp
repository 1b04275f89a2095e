#include "ptx/run/arithmetic_includes.hpp"

#if defined(__x86_64__)

// Only the following code is compiled for AVX2. The headers above are not, since the linker may keep this copy of their inline functions.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace cupool::ptx::avx2 {
namespace {
#include "ptx/run/arithmetic.inc"
}  // namespace
}  // namespace cupool::ptx::avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace cupool::ptx {

Handler avx2::select_arithmetic(const Selection& selection) { return select_lanes(selection); }

Handler select_arithmetic(const Selection& selection) {
    static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has_avx2 ? avx2::select_arithmetic(selection) : baseline::select_arithmetic(selection);
}

}  // namespace cupool::ptx

#else

namespace cupool::ptx {

Handler select_arithmetic(const Selection& selection) { return baseline::select_arithmetic(selection); }

}  // namespace cupool::ptx

#endif
