#pragma once

#include <cupool/kernels/curve.hpp>

namespace cupool::detail {

extern const char reduce_ptx[];
extern const char msm_sort_bn254_ptx[];
extern const char msm_sort_bls12_381_ptx[];
extern const char msm_sort_bls12_377_ptx[];
extern const char msm_pairs_bn254_ptx[];
extern const char msm_pairs_bls12_381_ptx[];
extern const char msm_pairs_bls12_377_ptx[];
extern const char msm_accumulate_slots_bn254_ptx[];
extern const char msm_accumulate_slots_bls12_381_ptx[];
extern const char msm_accumulate_slots_bls12_377_ptx[];
extern const char msm_accumulate_sums_bn254_ptx[];
extern const char msm_accumulate_sums_bls12_381_ptx[];
extern const char msm_accumulate_sums_bls12_377_ptx[];
extern const char msm_join_bn254_ptx[];
extern const char msm_join_bls12_381_ptx[];
extern const char msm_join_bls12_377_ptx[];
extern const char msm_sum_rows_bn254_ptx[];
extern const char msm_sum_rows_bls12_381_ptx[];
extern const char msm_sum_rows_bls12_377_ptx[];
extern const char msm_join_windows_bn254_ptx[];
extern const char msm_join_windows_bls12_381_ptx[];
extern const char msm_join_windows_bls12_377_ptx[];
extern const char msm_bases_bn254_ptx[];
extern const char msm_bases_bls12_381_ptx[];
extern const char msm_bases_bls12_377_ptx[];
extern const char msm_accumulate_slots_bn254_g2_ptx[];
extern const char msm_accumulate_slots_bls12_381_g2_ptx[];
extern const char msm_join_bn254_g2_ptx[];
extern const char msm_join_bls12_381_g2_ptx[];
extern const char msm_sum_rows_bn254_g2_ptx[];
extern const char msm_sum_rows_bls12_381_g2_ptx[];
extern const char msm_bases_bn254_g2_ptx[];
extern const char msm_bases_bls12_381_g2_ptx[];

/// The texts of a curve's MSM kernels, NUL-terminated: a module for each step, as msm_rows.cuh tells. A group G2 sorts scalars by the
/// kernels of G1, since they are the same, and has no pairwise rounds.
struct MsmPtx {
    const char* sort;
    const char* pairs;
    const char* accumulate_slots;
    const char* accumulate_sums;
    const char* join;
    const char* sum_rows;
    const char* join_windows;
    const char* bases;
};

template <Curve C>
inline MsmPtx msm_ptx() {
    if constexpr (C == Curve::bn254) {
        return {msm_sort_bn254_ptx, msm_pairs_bn254_ptx,    msm_accumulate_slots_bn254_ptx, msm_accumulate_sums_bn254_ptx,
                msm_join_bn254_ptx, msm_sum_rows_bn254_ptx, msm_join_windows_bn254_ptx,     msm_bases_bn254_ptx};
    }
    if constexpr (C == Curve::bls12_381) {
        return {msm_sort_bls12_381_ptx, msm_pairs_bls12_381_ptx,    msm_accumulate_slots_bls12_381_ptx, msm_accumulate_sums_bls12_381_ptx,
                msm_join_bls12_381_ptx, msm_sum_rows_bls12_381_ptx, msm_join_windows_bls12_381_ptx,     msm_bases_bls12_381_ptx};
    }
    if constexpr (C == Curve::bls12_377) {
        return {msm_sort_bls12_377_ptx, msm_pairs_bls12_377_ptx,    msm_accumulate_slots_bls12_377_ptx, msm_accumulate_sums_bls12_377_ptx,
                msm_join_bls12_377_ptx, msm_sum_rows_bls12_377_ptx, msm_join_windows_bls12_377_ptx,     msm_bases_bls12_377_ptx};
    }
    if constexpr (C == Curve::bn254_g2) {
        return {
            msm_sort_bn254_ptx,    nullptr, msm_accumulate_slots_bn254_g2_ptx, nullptr, msm_join_bn254_g2_ptx, msm_sum_rows_bn254_g2_ptx,
            msm_bases_bn254_g2_ptx};
    }
    if constexpr (C == Curve::bls12_381_g2) {
        return {msm_sort_bls12_381_ptx,
                nullptr,
                msm_accumulate_slots_bls12_381_g2_ptx,
                nullptr,
                msm_join_bls12_381_g2_ptx,
                msm_sum_rows_bls12_381_g2_ptx,
                msm_bases_bls12_381_g2_ptx};
    }
}

}  // namespace cupool::detail
