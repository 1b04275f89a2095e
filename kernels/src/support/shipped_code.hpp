#pragma once

#include <cupool/driver/module.hpp>
#include <cupool/kernels/curve.hpp>

namespace cupool::detail {

/// A module that ships: PTX, for any device, and machine code assembled from it for devices of compute capability 9.0, which spares
/// their users the driver's compiler.
struct ShippedCode {
    const char* ptx;
    const char* sm_90_begin;
    const char* sm_90_end;
};

/// The machine code where the device is of its kind and the driver takes it, else the PTX.
/// \throws Error jit_failure, and whatever the driver answers
Module load(ContextView context, const ShippedCode& code);

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
extern const ShippedCode msm_sort_bn254_code;
extern const ShippedCode msm_sort_bls12_381_code;
extern const ShippedCode msm_sort_bls12_377_code;
extern const ShippedCode msm_pairs_bn254_code;
extern const ShippedCode msm_pairs_bls12_381_code;
extern const ShippedCode msm_pairs_bls12_377_code;
extern const ShippedCode msm_pairs_bn254_g2_code;
extern const ShippedCode msm_pairs_bls12_381_g2_code;
extern const ShippedCode msm_accumulate_slots_bn254_code;
extern const ShippedCode msm_accumulate_slots_bls12_381_code;
extern const ShippedCode msm_accumulate_slots_bls12_377_code;
extern const ShippedCode msm_accumulate_slots_bn254_g2_code;
extern const ShippedCode msm_accumulate_slots_bls12_381_g2_code;
extern const ShippedCode msm_accumulate_sums_bn254_code;
extern const ShippedCode msm_accumulate_sums_bls12_381_code;
extern const ShippedCode msm_accumulate_sums_bls12_377_code;
extern const ShippedCode msm_accumulate_sums_bn254_g2_code;
extern const ShippedCode msm_accumulate_sums_bls12_381_g2_code;
extern const ShippedCode msm_join_bn254_code;
extern const ShippedCode msm_join_bls12_381_code;
extern const ShippedCode msm_join_bls12_377_code;
extern const ShippedCode msm_join_bn254_g2_code;
extern const ShippedCode msm_join_bls12_381_g2_code;
extern const ShippedCode msm_reduce_buckets_bn254_code;
extern const ShippedCode msm_reduce_buckets_bls12_381_code;
extern const ShippedCode msm_reduce_buckets_bls12_377_code;
extern const ShippedCode msm_reduce_buckets_bn254_g2_code;
extern const ShippedCode msm_reduce_buckets_bls12_381_g2_code;
extern const ShippedCode msm_join_windows_bn254_code;
extern const ShippedCode msm_join_windows_bls12_381_code;
extern const ShippedCode msm_join_windows_bls12_377_code;
extern const ShippedCode msm_join_windows_bn254_g2_code;
extern const ShippedCode msm_join_windows_bls12_381_g2_code;
extern const ShippedCode msm_bases_bn254_code;
extern const ShippedCode msm_bases_bls12_381_code;
extern const ShippedCode msm_bases_bls12_377_code;
extern const ShippedCode msm_bases_bn254_g2_code;
extern const ShippedCode msm_bases_bls12_381_g2_code;

/// The code of a curve's MSM kernels: a module for each step, as rows.cuh tells. A group G2 sorts scalars by the kernels of G1, since
/// they are the same.
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

template <Curve C>
inline MsmCode msm_code() {
    if constexpr (C == Curve::bn254) {
        return {msm_sort_bn254_code, msm_pairs_bn254_code,          msm_accumulate_slots_bn254_code, msm_accumulate_sums_bn254_code,
                msm_join_bn254_code, msm_reduce_buckets_bn254_code, msm_join_windows_bn254_code,     msm_bases_bn254_code};
    }
    if constexpr (C == Curve::bls12_381) {
        return {msm_sort_bls12_381_code,
                msm_pairs_bls12_381_code,
                msm_accumulate_slots_bls12_381_code,
                msm_accumulate_sums_bls12_381_code,
                msm_join_bls12_381_code,
                msm_reduce_buckets_bls12_381_code,
                msm_join_windows_bls12_381_code,
                msm_bases_bls12_381_code};
    }
    if constexpr (C == Curve::bls12_377) {
        return {msm_sort_bls12_377_code,
                msm_pairs_bls12_377_code,
                msm_accumulate_slots_bls12_377_code,
                msm_accumulate_sums_bls12_377_code,
                msm_join_bls12_377_code,
                msm_reduce_buckets_bls12_377_code,
                msm_join_windows_bls12_377_code,
                msm_bases_bls12_377_code};
    }
    if constexpr (C == Curve::bn254_g2) {
        return {
            msm_sort_bn254_code,    msm_pairs_bn254_g2_code,          msm_accumulate_slots_bn254_g2_code, msm_accumulate_sums_bn254_g2_code,
            msm_join_bn254_g2_code, msm_reduce_buckets_bn254_g2_code, msm_join_windows_bn254_g2_code,     msm_bases_bn254_g2_code};
    }
    if constexpr (C == Curve::bls12_381_g2) {
        return {msm_sort_bls12_381_code,
                msm_pairs_bls12_381_g2_code,
                msm_accumulate_slots_bls12_381_g2_code,
                msm_accumulate_sums_bls12_381_g2_code,
                msm_join_bls12_381_g2_code,
                msm_reduce_buckets_bls12_381_g2_code,
                msm_join_windows_bls12_381_g2_code,
                msm_bases_bls12_381_g2_code};
    }
}

}  // namespace cupool::detail
