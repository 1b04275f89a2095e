#pragma once

#include <cupool/kernels/msm.hpp>
#include <string>

#include "transfer/operand_checks.hpp"

namespace cupool::detail {

/// The number of MSMs and of terms of each.
struct MsmSizes {
    std::size_t msm_count;
    std::size_t term_count;
    std::size_t scalars_stride;  ///< scalars from the beginning of one MSM to that of the next
};

/// \throws Error invalid_argument if config.batch_size differs, there is no result, or the scalars do not divide evenly
inline MsmSizes msm_sizes(std::size_t scalar_count, std::size_t result_count, const MsmConfig& config) {
    if (config.batch_size != 0 && (config.batch_size < 0 || static_cast<std::size_t>(config.batch_size) != result_count))
        refuse("msm", "batch_size is " + std::to_string(config.batch_size) + ", but there is room for " + std::to_string(result_count) +
                          " results");
    if (result_count == 0) refuse("msm", "there is no room for a result");
    if (scalar_count % result_count != 0)
        refuse("msm", std::to_string(scalar_count) + " scalars do not divide evenly among " + std::to_string(result_count) + " MSMs");
    return {result_count, scalar_count / result_count, scalar_count / result_count};
}

/// \throws Error invalid_argument if there are neither points for one MSM nor for all, or config.points_size differs
inline void require_points(const MsmSizes& sizes, std::size_t point_count, const MsmConfig& config) {
    const std::size_t scalar_count = sizes.msm_count * sizes.term_count;
    if (point_count != sizes.term_count && point_count != scalar_count)
        refuse("msm", std::to_string(scalar_count) + " scalars, but " + std::to_string(point_count) + " points");
    if (config.points_size != 0 && (config.points_size < 0 || static_cast<std::size_t>(config.points_size) != point_count))
        refuse("msm",
               "points_size is " + std::to_string(config.points_size) + ", but there are " + std::to_string(point_count) + " points");
}

}  // namespace cupool::detail
