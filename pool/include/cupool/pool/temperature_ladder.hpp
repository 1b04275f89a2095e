#pragma once

#include <cstddef>
#include <cupool/driver/error.hpp>
#include <span>
#include <vector>

namespace cupool {

/// `count` temperatures from `lowest` up, each `ratio` times the one before; none if the count is 0. \throws Error invalid_argument unless
/// lowest > 0, ratio > 1, and the highest is finite
std::vector<double> geometric_ladder(double lowest, double ratio, std::size_t count, SourceLocation where = SourceLocation::current());

/// A ladder with the same lowest temperature whose pairs of neighbours are nearer to the same acceptance: the logarithmic distance of each
/// pair is multiplied by sqrt(ln(target) / ln(acceptance)), at least by 1/2 and at most by 2. Measure the acceptances again with the new
/// ladder; a few rounds suffice, since the acceptance of two neighbours falls about exponentially with the square of their distance. \param
/// acceptances  of each pair of neighbours, one less than temperatures \param target  between 0 and 1; 0.2 to 0.5 is common (Kone and
/// Kofke, J. Chem. Phys. 122, 206101, 2005, find 0.23 best) \throws Error invalid_argument (sizes do not fit, a number is out of its range)
std::vector<double> ladder_for_acceptance(std::span<const double> ladder, std::span<const double> acceptances, double target,
                                          SourceLocation where = SourceLocation::current());

/// A ladder with the same ends whose temperatures lie densest where replicas diffuse slowest, which makes round trips frequent: the
/// feedback of Katzgraber, Trebst, Huse and Troyer (J. Stat. Mech. P03018, 2006).
/// \param upward  of each temperature, the fraction of replicas that visited the lowest temperature more recently than the highest
/// (ExchangeStatistics::upward); decreasing but for noise, which is smoothed away. Take it only after some round trips: it is 0 where no
/// replica came from an end
/// \throws Error invalid_argument (sizes do not fit, fewer than three temperatures, a number is out of its range)
std::vector<double> ladder_for_round_trips(std::span<const double> ladder, std::span<const double> upward,
                                           SourceLocation where = SourceLocation::current());

namespace detail {
/// Whether temperatures are finite, above 0 and increasing, and there is one at least.
bool is_ladder(std::span<const double> temperatures);
/// \throws Error invalid_argument if they are not
void require_ladder(std::span<const double> ladder, const SourceLocation& where);
}  // namespace detail

}  // namespace cupool
