#pragma once

#include <cstddef>
#include <cstdint>

#include "msm/device/digits.hpp"

namespace cupool::detail {

/// Costs are in field products. Their constants, and the thresholds, are measured on an H200.

/// Buckets of all rows from which weight splitting pays.
inline constexpr std::uint64_t min_weight_split_buckets = std::uint64_t{1} << 18;

/// Windows of all MSMs of a job from which the device joins their bit sums: the host's additions would take longer.
inline constexpr std::size_t min_joined_windows = 32;

/// Estimated cost of one digit of a term: one addition, mostly affine.
inline constexpr double products_a_digit = 8;

/// What msm_cost() estimates: a batch of MSMs, or one device's digit partition of a single MSM. Several partitions need one table.
struct CostScope {
    unsigned partition_count = 1;
    std::size_t msm_count = 1;
};

/// The estimated cost of MSMs with so many scalars each.
double msm_cost(std::size_t scalar_count, const MsmDigits& digits, CostScope of = {});

/// The digits with the least estimated cost. Scalars are split only with one table. \param width  bits of a digit; 0 for any
DigitChoice choose_digits(std::size_t scalar_count, const ScalarRange& scalars, unsigned tables, unsigned width = 0, CostScope of = {});

/// The width of the digits for which bases are prepared in several tables, whether they serve one MSM at a time or a batch.
unsigned choose_prepared_width(std::size_t scalar_count, const ScalarRange& scalars, unsigned tables);

/// The bits of the low parts of bucket weights for weight splitting; 0 if rows have so few buckets that it never pays.
/// \param min_buckets  of all rows, from which weights are split
unsigned choose_low_bits(const MsmDigits& digits, std::uint64_t min_buckets);

}  // namespace cupool::detail
