#include "msm/device/chunks.hpp"

#include <algorithm>
#include <cmath>

namespace cupool::detail {

namespace {

constexpr std::size_t max_growing_chunks = 8;

/// Chunks that grow by a constant factor.
struct GrowingChunks {
    std::size_t count = 1;
    double growth = 1;

    /// The part of the terms that is in the first chunk.
    double first_share() const {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum = sum * growth + 1;
        return 1 / sum;
    }

    /// Nanoseconds until the last chunk is summed. Uploads overlap with the sum of the chunk before; a slot is free two chunks later.
    double time(double terms, const ChunkCost& cost) const {
        double chunk = terms * first_share();
        double uploaded = 0;
        double forwarded = 0;
        double summed = 0;
        double summed_before = 0;
        for (std::size_t i = 0; i < count; ++i, chunk *= growth) {
            uploaded = std::max(uploaded, summed_before) + chunk * cost.copy;
            forwarded = std::max(forwarded, uploaded) + chunk * cost.forward;
            summed_before = summed;
            summed = std::max(summed, forwarded) + chunk * cost.sum + (i == 0 ? 0 : cost.start);
        }
        return summed;
    }
};

GrowingChunks choose_growing_chunks(const MsmCut& cut) {
    constexpr double max_growth = 10;
    constexpr double growth_step = 1.1;
    const auto terms = static_cast<double>(cut.term_count);
    GrowingChunks best;
    double best_time = best.time(terms, cut.cost);
    for (GrowingChunks chunks{2, 1}; chunks.count <= max_growing_chunks; ++chunks.count) {
        for (chunks.growth = 1; chunks.growth <= max_growth; chunks.growth *= growth_step) {
            if (terms * chunks.first_share() < static_cast<double>(cut.min_terms)) break;
            const double time = chunks.time(terms, cut.cost);
            if (time < best_time) {
                best = chunks;
                best_time = time;
            }
        }
    }
    return best;
}

void append_terms(std::vector<MsmChunk>& chunks, std::size_t msm, const MsmCut& cut, const GrowingChunks& growing) {
    double size = static_cast<double>(cut.term_count) * growing.first_share();
    for (std::size_t first = 0; first < cut.term_count;) {
        size = std::min(size, static_cast<double>(cut.max_terms));
        const std::size_t count = std::min(static_cast<std::size_t>(std::ceil(size)), cut.term_count - first);
        chunks.push_back({msm, 1, first, count, first + count == cut.term_count});
        first += count;
        size *= growing.growth;
    }
}

}  // namespace

std::vector<MsmChunk> cut_into_chunks(const MsmCut& cut) {
    std::vector<MsmChunk> chunks;
    const std::size_t msms_at_once = std::clamp<std::size_t>(cut.max_terms / cut.term_count, 1, cut.max_msms);
    for (std::size_t msm = 0; msm < cut.msm_count; msm += msms_at_once) {
        const std::size_t count = std::min(msms_at_once, cut.msm_count - msm);
        if (count == 1) {
            append_terms(chunks, msm, cut, msm == 0 && cut.cost.copy > 0 ? choose_growing_chunks(cut) : GrowingChunks{});
        } else {
            chunks.push_back({msm, count, 0, cut.term_count, true});
        }
    }
    return chunks;
}

}  // namespace cupool::detail
