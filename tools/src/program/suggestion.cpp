#include "program/suggestion.hpp"

#include <algorithm>
#include <cstddef>

namespace cupool::tools {
namespace {

/// Longer words are no typing errors.
constexpr std::size_t max_letters = 64;

/// The edit distance in which an exchange of neighbours counts once (optimal string alignment).
std::size_t edits_between(const std::string& one, const std::string& other) {
    std::vector<std::vector<std::size_t>> edits(one.size() + 1, std::vector<std::size_t>(other.size() + 1));
    for (std::size_t i = 0; i <= one.size(); ++i) {
        for (std::size_t j = 0; j <= other.size(); ++j) {
            if (i == 0 || j == 0) {
                edits[i][j] = i + j;
                continue;
            }
            const std::size_t substitution = one[i - 1] == other[j - 1] ? 0 : 1;
            edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + substitution});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
        }
    }
    return edits[one.size()][other.size()];
}

}  // namespace

std::string nearest_word(const std::string& mistyped, const std::vector<std::string>& known) {
    if (mistyped.size() > max_letters) return {};
    std::string nearest;
    std::size_t fewest = std::max<std::size_t>(1, mistyped.size() / 3) + 1;
    for (const auto& word : known) {
        const auto edits = edits_between(mistyped, word);
        if (edits >= fewest) continue;
        fewest = edits;
        nearest = word;
    }
    return nearest;
}

}  // namespace cupool::tools
