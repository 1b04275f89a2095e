#include "ntt/vector_pass.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

#include <algorithm>

#include "curve/for_each_curve.hpp"
#include "support/host_vector_unit.hpp"
#include "support/parallel_for.hpp"

namespace cupool::detail {

namespace {

/// Tasks for each thread: few, since each allocates its rows, and enough for threads that are not equally fast.
constexpr std::size_t tasks_a_thread = 4;

template <class Integers>
CUPOOL_VECTOR_INLINE auto addresses_of(const Integers& integers) {
    struct Addresses {
        const Scalar* lanes[vector_lanes];
    } addresses;
    for (std::size_t i = 0; i < vector_lanes; ++i) addresses.lanes[i] = &integers[i];
    return addresses;
}

/// From HostField's Montgomery form.
template <class Vector, class Integers>
CUPOOL_VECTOR_INLINE Vector vector_form(const Integers& integers) {
    const auto addresses = addresses_of(integers);
    return Vector::product(Vector::broadcast(Vector::from_montgomery_factor), load_integers<Vector>(addresses.lanes));
}

template <class Field>
void subtract_moduli(Scalar& integer) {
    for (Scalar less = integer; subtract_from(less, Field::modulus) == 0;) integer = less;
}

}  // namespace

template <Curve C>
bool VectorPass<C>::is_worthwhile(const NttPassShape& shape, const NttTuning& tuning) {
    return tuning.uses_host_vectors && shape.line_count() >= vector_lanes && shape.row_bits > 0 && has_vector_unit() &&
           !is_vector_unit_declined();
}

template <Curve C>
VectorPass<C>::VectorPass(const NttJob<C>& job, const NttPassShape& shape, const Scalar* input, Scalar* output)
    : domain_(job.domain),
      shape_(shape),
      is_inverse_(job.is_inverse()),
      exponents_(ntt_exponents(job.domain.log_size, shape.digits.log_size(), is_inverse_)),
      input_(input),
      output_(output) {
    if (is_inverse_ ? shape.is_last != 0 : shape.is_first != 0) coset_ = job.coset();
    if (is_inverse_ && shape.is_last != 0) scale_ = Field::from_standard(job.size()).inverse();
    convert_roots();
}

template <Curve C>
void VectorPass<C>::convert_roots() {
    const std::vector<Field>& all = domain_.host_roots[is_inverse_ ? 1 : 0];
    const std::size_t count = std::max<std::size_t>(1, (std::size_t{1} << shape_.row_bits) / 2);
    roots_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        Elements lanes;
        lanes.fill(all[i * (all.size() / count)].montgomery());
        roots_[i] = vector_form<Vector>(lanes);
    }
}

template <Curve C>
void VectorPass<C>::run(unsigned threads) const {
    const std::size_t lines = shape_.line_count();
    const std::size_t groups = (lines + vector_lanes - 1) / vector_lanes;
    const std::size_t groups_of_task = std::max<std::size_t>(1, groups / (std::size_t{threads} * tasks_a_thread));
    parallel_for_blocks(lines, groups_of_task * vector_lanes, threads, [&](std::size_t begin, std::size_t end) {
        std::vector<Vector> rows(std::size_t{1} << shape_.row_bits);
        for (std::size_t number = begin; number < end; number += vector_lanes)
            transform_lines(lines_from(number, end), std::min(end - number, vector_lanes), rows.data());
    });
}

/// Past the end the last line stands for others, which are not stored.
template <Curve C>
typename VectorPass<C>::Lines VectorPass<C>::lines_from(std::size_t number, std::size_t end) const {
    Lines lines;
    for (std::size_t i = 0; i < vector_lanes; ++i) lines[i] = shape_.line(static_cast<std::uint32_t>(std::min(number + i, end - 1)));
    return lines;
}

template <Curve C>
typename VectorPass<C>::Field VectorPass<C>::power(const NttPowerTable<C>& table, std::uint32_t exponent) const {
    const NttPowers<Field> powers = table.on_host();
    return powers.high[exponent >> powers.low_bits] * powers.low[low_bits_of(exponent, powers.low_bits)];
}

/// The indices of a line's elements are evenly spaced.
template <Curve C>
typename VectorPass<C>::Factors VectorPass<C>::input_factors(const Lines& lines) const {
    Factors factors;
    for (std::size_t i = 0; i < vector_lanes; ++i) {
        factors.start[i] = power(*coset_, shape_.position(lines[i], 0)).montgomery();
        factors.step[i] = power(*coset_, shape_.position(lines[i], 1) - shape_.position(lines[i], 0)).montgomery();
    }
    return factors;
}

template <Curve C>
typename VectorPass<C>::Factors VectorPass<C>::output_factors(const Lines& lines) const {
    Factors factors;
    for (std::size_t i = 0; i < vector_lanes; ++i) {
        Field start = scale_;
        Field step = Field::one();
        if (shape_.is_last == 0) {
            step = power(domain_.twiddles, exponents_.of_domain(shape_.twiddle_exponent(lines[i], 1)));
        } else if (is_inverse_ && coset_ != nullptr) {
            const std::uint32_t first = shape_.output_index(lines[i], 0);
            start = start * power(*coset_, first);
            step = power(*coset_, shape_.output_index(lines[i], 1) - first);
        }
        factors.start[i] = start.montgomery();
        factors.step[i] = step.montgomery();
    }
    return factors;
}

template <Curve C>
void VectorPass<C>::transform_lines(const Lines& lines, std::size_t count, Vector* rows) const {
    load(lines, rows);
    transform_rows(rows, shape_.row_bits, roots_.data());
    store(lines, count, rows);
}

template <Curve C>
void VectorPass<C>::load(const Lines& lines, Vector* rows) const {
    const std::uint32_t count = std::uint32_t{1} << shape_.row_bits;
    for (std::uint32_t row = 0; row < count; ++row) {
        Elements reduced;
        const Scalar* addresses[vector_lanes];
        for (std::size_t i = 0; i < vector_lanes; ++i) {
            addresses[i] = input_ + shape_.input_place(lines[i], row);
            if (shape_.is_first == 0 || addresses[i]->limbs[3] < Field::modulus.limbs[3]) continue;
            reduced[i] = *addresses[i];
            subtract_moduli<Field>(reduced[i]);
            addresses[i] = &reduced[i];
        }
        rows[row] = load_integers<Vector>(addresses);
    }
    if (!has_input_factors()) return;
    const Factors factors = input_factors(lines);
    Vector factor = vector_form<Vector>(factors.start);
    const Vector step = vector_form<Vector>(factors.step);
    for (std::uint32_t row = 0; row < count; ++row) {
        rows[row] = Vector::product(factor, rows[row]);
        factor = Vector::product(factor, step);
    }
}

template <Curve C>
void VectorPass<C>::store(const Lines& lines, std::size_t count, const Vector* rows) const {
    const Factors factors = output_factors(lines);
    Vector factor = vector_form<Vector>(factors.start);
    const Vector step = vector_form<Vector>(factors.step);
    const bool is_stepped = shape_.is_last == 0 || (is_inverse_ && coset_ != nullptr);
    for (std::uint32_t digit = 0; digit < std::uint32_t{1} << shape_.row_bits; ++digit) {
        Vector row = rows[reversed_bits(digit, shape_.row_bits)];
        if (has_output_factors()) row = Vector::product(factor, row);
        if (is_stepped) factor = Vector::product(factor, step);
        Scalar integers[vector_lanes];
        store_integers(row, integers);
        for (std::size_t i = 0; i < count; ++i) {
            if (shape_.is_last != 0) subtract_moduli<Field>(integers[i]);
            output_[shape_.output_place(lines[i], digit)] = integers[i];
        }
    }
}

#define CUPOOL_INSTANTIATE(C) template class VectorPass<C>;
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail

#endif
