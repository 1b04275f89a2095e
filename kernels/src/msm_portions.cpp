#include "msm_portions.hpp"

#include <algorithm>
#include <cmath>

namespace cupool::detail {

namespace {

/// The size of the first of a few portions, each `growth` times as large as the one before it, that make up `terms`. As many as leave the
/// first one a twelfth of the whole, below which its own inefficiency costs more than its copy.
std::size_t first_of_growing(std::size_t terms, double growth, std::size_t least) {
    const std::size_t smallest = std::max(least, terms / 12);
    double sum = 1;
    double last = 1;
    std::size_t first = terms;
    for (;;) {
        last *= growth;
        sum += last;
        const auto next = static_cast<std::size_t>(std::ceil(static_cast<double>(terms) / sum));
        if (next < smallest || next >= first) return first;
        first = next;
    }
}

void append_terms(std::vector<MsmPortion>& portions, std::size_t msm, const MsmCut& cut, double growth) {
    auto size = static_cast<double>(growth > 0 ? first_of_growing(cut.term_count, growth, cut.least_terms) : cut.term_count);
    for (std::size_t first = 0; first < cut.term_count;) {
        size = std::min(size, static_cast<double>(cut.most_terms));
        const std::size_t count = std::min(static_cast<std::size_t>(std::ceil(size)), cut.term_count - first);
        portions.push_back({msm, 1, first, count, first + count == cut.term_count});
        first += count;
        size *= std::max(growth, 1.0);
    }
}

}  // namespace

std::vector<MsmPortion> cut_into_portions(const MsmCut& cut) {
    std::vector<MsmPortion> portions;
    const std::size_t msms_at_once = std::clamp<std::size_t>(cut.most_terms / cut.term_count, 1, cut.most_msms);
    for (std::size_t msm = 0; msm < cut.msm_count; msm += msms_at_once) {
        const std::size_t count = std::min(msms_at_once, cut.msm_count - msm);
        if (count == 1) {
            append_terms(portions, msm, cut, msm == 0 ? cut.growth : 0);
        } else {
            portions.push_back({msm, count, 0, cut.term_count, true});
        }
    }
    return portions;
}

}  // namespace cupool::detail
