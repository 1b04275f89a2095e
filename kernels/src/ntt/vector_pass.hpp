#pragma once

/// \file
/// One pass of a transform on the host, eight lines side by side: a vector holds the same row of eight neighbouring lines, so all its lanes
/// are multiplied by the same root.
///
/// A transform is linear, so elements need not be converted between HostField's Montgomery form and VectorField's: only what they are
/// multiplied by is in the latter.

#include "field/vector_field.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

#include <vector>

#include "ntt/job.hpp"
#include "ntt/vector_butterflies.hpp"
#include "ntt/vector_words.hpp"

namespace cupool::detail {

template <Curve C>
class VectorPass {
public:
    VectorPass(const NttJob<C>& job, const NttPassShape& shape, const Scalar* input, Scalar* output);

    /// Whether the pass has enough lines for vectors, and the processor the instructions. No pass of a transform has fewer lines than the
    /// pass before, so the pass after this one is one of these again: it may get elements of the modulus and above.
    static bool is_worthwhile(const NttPassShape& shape, const NttTuning& tuning);

    void run(unsigned threads) const;

private:
    using Field = ScalarField<C>;
    using Vector = VectorField<typename Parameters<C>::ScalarField>;
    using Elements = std::array<Scalar, vector_lanes>;

    /// The factors of eight lines in Montgomery form: row r is multiplied by start * step^r.
    struct Factors {
        Elements start;
        Elements step;
    };

    using Lines = std::array<NttLine, vector_lanes>;

    Lines lines_from(std::size_t number, std::size_t end) const;
    bool has_input_factors() const { return !is_inverse_ && shape_.is_first != 0 && coset_ != nullptr; }
    bool has_output_factors() const { return shape_.is_last == 0 || is_inverse_; }
    Factors input_factors(const Lines& lines) const;
    Factors output_factors(const Lines& lines) const;
    Field power(const NttPowerTable<C>& table, std::uint32_t exponent) const;

    CUPOOL_VECTOR void convert_roots();
    CUPOOL_VECTOR void transform_lines(const Lines& lines, std::size_t count, Vector* rows) const;
    CUPOOL_VECTOR void load(const Lines& lines, Vector* rows) const;
    CUPOOL_VECTOR void store(const Lines& lines, std::size_t count, const Vector* rows) const;

    const NttDomainState<C>& domain_;
    NttPassShape shape_;
    bool is_inverse_;
    NttExponents exponents_;
    const NttPowerTable<C>* coset_ = nullptr;
    Field scale_ = Field::one();
    const Scalar* input_;
    Scalar* output_;
    std::vector<Vector> roots_;  ///< half of the powers of the root of order 2^row_bits, in all lanes
};

}  // namespace cupool::detail

#endif
