#pragma once

#include <cstddef>
#include <vector>

namespace cupool::detail {

/// What a device sums at a time: a run of terms of one MSM, or several whole MSMs.
struct MsmPortion {
    std::size_t first_msm = 0;
    std::size_t msm_count = 0;
    std::size_t first_term = 0;  ///< of each MSM
    std::size_t term_count = 0;
    bool is_last = false;  ///< of its MSMs

    bool is_first() const { return first_term == 0; }
};

/// How MSMs are to be cut up.
struct MsmCut {
    std::size_t msm_count = 0;
    std::size_t term_count = 0;  ///< of each MSM, at least 1
    std::size_t most_terms = 0;  ///< of a portion, all its MSMs together, at least 1
    std::size_t most_msms = 0;   ///< of a portion, at least 1
    /// How many terms are summed in the time in which one is brought to the device; 0 where nothing must be brought.
    double growth = 0;
    /// Of the first portion, where portions grow.
    std::size_t least_terms = std::size_t{1} << 18;
};

/// The portions in the order in which they are summed; those of one MSM are neighbours.
///
/// Where operands must be brought, a large first MSM begins with a small portion, and each further one is as much larger as the device is
/// faster than the copy: what comes next is there when it is wanted, and only the first, small copy is waited for.
std::vector<MsmPortion> cut_into_portions(const MsmCut& cut);

}  // namespace cupool::detail
