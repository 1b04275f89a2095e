#include "msm/device/chunks.hpp"

#include <algorithm>
#include <cmath>

namespace cupool::detail {

namespace {

constexpr std::size_t most_growing_portions = 8;

/// Portions that grow by a constant factor.
struct GrowingPortions {
    std::size_t count = 1;
    double growth = 1;

    /// The first one's share in the terms.
    double first_share() const {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum = sum * growth + 1;
        return 1 / sum;
    }

    /// Nanoseconds until the last of them is summed. One is brought while that before it is summed, into the place of the one before that.
    double time(double terms, const PortionCost& cost) const {
        double portion = terms * first_share();
        double brought = 0;
        double handed_on = 0;
        double summed = 0;
        double summed_before = 0;
        for (std::size_t i = 0; i < count; ++i, portion *= growth) {
            brought = std::max(brought, summed_before) + portion * cost.copy;
            handed_on = std::max(handed_on, brought) + portion * cost.hand_on;
            summed_before = summed;
            summed = std::max(summed, handed_on) + portion * cost.sum + (i == 0 ? 0 : cost.start);
        }
        return summed;
    }
};

GrowingPortions choose_growing_portions(const MsmCut& cut) {
    constexpr double most_growth = 10;
    constexpr double growth_step = 1.1;
    const auto terms = static_cast<double>(cut.term_count);
    GrowingPortions best;
    double best_time = best.time(terms, cut.cost);
    for (GrowingPortions portions{2, 1}; portions.count <= most_growing_portions; ++portions.count) {
        for (portions.growth = 1; portions.growth <= most_growth; portions.growth *= growth_step) {
            if (terms * portions.first_share() < static_cast<double>(cut.least_terms)) break;
            const double time = portions.time(terms, cut.cost);
            if (time < best_time) {
                best = portions;
                best_time = time;
            }
        }
    }
    return best;
}

void append_terms(std::vector<MsmPortion>& portions, std::size_t msm, const MsmCut& cut, const GrowingPortions& growing) {
    double size = static_cast<double>(cut.term_count) * growing.first_share();
    for (std::size_t first = 0; first < cut.term_count;) {
        size = std::min(size, static_cast<double>(cut.most_terms));
        const std::size_t count = std::min(static_cast<std::size_t>(std::ceil(size)), cut.term_count - first);
        portions.push_back({msm, 1, first, count, first + count == cut.term_count});
        first += count;
        size *= growing.growth;
    }
}

}  // namespace

std::vector<MsmPortion> cut_into_portions(const MsmCut& cut) {
    std::vector<MsmPortion> portions;
    const std::size_t msms_at_once = std::clamp<std::size_t>(cut.most_terms / cut.term_count, 1, cut.most_msms);
    for (std::size_t msm = 0; msm < cut.msm_count; msm += msms_at_once) {
        const std::size_t count = std::min(msms_at_once, cut.msm_count - msm);
        if (count == 1) {
            append_terms(portions, msm, cut, msm == 0 && cut.cost.copy > 0 ? choose_growing_portions(cut) : GrowingPortions{});
        } else {
            portions.push_back({msm, count, 0, cut.term_count, true});
        }
    }
    return portions;
}

}  // namespace cupool::detail
