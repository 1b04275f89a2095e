#pragma once

#include <cstddef>
#include <cstdint>

#include "msm_layout.hpp"

namespace cupool::detail {

/// What decides how an MSM is cut up.
struct MsmProblem {
    std::uint32_t term_count = 0;  ///< at least 1, at most 2^30
    unsigned scalar_bits = 0;      ///< every scalar is below 2^scalar_bits
    unsigned width = 0;            ///< bits of a window; 0 chooses by cost
    unsigned multiprocessors = 1;
    std::uint64_t rounds_budget =
        0;  ///< bytes that the pairwise rounds may take of the workspace before they go over the windows in several turns
    std::size_t coordinate_bytes = 0;  ///< of one coordinate of a point
};

/// A plan without pointers, and what only the host needs of it.
struct MsmShape {
    MsmPlan plan;
    std::uint32_t windows_at_once = 1;  ///< how many windows the pairwise rounds work on at a time
};

/// The window width with the least estimated cost.
unsigned choose_window_width(std::uint32_t term_count, unsigned scalar_bits);

/// How many pairs a thread adds in a round over `rows` windows of up to `row_pairs` pairs: so many that the blocks fill the device a whole
/// number of times, none of them nearly empty.
/// \param resident_blocks  how many blocks of the pairwise kernels the device holds at once
std::uint32_t choose_pairs_a_thread(std::uint32_t row_pairs, std::uint32_t rows, std::uint32_t resident_blocks);

MsmShape make_msm_shape(const MsmProblem& problem);

/// The same for fewer terms; its workspace is no larger.
MsmShape shortened(MsmShape shape, std::uint32_t term_count);

/// Points the plan into a workspace at `base` (a multiple of 256). \return how many bytes it takes
std::size_t place_msm_workspace(MsmShape& shape, std::size_t coordinate_bytes, std::uint64_t base);

}  // namespace cupool::detail
