#pragma once

/// \file
/// The points of an MSM on the host, in the form in which their weighted sums are made: one form for any processor, one for those with a
/// vector unit.

#include <span>

#include "curve/host_curve.hpp"
#include "msm/host/bucket_sum.hpp"
#include "msm/host/bucket_terms.hpp"
#include "msm/host/vector_bucket_sum.hpp"
#include "support/uninitialized_array.hpp"

namespace cupool::detail {

/// For any processor.
template <Curve C>
class ScalarPoints {
public:
    /// In field products: a term costs an addition in affine coordinates, a bucket with terms about two in XYZZ coordinates.
    static constexpr double term_cost = 7;
    static constexpr double bucket_cost = 24;

    /// Terms of one weighted_sum(): their points fit a core's second-level cache.
    static constexpr std::size_t max_terms = 4096;

    explicit ScalarPoints(std::size_t count) : points_(count) {}

    /// Takes the points number `begin` and on. Different ones on several threads.
    void load(std::size_t begin, std::span<const AffinePoint<C>> points, bool montgomery_form) {
        for (std::size_t i = 0; i < points.size(); ++i) points_[begin + i] = detail::load<C>(points[i], montgomery_form);
    }

    /// The sum of weight * point. Buckets come in rising order of weights, none of which is zero; every bucket has a term.
    HostXyzz<C> weighted_sum(std::span<const Bucket> buckets, std::span<const Term> terms) const {
        BucketSum<HostBaseField<C>> sum(terms.size());
        const Term* next = terms.data();
        for (const Bucket& bucket : buckets) {
            sum.begin_bucket(bucket.weight);
            for (std::uint32_t i = 0; i < bucket.size; ++i, ++next) {
                const HostAffine<C>& point = points_[next->index];
                sum.add(next->is_negative ? point.negated() : point);
            }
        }
        return sum.total();
    }

private:
    UninitializedArray<HostAffine<C>> points_;
};

#if defined(CUPOOL_HAS_VECTOR_FIELD)

/// The same for processors with a vector unit.
template <Curve C>
class VectorPoints {
public:
    /// In field products, eight side by side: weighing a bucket takes two more additions.
    static constexpr double term_cost = 7;
    static constexpr double bucket_cost = 15;

    static constexpr std::size_t max_terms = 8192;

    explicit VectorPoints(std::size_t count) : rows_(count) {}

    CUPOOL_VECTOR void load(std::size_t begin, std::span<const AffinePoint<C>> points, bool montgomery_form) {
        const Vector factor = Vector::broadcast(montgomery_form ? Vector::from_montgomery_factor : Vector::from_standard_factor);
        for (std::size_t i = 0; i < points.size(); i += vector_lanes) {
            PointRow spare{};
            const std::uint64_t* x[vector_lanes];
            const std::uint64_t* y[vector_lanes];
            std::uint64_t* x_converted[vector_lanes];
            std::uint64_t* y_converted[vector_lanes];
            for (std::size_t lane = 0; lane < vector_lanes; ++lane) {
                PointRow& row = i + lane < points.size() ? rows_[begin + i + lane] : spare;
                if (i + lane < points.size()) row = {to_vector_limbs(points[i + lane].x), to_vector_limbs(points[i + lane].y)};
                x[lane] = x_converted[lane] = row.x.data();
                y[lane] = y_converted[lane] = row.y.data();
            }
            Vector::product(Vector::load(x), factor).store(x_converted);
            Vector::product(Vector::load(y), factor).store(y_converted);
        }
    }

    HostXyzz<C> weighted_sum(std::span<const Bucket> buckets, std::span<const Term> terms) const {
        return VectorBucketSum<typename Parameters<C>::BaseField>(rows_.span(), buckets, terms).total();
    }

private:
    using Vector = VectorField<typename Parameters<C>::BaseField>;

    UninitializedArray<PointRow> rows_;
};

#endif

}  // namespace cupool::detail
