#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace cupool::detail {

/// What a device sums at a time: consecutive terms of one MSM, or several whole MSMs.
struct MsmChunk {
    std::size_t first_msm = 0;
    std::size_t msm_count = 0;
    std::size_t first_term = 0;  ///< of each MSM
    std::size_t term_count = 0;
    bool is_last = false;  ///< has the last terms of its MSMs

    bool is_first() const { return first_term == 0; }
};

/// What a chunk costs, in nanoseconds.
struct ChunkCost {
    double copy = 0;     ///< to upload a term; 0 if nothing must be uploaded
    double sum = 0;      ///< to sum a term
    double start = 0;    ///< fixed cost of an extra chunk
    double forward = 0;  ///< to forward a term to the other devices, while the next chunk is uploaded
};

/// How to cut MSMs into chunks.
struct MsmCut {
    std::size_t msm_count = 0;
    std::size_t term_count = 0;  ///< of each MSM, at least 1
    std::size_t max_terms = 0;   ///< of a chunk, in all its MSMs together, at least 1
    std::size_t max_msms = 0;    ///< of a chunk, at least 1
    ChunkCost cost = {};
    /// Terms of the first chunk if operands must be uploaded.
    std::size_t min_terms = std::size_t{1} << 18;
};

/// The chunks in the order in which they are summed; those of one MSM are neighbours.
///
/// If operands must be uploaded, a large first MSM is cut into chunks that grow: the device waits
/// only for the first, small copy, and the next chunk is uploaded while it sums the one before. The
/// number of chunks and the factor by which they grow are those of the least time by their cost.
std::vector<MsmChunk> cut_into_chunks(const MsmCut& cut);

/// Calls take(chunks, are_smallest) until it returns true: first with the chunks of the cut, then with
/// chunks of at most half as many terms as before, while they can be smaller and are not too many to plan.
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
