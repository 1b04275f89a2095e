#pragma once

/// \file
/// One pass of a number-theoretic transform: a block transforms neighbouring lines of up to 2^10 elements. A thread holds four elements,
/// whose indices differ in two bits, does the butterflies of these bits (decimation in frequency, so a line ends in bit-reversed order),
/// and exchanges elements with the other threads through shared memory.

#include "field/device_field.cuh"
#include "field/element_memory.cuh"
#include "ntt/pass.hpp"
#include "ntt/sliced_pass.hpp"
#include "support/device.cuh"

namespace cupool::device {

using detail::NttLine;
using detail::NttPass;
using detail::NttPassShape;
using detail::NttPowers;
using detail::NttSlicedPass;
using detail::NttSlices;

inline constexpr unsigned ntt_block_size = 256;
inline constexpr unsigned ntt_elements = 4;  ///< of a thread
inline constexpr unsigned ntt_tile = ntt_block_size * ntt_elements;

/// Shared memory for the elements of a block, in halves: eight lanes that access 16 bytes each then take each bank once.
struct NttTile {
    Vec4 halves[2][ntt_tile];

    /// Mixes the bits of a place so that eight lanes whose places differ in any three bits that a window leaves fall into different banks.
    CUPOOL_DEVICE static unsigned slot(unsigned place) {
        const unsigned bits = place >> 3 & 3;
        return place ^ bits ^ bits << 1;
    }
};

/// The four places whose bits `low` and `low` + 1 differ, for each thread.
struct NttWindow {
    unsigned low;

    CUPOOL_DEVICE unsigned place(unsigned element) const {
        const unsigned thread = thread_index();
        return thread >> low << (low + 2) | element << low | detail::low_bits_of(thread, low);
    }
};

template <class Field>
CUPOOL_DEVICE void exchange(NttTile& tile, Field* elements, const NttWindow& from, const NttWindow& to) {
#pragma unroll
    for (unsigned e = 0; e < ntt_elements; ++e) {
        const unsigned slot = NttTile::slot(from.place(e));
        tile.halves[0][slot] = elements[e].vec4(0);
        tile.halves[1][slot] = elements[e].vec4(1);
    }
    block_barrier();
    // No barrier after it: a thread next writes the slots that it reads here.
#pragma unroll
    for (unsigned e = 0; e < ntt_elements; ++e) {
        const unsigned slot = NttTile::slot(to.place(e));
        elements[e].set_vec4(0, tile.halves[0][slot]);
        elements[e].set_vec4(1, tile.halves[1][slot]);
    }
}

/// a - b plus the bound, as the right operand of a product whose left one is below the modulus: while it is formed, a product stays below
/// its left operand plus the modulus, which fits the limbs, and in the end it is below the bound.
template <class Field>
CUPOOL_DEVICE Field unreduced_difference(const Field& a, const Field& b) {
    constexpr int last = Field::limb_count - 1;
    Field r;
    r.limbs[0] = sub_cc(a.limbs[0], b.limbs[0]);
#pragma unroll
    for (int i = 1; i < last; ++i) r.limbs[i] = subc_cc(a.limbs[i], b.limbs[i]);
    r.limbs[last] = subc(a.limbs[last], b.limbs[last]);
    r.limbs[0] = add_cc(r.limbs[0], Field::bound_limb(0));
#pragma unroll
    for (int i = 1; i < last; ++i) r.limbs[i] = addc_cc(r.limbs[i], Field::bound_limb(i));
    r.limbs[last] = addc(r.limbs[last], Field::bound_limb(last));
    return r;
}

/// (a, b) = (a + b, (a - b) root)
template <class Field>
CUPOOL_DEVICE void butterfly(Field& a, Field& b, const Field& root) {
    const Field difference = unreduced_difference(a, b);
    a = a + b;
    b = root * difference;
}
template <class Field>
CUPOOL_DEVICE void butterfly(Field& a, Field& b) {
    const Field difference = a - b;
    a = a + b;
    b = difference;
}

/// value / 2^log modulo the modulus, below the bound: value plus the multiple of the modulus that clears the lowest bits. \pre 0 < log < 32
template <class Parameters, class Field>
CUPOOL_DEVICE Field divided_by_power_of_two(const Field& value, unsigned log) {
    constexpr int count = Field::limb_count;
    const std::uint32_t factor = detail::low_bits_of(value.limbs[0] * static_cast<std::uint32_t>(Parameters::negated_inverse), log);
    std::uint32_t sum[count + 1];
#pragma unroll
    for (int i = 0; i < count; ++i) sum[i] = value.limbs[i];
    sum[0] = mad_lo_cc(Field::modulus_limb(0), factor, sum[0]);
    sum[1] = madc_hi_cc(Field::modulus_limb(0), factor, sum[1]);
#pragma unroll
    for (int i = 2; i < count; i += 2) {
        sum[i] = madc_lo_cc(Field::modulus_limb(i), factor, sum[i]);
        sum[i + 1] = madc_hi_cc(Field::modulus_limb(i), factor, sum[i + 1]);
    }
    sum[count] = addc(0, 0);
    sum[1] = mad_lo_cc(Field::modulus_limb(1), factor, sum[1]);
    sum[2] = madc_hi_cc(Field::modulus_limb(1), factor, sum[2]);
#pragma unroll
    for (int i = 3; i < count - 1; i += 2) {
        sum[i] = madc_lo_cc(Field::modulus_limb(i), factor, sum[i]);
        sum[i + 1] = madc_hi_cc(Field::modulus_limb(i), factor, sum[i + 1]);
    }
    sum[count - 1] = madc_lo_cc(Field::modulus_limb(count - 1), factor, sum[count - 1]);
    sum[count] = madc_hi(Field::modulus_limb(count - 1), factor, sum[count]);
    Field r;
#pragma unroll
    for (int i = 0; i < count; ++i) r.limbs[i] = sum[i] >> log | sum[i + 1] << (32 - log);
    return r;
}

template <class Field>
CUPOOL_DEVICE Field power(const NttPowers<Field>& powers, std::uint32_t exponent) {
    const Field high = load_element(powers.high + (exponent >> powers.low_bits));
    if (powers.low_bits == 0) return high;
    return high * load_element(powers.low + detail::low_bits_of(exponent, powers.low_bits));
}

/// All lines of a pass over elements in one array.
template <class Field>
struct NttArrays {
    const NttPass<Field>& pass;

    CUPOOL_DEVICE std::uint32_t line_count() const { return pass.shape.line_count(); }
    CUPOOL_DEVICE NttLine line(std::uint32_t number) const { return pass.shape.line(number); }
    CUPOOL_DEVICE const Field* input(std::uint64_t place) const { return pass.input + place; }
    CUPOOL_DEVICE Field* output(std::uint64_t place) const { return pass.output + place; }
};

/// The addresses of the slices in shared memory: an index that is known only at run time would put those of the parameter in local memory.
template <class Field>
struct NttSliceTables {
    NttSlices<const Field> inputs;
    NttSlices<Field> outputs;

    CUPOOL_DEVICE void fill(const NttSlicedPass<Field>& sliced) {
        if (thread_index() == 0) {
#pragma unroll
            for (unsigned i = 0; i < detail::max_ntt_slices; ++i) {
                inputs.slices[i] = sliced.inputs.slices[i];
                outputs.slices[i] = sliced.outputs.slices[i];
            }
        }
        block_barrier();
    }
};

/// The lines of one device of a pass over elements in slices.
template <class Field>
struct NttShareOfSlices {
    const NttSlicedPass<Field>& sliced;
    const NttSliceTables<Field>& tables;

    CUPOOL_DEVICE std::uint32_t line_count() const { return sliced.share.line_count(sliced.pass.shape); }
    CUPOOL_DEVICE NttLine line(std::uint32_t number) const {
        return sliced.pass.shape.line(sliced.share.line_number(sliced.pass.shape, number));
    }
    CUPOOL_DEVICE const Field* input(std::uint64_t place) const { return tables.inputs.at(place, slice_bits()); }
    CUPOOL_DEVICE Field* output(std::uint64_t place) const { return tables.outputs.at(place, slice_bits()); }

private:
    CUPOOL_DEVICE std::uint32_t slice_bits() const { return sliced.share.slice_bits(sliced.pass.shape); }
};

/// \tparam Elements  which lines a launch transforms, and where their elements are: NttArrays or NttShareOfSlices
template <class Parameters, class Field, class Elements>
class NttBlock {
public:
    CUPOOL_DEVICE NttBlock(const NttPass<Field>& pass, const Elements& elements, NttTile& tile)
        : pass_(pass),
          shape_(pass.shape),
          memory_(elements),
          tile_(tile),
          window_{pass.line_bits + (pass.shape.row_bits < 2 ? 2 : pass.shape.row_bits) - 2},
          line_number_((block_index() << pass.line_bits) + detail::low_bits_of(thread_index(), pass.line_bits)) {}

    CUPOOL_DEVICE void run() {
        const bool is_inside = line_number_ < memory_.line_count();
        const NttLine line = memory_.line(is_inside ? line_number_ : 0);
        const bool is_inverse = pass_.exponents.sign != 0;
        const bool has_coset = pass_.coset.high != nullptr;
        const bool has_input_factors = shape_.is_first != 0 && !is_inverse && has_coset;
        const bool has_output_factors = shape_.is_last == 0 || (is_inverse && has_coset);
        const NttPowers<Field>& output_factors = shape_.is_last == 0 ? pass_.twiddles : pass_.coset;
        load(line, is_inside);
        if (has_output_factors) prefetch_output_factors(output_factors, line);
        if (has_input_factors) multiply<Side::input>(pass_.coset, line);
        transform();
        if (!is_inside) return;
        if (has_output_factors) multiply<Side::output>(output_factors, line);
        store(line);
    }

private:
    enum class Side { input, output };

    CUPOOL_DEVICE unsigned row(unsigned element) const { return window_.place(element) >> pass_.line_bits; }
    CUPOOL_DEVICE bool has_row(unsigned row) const { return row >> shape_.row_bits == 0; }
    /// The digit of the output index that the row holds at the end.
    CUPOOL_DEVICE unsigned digit(unsigned row) const { return detail::reversed_bits(row, shape_.row_bits); }

    /// Zeros stand for what is outside.
    CUPOOL_DEVICE void load(const NttLine& line, bool is_inside) {
#pragma unroll
        for (unsigned e = 0; e < ntt_elements; ++e) {
            elements_[e] = Field::zero();
            if (is_inside && has_row(row(e))) elements_[e] = load_element(memory_.input(shape_.input_place(line, row(e))));
        }
        if (shape_.is_first == 0) return;
#pragma unroll
        for (unsigned e = 0; e < ntt_elements; ++e) {
            while (!elements_[e].is_reduced()) elements_[e] = elements_[e].reduced_once();
        }
    }

    /// Multiplies every element by its power. The loop is not unrolled, as it would be most of the kernel's code: the elements move by one
    /// place instead.
    template <Side side>
    CUPOOL_DEVICE void multiply(const NttPowers<Field>& powers, const NttLine& line) {
#pragma unroll 1
        for (unsigned e = 0; e < ntt_elements; ++e) {
            const unsigned own_row = row(e);
            Field element = elements_[0];
            if (has_row(own_row)) element = element * power(powers, exponent<side>(line, own_row));
#pragma unroll
            for (unsigned i = 0; i + 1 < ntt_elements; ++i) elements_[i] = elements_[i + 1];
            elements_[ntt_elements - 1] = element;
        }
    }
    /// While the butterflies are computed: the powers are scattered over a large table, and multiply() waits for one after the other.
    CUPOOL_DEVICE void prefetch_output_factors(const NttPowers<Field>& powers, const NttLine& line) const {
#pragma unroll 1
        for (unsigned e = 0; e < ntt_elements; ++e) prefetch_near(powers.high + (exponent<Side::output>(line, row(e)) >> powers.low_bits));
    }

    template <Side side>
    CUPOOL_DEVICE std::uint32_t exponent(const NttLine& line, unsigned row) const {
        if constexpr (side == Side::input) return shape_.position(line, row);
        if (shape_.is_last != 0) return shape_.output_index(line, digit(row));
        return pass_.exponents.of_domain(shape_.twiddle_exponent(line, digit(row)));
    }

    CUPOOL_DEVICE Field root(unsigned exponent) const { return load_element(pass_.roots + exponent); }
    CUPOOL_DEVICE void transform() {
        bool is_upper_left = shape_.row_bits >= 2;  // whether the butterflies of the window's upper bit are still to be done
        while (window_.low > pass_.line_bits) {
            const unsigned lower_bit = window_.low - pass_.line_bits;  // of the row
            const unsigned distance = 1u << lower_bit;
            const unsigned first = detail::low_bits_of(row(0), lower_bit);
            const unsigned shift = pass_.root_bits - 2 - lower_bit;
            butterfly(elements_[0], elements_[2], root(first << shift));
            butterfly(elements_[1], elements_[3], root((first + distance) << shift));
            const Field lower_root = root(first << (shift + 1));
            butterfly(elements_[0], elements_[1], lower_root);
            butterfly(elements_[2], elements_[3], lower_root);
            const NttWindow next{lower_bit >= 2 ? window_.low - 2 : pass_.line_bits};
            is_upper_left = lower_bit >= 2;
            exchange(tile_, elements_, window_, next);
            window_ = next;
        }
        if (is_upper_left) {
            butterfly(elements_[0], elements_[2]);
            butterfly(elements_[1], elements_[3], root(1u << (pass_.root_bits - 2)));
        }
        if (shape_.row_bits == 0) return;
        butterfly(elements_[0], elements_[1]);
        butterfly(elements_[2], elements_[3]);
    }

    CUPOOL_DEVICE void store(const NttLine& line) {
#pragma unroll
        for (unsigned e = 0; e < ntt_elements; ++e) {
            if (!has_row(row(e))) continue;
            if (shape_.is_last != 0) {
                if (pass_.scale_log != 0) elements_[e] = divided_by_power_of_two<Parameters>(elements_[e], pass_.scale_log);
                elements_[e] = elements_[e].reduced_once();
            }
            store_element(memory_.output(shape_.output_place(line, digit(row(e)))), elements_[e]);
        }
    }

    const NttPass<Field>& pass_;
    const NttPassShape& shape_;
    Elements memory_;
    NttTile& tile_;
    NttWindow window_;
    std::uint32_t line_number_;
    Field elements_[ntt_elements];
};

}  // namespace cupool::device
