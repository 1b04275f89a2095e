#pragma once

#include <cupool/driver/module.hpp>
#include <cupool/kernels/curve.hpp>

#include "curve/for_each_curve.hpp"
#include "support/embedded_code.hpp"

namespace cupool::detail {

/// Loads the machine code if the device has that capability and the driver accepts it, otherwise
/// the PTX. \throws Error jit_failure, and any error of the driver
Module load(ContextView context, const ShippedCode& code);

extern const ShippedCode coloring_128_code;
extern const ShippedCode coloring_256_code;
extern const ShippedCode coloring_512_code;
extern const ShippedCode coloring_1024_code;

extern const ShippedCode reduce_u8_code;
extern const ShippedCode reduce_u16_code;
extern const ShippedCode reduce_u32_code;
extern const ShippedCode reduce_u64_code;
extern const ShippedCode reduce_f16_code;
extern const ShippedCode reduce_bf16_code;
extern const ShippedCode reduce_f32_code;
extern const ShippedCode reduce_f64_code;
extern const ShippedCode reduce_middle_u8_code;
extern const ShippedCode reduce_middle_u16_code;
extern const ShippedCode reduce_middle_u32_code;
extern const ShippedCode reduce_middle_u64_code;
extern const ShippedCode reduce_middle_f16_code;
extern const ShippedCode reduce_middle_bf16_code;
extern const ShippedCode reduce_middle_f32_code;
extern const ShippedCode reduce_middle_f64_code;

#define CUPOOL_DECLARE_SORT(name) extern const ShippedCode msm_sort_##name##_code;
CUPOOL_FOR_EACH_G1_NAME(CUPOOL_DECLARE_SORT)
#undef CUPOOL_DECLARE_SORT

#define CUPOOL_DECLARE_NTT(name)                        \
    extern const ShippedCode ntt_##name##_code;         \
    template <>                                         \
    inline const ShippedCode& ntt_code<Curve::name>() { \
        return ntt_##name##_code;                       \
    }
/// The kernels of transforms over the curve's scalar field.
template <Curve C>
const ShippedCode& ntt_code();
CUPOOL_FOR_EACH_G1_NAME(CUPOOL_DECLARE_NTT)
#undef CUPOOL_DECLARE_NTT

#define CUPOOL_DECLARE_VECTORS(name)                        \
    extern const ShippedCode vectors_##name##_code;         \
    template <>                                             \
    inline const ShippedCode& vectors_code<Curve::name>() { \
        return vectors_##name##_code;                       \
    }
/// The kernels of element-wise operations on the curve's scalars.
template <Curve C>
const ShippedCode& vectors_code();
CUPOOL_FOR_EACH_G1_NAME(CUPOOL_DECLARE_VECTORS)
#undef CUPOOL_DECLARE_VECTORS

#define CUPOOL_DECLARE_POSEIDON(name)                         \
    extern const ShippedCode poseidon_##name##_code;          \
    extern const ShippedCode poseidon2_##name##_code;         \
    template <>                                               \
    inline const ShippedCode& poseidon_code<Curve::name>() {  \
        return poseidon_##name##_code;                        \
    }                                                         \
    template <>                                               \
    inline const ShippedCode& poseidon2_code<Curve::name>() { \
        return poseidon2_##name##_code;                       \
    }
/// The kernels of Poseidon, and those of Poseidon2, over the curve's scalar field.
template <Curve C>
const ShippedCode& poseidon_code();
template <Curve C>
const ShippedCode& poseidon2_code();
CUPOOL_DECLARE_POSEIDON(bn254)
CUPOOL_DECLARE_POSEIDON(bls12_381)
#undef CUPOOL_DECLARE_POSEIDON

#define CUPOOL_DECLARE_STEPS(name)                               \
    extern const ShippedCode msm_pairs_##name##_code;            \
    extern const ShippedCode msm_accumulate_slots_##name##_code; \
    extern const ShippedCode msm_accumulate_sums_##name##_code;  \
    extern const ShippedCode msm_join_##name##_code;             \
    extern const ShippedCode msm_reduce_buckets_##name##_code;   \
    extern const ShippedCode msm_join_windows_##name##_code;     \
    extern const ShippedCode msm_bases_##name##_code;
CUPOOL_FOR_EACH_CURVE_NAME(CUPOOL_DECLARE_STEPS)
#undef CUPOOL_DECLARE_STEPS

/// The code of a curve's MSM kernels: a module for each step. Scalars of a G2 are those of its G1, so it uses the sort of that.
struct MsmCode {
    ShippedCode sort;
    ShippedCode pairs;
    ShippedCode accumulate_slots;
    ShippedCode accumulate_sums;
    ShippedCode join;
    ShippedCode reduce_buckets;
    ShippedCode join_windows;
    ShippedCode bases;
};

/// \param g1  the curve itself, or the G1 with the scalars of a G2
template <Curve C>
MsmCode msm_code();

#define CUPOOL_MSM_CODE(name, g1)                   \
    template <>                                     \
    inline MsmCode msm_code<Curve::name>() {        \
        return {msm_sort_##g1##_code,               \
                msm_pairs_##name##_code,            \
                msm_accumulate_slots_##name##_code, \
                msm_accumulate_sums_##name##_code,  \
                msm_join_##name##_code,             \
                msm_reduce_buckets_##name##_code,   \
                msm_join_windows_##name##_code,     \
                msm_bases_##name##_code};           \
    }
#define CUPOOL_MSM_CODE_OF_G1(name) CUPOOL_MSM_CODE(name, name)
CUPOOL_FOR_EACH_G1_NAME(CUPOOL_MSM_CODE_OF_G1)
CUPOOL_MSM_CODE(bn254_g2, bn254)
CUPOOL_MSM_CODE(bls12_381_g2, bls12_381)
#undef CUPOOL_MSM_CODE_OF_G1
#undef CUPOOL_MSM_CODE

}  // namespace cupool::detail
