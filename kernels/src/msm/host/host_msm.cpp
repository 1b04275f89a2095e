#include "msm/host/host_msm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "curve/for_each_curve.hpp"
#include "curve/host_points.hpp"
#include "msm/device/kernel_params.hpp"
#include "msm/oversized_scalar.hpp"
#include "msm/signed_digits.hpp"
#include "msm/window_sums.hpp"
#include "support/host_vector_unit.hpp"
#include "support/parallel_for.hpp"
#include "support/uninitialized_array.hpp"

namespace cupool::detail {

namespace {

/// Sorted terms a task, at least; the most are those whose points fit a core's second-level cache.
constexpr std::size_t shortest_piece = 256;

/// Terms a task of the preparation.
constexpr std::size_t block_terms = 1024;

/// Sorted terms that are worth a thread.
constexpr std::size_t terms_of_a_thread = 1024;

/// Weighs the points' costs, in field products, and some counting for any bucket.
template <class Points>
unsigned choose_window_width(std::size_t terms, unsigned scalar_bits) {
    constexpr double counting_cost = 0.2;
    unsigned best = 1;
    double best_cost = std::numeric_limits<double>::infinity();
    for (unsigned width = 1; width <= widest_digit; ++width) {
        const SignedDigits digits(width, scalar_bits);
        const double buckets = digits.largest_magnitude();
        const auto term_count = static_cast<double>(terms);
        const double cost = digits.count() * (Points::term_cost * term_count + Points::bucket_cost * std::min(buckets, term_count) +
                                              counting_cost * buckets);
        if (cost < best_cost) {
            best = width;
            best_cost = cost;
        }
    }
    return best;
}

/// The terms of one chunk in one group of windows, each window's sorted by the magnitude of their digits. Digits of zero are left out.
class SortedTerms {
public:
    SortedTerms(std::span<const Scalar> prepared, const SignedDigits& digits, unsigned first_window, unsigned window_count,
                unsigned threads)
        : term_count_(prepared.size()), bucket_count_(digits.largest_magnitude()), terms_(window_count * term_count_) {
        // Each window is read in several ranges if there are few windows a thread. cursors[window][range][magnitude - 1]
        const std::size_t ranges = std::clamp<std::size_t>(4 * threads / window_count, 1, prepared.size() / bucket_count_ + 1);
        const std::size_t range_size = (prepared.size() + ranges - 1) / ranges;
        std::vector<std::uint32_t> cursors(window_count * ranges * bucket_count_);
        const auto for_each_digit = [&](const auto& visit) {
            parallel_for(window_count * ranges, threads, [&](std::size_t task) {
                const std::size_t window = task / ranges;
                const std::size_t begin = std::min(prepared.size(), task % ranges * range_size);
                const std::size_t end = std::min(prepared.size(), begin + range_size);
                std::uint32_t* task_cursors = &cursors[task * bucket_count_];
                for (std::size_t i = begin; i < end; ++i) {
                    const std::int32_t digit = digits.digit(prepared[i], first_window + static_cast<unsigned>(window));
                    if (digit != 0) visit(window, task_cursors[std::abs(digit) - 1], i, digit < 0);
                }
            });
        };

        for_each_digit([](std::size_t, std::uint32_t& count, std::size_t, bool) { ++count; });
        starts_.resize(window_count * (bucket_count_ + 1));
        parallel_for(window_count, threads, [&](std::size_t window) {
            std::uint32_t position = 0;
            std::uint32_t* starts = &starts_[window * (bucket_count_ + 1)];
            for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
                starts[bucket] = position;
                for (std::size_t range = 0; range < ranges; ++range) {
                    std::uint32_t& cursor = cursors[(window * ranges + range) * bucket_count_ + bucket];
                    position += std::exchange(cursor, position);
                }
            }
            starts[bucket_count_] = position;
        });
        for_each_digit([&](std::size_t window, std::uint32_t& cursor, std::size_t i, bool is_negative) {
            terms_[window * term_count_ + cursor++] = {static_cast<std::uint32_t>(i) & 0x7fffffff, is_negative};
        });
    }

    std::size_t size(std::size_t window) const { return starts_[(window + 1) * (bucket_count_ + 1) - 1]; }

    /// The terms from `begin` to `end` of a window's order.
    std::span<const Term> terms(std::size_t window, std::size_t begin, std::size_t end) const {
        return {&terms_[window * term_count_ + begin], end - begin};
    }

    /// How they fall into buckets, by their digits' magnitude.
    std::vector<Bucket> buckets(std::size_t window, std::size_t begin, std::size_t end) const {
        std::vector<Bucket> buckets;
        const std::uint32_t* starts = &starts_[window * (bucket_count_ + 1)];
        // The bucket of `begin` is the last one that starts at or before it; empty ones start where their successors do.
        std::size_t bucket = static_cast<std::size_t>(std::upper_bound(starts, starts + bucket_count_, begin) - starts) - 1;
        for (; begin < end; ++bucket) {
            const std::size_t bucket_end = std::min<std::size_t>(end, starts[bucket + 1]);
            if (begin == bucket_end) continue;
            buckets.push_back({static_cast<std::uint32_t>(bucket + 1), static_cast<std::uint32_t>(bucket_end - begin)});
            begin = bucket_end;
        }
        return buckets;
    }

private:
    std::size_t term_count_;
    std::size_t bucket_count_;
    std::vector<std::uint32_t> starts_;  // [window][bucket], and the window's number of terms behind the last
    UninitializedArray<Term> terms_;     // [window][position]
};

/// The MSM of some terms at a time, over Points of host_points.hpp.
template <Curve C, class Points>
class ChunkSum {
public:
    ChunkSum(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, std::size_t first_index, unsigned scalar_bits,
             const MsmConfig& config, std::size_t sorted_terms)
        : sorted_terms_(sorted_terms),
          digits_(config.c != 0 ? static_cast<unsigned>(config.c) : choose_window_width<Points>(scalars.size(), scalar_bits), scalar_bits),
          threads_(worthwhile_threads(scalars.size() * digits_.count(), config.ctx.host_threads())),
          scalars_(scalars.size()),
          points_(points.size()) {
        parallel_for_blocks(scalars.size(), block_terms, threads_, [&](std::size_t begin, std::size_t end) {
            points_.load(begin, points.subspan(begin, end - begin), config.are_points_montgomery_form);
            for (std::size_t i = begin; i < end; ++i) {
                const Scalar scalar = standard_below_order(scalars[i], config.are_scalars_montgomery_form);
                if (bit_length(scalar) > scalar_bits) throw_oversized_scalar(first_index + i, scalar_bits);
                scalars_[i] = digits_.prepared(scalar);
            }
        });
    }

    HostXyzz<C> total() const {
        std::vector<HostXyzz<C>> window_sums(digits_.count(), HostXyzz<C>::infinity());
        const auto group = static_cast<unsigned>(std::clamp<std::size_t>(sorted_terms_ / scalars_.span().size(), 1, digits_.count()));
        for (unsigned first = 0; first < digits_.count(); first += group) {
            add_windows(std::span(window_sums).subspan(first, std::min(group, digits_.count() - first)), first);
        }
        return combine_windows<HostBaseField<C>>(window_sums, digits_.width());
    }

private:
    static unsigned worthwhile_threads(std::size_t sorted_terms, unsigned allowed) {
        return static_cast<unsigned>(std::min<std::size_t>(allowed, 1 + sorted_terms / terms_of_a_thread));
    }

    static Scalar standard_below_order(Scalar scalar, bool montgomery_form) {
        using Field = HostScalarField<C>;
        while (!is_less(scalar, Field::modulus)) subtract_from(scalar, Field::modulus);
        return montgomery_form ? Field::from_montgomery(scalar).standard() : scalar;
    }

    struct Piece {
        std::size_t window;
        std::size_t begin;
        std::size_t end;
    };

    /// Adds to each of the sums that of its window, the first being number `first_window`.
    void add_windows(std::span<HostXyzz<C>> sums, unsigned first_window) const {
        const SortedTerms terms(scalars_.span(), digits_, first_window, static_cast<unsigned>(sums.size()), threads_);
        const std::vector<Piece> pieces = cut(terms, sums.size());
        std::vector<HostXyzz<C>> piece_sums(pieces.size());
        parallel_for(pieces.size(), threads_, [&](std::size_t i) {
            const auto [window, begin, end] = pieces[i];
            piece_sums[i] = points_.weighted_sum(terms.buckets(window, begin, end), terms.terms(window, begin, end));
        });
        for (std::size_t i = 0; i < pieces.size(); ++i) sums[pieces[i].window] += piece_sums[i];
    }

    std::vector<Piece> cut(const SortedTerms& terms, std::size_t window_count) const {
        std::size_t term_count = 0;
        for (std::size_t window = 0; window < window_count; ++window) term_count += terms.size(window);
        const std::size_t piece_size = std::clamp<std::size_t>(term_count / (8 * threads_), shortest_piece, Points::max_terms);
        std::vector<Piece> pieces;
        for (std::size_t window = 0; window < window_count; ++window) {
            for (std::size_t begin = 0; begin < terms.size(window); begin += piece_size) {
                pieces.push_back({window, begin, std::min(begin + piece_size, terms.size(window))});
            }
        }
        return pieces;
    }

    std::size_t sorted_terms_;
    SignedDigits digits_;
    unsigned threads_;
    UninitializedArray<Scalar> scalars_;  // prepared for digits_
    Points points_;
};

template <Curve C, class Points>
HostXyzz<C> sum_in_chunks(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                          const HostMsmLimits& limits) {
    const unsigned promised_bits = config.bitsize != 0 ? static_cast<unsigned>(config.bitsize) : scalar_bits<C>;
    const unsigned bits = std::min(promised_bits, scalar_bits<C>);
    HostXyzz<C> total = HostXyzz<C>::infinity();
    for (std::size_t begin = 0; begin < scalars.size(); begin += limits.chunk_terms) {
        const std::size_t count = std::min(limits.chunk_terms, scalars.size() - begin);
        const ChunkSum<C, Points> chunk(scalars.subspan(begin, count), points.subspan(begin, count), begin, bits, config,
                                        limits.sorted_terms);
        total += chunk.total();
    }
    return total;
}

}  // namespace

template <Curve C>
JacobianPoint<C> msm_on_host(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                             const HostMsmLimits& limits) {
#if defined(CUPOOL_HAS_VECTOR_FIELD)
    if constexpr (base_field_degree<C> == 1) {
        if (limits.vectors && has_vector_unit() && !is_vector_unit_declined())
            return store_jacobian<C>(sum_in_chunks<C, VectorPoints<C>>(scalars, points, config, limits), config.are_points_montgomery_form);
    }
#endif
    return store_jacobian<C>(sum_in_chunks<C, ScalarPoints<C>>(scalars, points, config, limits), config.are_points_montgomery_form);
}

#define CUPOOL_INSTANTIATE(C)                                                                                            \
    template JacobianPoint<C> msm_on_host<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&, \
                                             const HostMsmLimits&);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
