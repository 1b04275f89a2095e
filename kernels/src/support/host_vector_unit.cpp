#include "support/host_vector_unit.hpp"

#include <cstdlib>
#include <string_view>

#include "support/lazy_constant.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace cupool::detail {

namespace {

struct VectorUnitWish {
    VectorUnitWish() {
        const char* const wish = ::secure_getenv("CUPOOL_HOST_VECTORS");
        is_declined = wish != nullptr && std::string_view(wish) == "0";
    }
    bool is_declined = false;
};

#if defined(__x86_64__)
/// GCC 11 and Clang 14 have no name for this processor feature.
bool has_f16c() {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

VectorUnit processor_vector_unit() {
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && has_f16c();
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return VectorUnit::avx512;
    if (has_avx2) return VectorUnit::avx2;
#endif
    return VectorUnit::none;
}

}  // namespace

bool is_vector_unit_declined() { return lazy_constant<VectorUnitWish>().is_declined; }

VectorUnit host_vector_unit() { return is_vector_unit_declined() ? VectorUnit::none : processor_vector_unit(); }

}  // namespace cupool::detail
