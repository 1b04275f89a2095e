#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace cupool::detail {

/// What a device sums at a time: a run of terms of one MSM, or several whole MSMs.
struct MsmChunk {
    std::size_t first_msm = 0;
    std::size_t msm_count = 0;
    std::size_t first_term = 0;  ///< of each MSM
    std::size_t term_count = 0;
    bool is_last = false;  ///< of its MSMs

    bool is_first() const { return first_term == 0; }
};

/// What a chunk takes, in nanoseconds.
struct ChunkCost {
    double copy = 0;     ///< to bring a term to the device; 0 where nothing must be brought
    double sum = 0;      ///< to sum a term
    double start = 0;    ///< what it takes an MSM longer to have one chunk more
    double forward = 0;  ///< to hand a term on to other devices while the next are brought, where all of them sum it
};

/// How MSMs are to be cut up.
struct MsmCut {
    std::size_t msm_count = 0;
    std::size_t term_count = 0;  ///< of each MSM, at least 1
    std::size_t max_terms = 0;   ///< of a chunk, all its MSMs together, at least 1
    std::size_t max_msms = 0;    ///< of a chunk, at least 1
    ChunkCost cost = {};
    /// Of the first chunk, where operands must be brought.
    std::size_t min_terms = std::size_t{1} << 18;
};

/// The chunks in the order in which they are summed; those of one MSM are neighbours.
///
/// Where operands must be brought, a large first MSM is cut into chunks that grow: only the first, small copy is waited for, and what
/// comes next arrives while the one before it is summed. How many they are and how much each is larger than the one before is what takes
/// the least time by their cost.
std::vector<MsmChunk> cut_into_chunks(const MsmCut& cut);

/// Calls take(chunks, are_smallest) until it returns true: with the cut's chunks, then with chunks of at most half as many terms as
/// before, while they can be smaller and are not too many to plan.
template <class Take>
void take_chunks(MsmCut cut, const Take& take) {
    constexpr std::size_t max_chunks = std::size_t{1} << 16;
    for (;; cut.max_terms = (cut.max_terms + 1) / 2) {
        std::vector<MsmChunk> chunks = cut_into_chunks(cut);
        const bool are_smallest = cut.max_terms == 1 || chunks.size() > max_chunks;
        if (take(std::move(chunks), are_smallest)) return;
    }
}

}  // namespace cupool::detail
