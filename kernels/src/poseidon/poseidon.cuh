#pragma once

/// \file
/// The permutation of Poseidon: Grassi, Khovratovich, Rechberger, Roy, Schofnegger, "Poseidon: A New Hash Function for Zero-Knowledge Proof
/// Systems" (USENIX Security 2021), with the partial rounds as the recurrence that partial_rounds.hpp describes.

#include "field/dot_product.cuh"
#include "field/element_memory.cuh"
#include "poseidon/constants_layout.hpp"
#include "poseidon/fifth_power.cuh"

namespace cupool::device {

/// `count` elements from `from` on. All threads of a warp read the same ones.
template <int count, class Element>
CUPOOL_DEVICE void load_elements(Element (&to)[count], const Element* from) {
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = load_element(from + i);
}

/// A permutation whose state stays in registers.
template <class Element, int width>
class PoseidonInRegisters {
public:
    CUPOOL_DEVICE PoseidonInRegisters(const Element* constants, std::uint32_t partial_rounds)
        : constants_(constants), layout_{width, partial_rounds} {}

    template <class Function>
    CUPOOL_DEVICE void for_each_position(unsigned /*width*/, const Function& function) {
#pragma unroll
        for (unsigned position = 0; position < width; ++position) function(position, state_[position]);
    }

    CUPOOL_DEVICE void permute() {
#pragma unroll 1  // the code of full rounds stands once
        for (int half = 0; half < 2; ++half) {
            full_rounds(half == 0 ? layout_.first_rounds() : layout_.last_rounds(),
                        half == 0 ? layout_.entering_matrix() : layout_.matrix());
            if (half == 0) partial_rounds();
        }
    }

private:
    static constexpr int others = width - 1;  ///< the elements that partial rounds do not raise to a power

    CUPOOL_DEVICE void full_rounds(std::uint32_t round_constants, std::uint32_t last_matrix) {
#pragma unroll 1
        for (std::uint32_t round = 0; round < detail::poseidon_half_full_rounds; ++round) {
            const bool is_last = round + 1 == detail::poseidon_half_full_rounds;
#pragma unroll
            for (int i = 0; i < width; ++i)
                state_[i] = called_fifth_power(state_[i] + load_element(constants_ + round_constants + round * width + i));
            multiply(constants_ + (is_last ? last_matrix : layout_.matrix()));
        }
    }

    CUPOOL_DEVICE void multiply(const Element* rows) {
        Element product[width];
#pragma unroll
        for (int i = 0; i < width; ++i) {
            Element row[width];
            load_elements(row, rows + i * layout_.row_size());
            product[i] = DotProduct<Element, width>::of(state_, row);
        }
#pragma unroll
        for (int i = 0; i < width; ++i) state_[i] = product[i];
    }

    CUPOOL_DEVICE void partial_rounds() {
        // The latest powers, those of the latest first elements: the newest first in both.
        Element terms[2 * width - 1];
#pragma unroll
        for (int i = 0; i < width; ++i) terms[i] = Element::zero();
#pragma unroll
        for (int i = 0; i < others; ++i) terms[width + i] = state_[1 + i];
        Element coefficients[2 * width - 1];
        load_coefficients(coefficients);
        Element first = state_[0];
#pragma unroll 1
        for (std::uint32_t round = 0; round < layout_.partial_rounds; ++round) {
#pragma unroll
            for (int i = others; i > 0; --i) terms[i] = terms[i - 1];
            terms[0] = fifth_power(first + load_element(constants_ + layout_.partial_constants() + round));
            first = DotProduct<Element, 2 * width - 1>::of(terms, coefficients);
#pragma unroll
            for (int i = others - 1; i > 0; --i) terms[width + i] = terms[width + i - 1];
            terms[width] = first;
        }
        state_[0] = first;
        Element leaving[2 * others];
#pragma unroll
        for (int i = 0; i < others; ++i) {
            leaving[i] = terms[width + i];
            leaving[others + i] = terms[i];
        }
#pragma unroll
        for (int i = 0; i < others; ++i) {
            Element row[2 * others];
            load_elements(row, constants_ + layout_.leaving_matrix() + i * layout_.leaving_row_size());
            state_[1 + i] = DotProduct<Element, 2 * others>::of(leaving, row);
        }
    }

    CUPOOL_DEVICE void load_coefficients(Element (&coefficients)[2 * width - 1]) const {
#pragma unroll
        for (int i = 0; i < width; ++i)
            coefficients[i] = load_element(constants_ + layout_.power_coefficients() + detail::poseidon_dot_terms + i);
#pragma unroll
        for (int i = 0; i < others; ++i)
            coefficients[width + i] = load_element(constants_ + layout_.element_coefficients() + detail::poseidon_dot_terms + i);
    }

    const Element* constants_;
    detail::PoseidonLayout layout_;
    Element state_[width];
};

/// A permutation of any width up to `max_width`, whose state is in local memory.
template <class Element, int max_width>
class PoseidonInMemory {
public:
    CUPOOL_DEVICE PoseidonInMemory(const Element* constants, std::uint32_t width, std::uint32_t partial_rounds)
        : constants_(constants), layout_{width, partial_rounds} {
        clear(powers_, width, room);
    }

    template <class Function>
    CUPOOL_DEVICE void for_each_position(unsigned width, const Function& function) {
#pragma unroll 1
        for (unsigned position = 0; position < width; ++position) {
            Element element = load_element(state_ + position);
            function(position, element);
            store_element(state_ + position, element);
        }
    }

    CUPOOL_DEVICE void permute() {
#pragma unroll 1  // the code of full rounds stands once
        for (int half = 0; half < 2; ++half) {
            full_rounds(half == 0 ? layout_.first_rounds() : layout_.last_rounds(),
                        half == 0 ? layout_.entering_matrix() : layout_.matrix());
            if (half == 0) partial_rounds();
        }
    }

private:
    static constexpr int dot_terms = detail::poseidon_dot_terms;
    static constexpr int room = (max_width + dot_terms - 1) / dot_terms * dot_terms;

    CUPOOL_DEVICE void full_rounds(std::uint32_t round_constants, std::uint32_t last_matrix) {
#pragma unroll 1
        for (std::uint32_t round = 0; round < detail::poseidon_half_full_rounds; ++round) {
            const bool is_last = round + 1 == detail::poseidon_half_full_rounds;
#pragma unroll 1
            for (std::uint32_t i = 0; i < layout_.width; ++i) {
                const Element constant = load_element(constants_ + round_constants + round * layout_.width + i);
                store_element(powers_ + i, fifth_power(load_element(state_ + i) + constant));
            }
            const Element* rows = constants_ + (is_last ? last_matrix : layout_.matrix());
#pragma unroll 1
            for (std::uint32_t i = 0; i < layout_.width; ++i)
                store_element(state_ + i, sum_of_products(powers_, rows + i * layout_.row_size(), layout_.row_size()));
        }
    }

    /// The powers and the first elements of the latest rounds are in rings: that of round r at r modulo the ring's size.
    CUPOOL_DEVICE void partial_rounds() {
        const std::uint32_t width = layout_.width;
        const std::uint32_t others = width - 1;
        Element first = load_element(state_);
        // The ring of first elements begins with the state's others in reverse: s_0, s_-1, ... in slots 0, others - 1, ...
        store_element(powers_, load_element(state_ + 1));
        for (std::uint32_t i = 1; i < others; ++i) store_element(powers_ + others - i, load_element(state_ + 1 + i));
        for (std::uint32_t i = 0; i < others; ++i) store_element(state_ + i, load_element(powers_ + i));
        Element(&firsts)[room] = state_;
        clear(firsts, others, detail::padded_to_dots(others));
        clear(powers_, 0, width);
        std::uint32_t power_slot = 0;
        std::uint32_t first_slot = 0;
#pragma unroll 1
        for (std::uint32_t round = 0; round < layout_.partial_rounds; ++round) {
            store_element(powers_ + power_slot, fifth_power(first + load_element(constants_ + layout_.partial_constants() + round)));
            first = ring_product(powers_, constants_ + layout_.power_coefficients(), power_slot, width) +
                    ring_product(firsts, constants_ + layout_.element_coefficients(), first_slot, others);
            first_slot = first_slot + 1 == others ? 0 : first_slot + 1;
            store_element(firsts + first_slot, first);
            power_slot = power_slot + 1 == width ? 0 : power_slot + 1;
        }
        leave(first_slot, power_slot);
    }

    /// The sum over the slots of a ring, which may have more slots than that to the next multiple of the terms of a dot; those hold zeros.
    CUPOOL_DEVICE static Element ring_product(const Element* ring, const Element* coefficients, std::uint32_t newest, std::uint32_t size) {
        Element sum = Element::zero();
#pragma unroll 1
        for (std::uint32_t slot = 0; slot < size; slot += dot_terms) {
            Element terms[dot_terms];
            Element factors[dot_terms];
            load_elements(terms, ring + slot);
            const Element* of_slot = coefficients + dot_terms + newest + size - slot;
#pragma unroll
            for (int i = 0; i < dot_terms; ++i) factors[i] = load_element(of_slot - i);
            sum = sum + DotProduct<Element, dot_terms>::of(terms, factors);
        }
        return sum;
    }

    /// \param first_slot, power_slot  of the newest first element, and behind the newest power
    CUPOOL_DEVICE void leave(std::uint32_t first_slot, std::uint32_t power_slot) {
        const std::uint32_t width = layout_.width;
        const std::uint32_t others = width - 1;
        for (std::uint32_t i = 0; i < others; ++i) {
            store_element(leaving_ + i, load_element(state_ + first_slot));
            first_slot = first_slot == 0 ? others - 1 : first_slot - 1;
            power_slot = power_slot == 0 ? width - 1 : power_slot - 1;
            store_element(leaving_ + others + i, load_element(powers_ + power_slot));
        }
        clear(leaving_, 2 * others, layout_.leaving_row_size());
        store_element(state_, load_element(leaving_));
        const Element* rows = constants_ + layout_.leaving_matrix();
#pragma unroll 1
        for (std::uint32_t i = 0; i < others; ++i)
            store_element(state_ + 1 + i, sum_of_products(leaving_, rows + i * layout_.leaving_row_size(), layout_.leaving_row_size()));
    }

    /// \pre size is a multiple of the terms of a dot
    CUPOOL_DEVICE static Element sum_of_products(const Element* left, const Element* right, std::uint32_t size) {
        Element sum = Element::zero();
#pragma unroll 1
        for (std::uint32_t i = 0; i < size; i += dot_terms) {
            Element terms[dot_terms];
            Element factors[dot_terms];
            load_elements(terms, left + i);
            load_elements(factors, right + i);
            sum = sum + DotProduct<Element, dot_terms>::of(terms, factors);
        }
        return sum;
    }

    /// Of a loop that stores zeros without a condition LLVM would make one that stores bytes.
    template <int size>
    CUPOOL_DEVICE static void clear(Element (&elements)[size], std::uint32_t begin, std::uint32_t end) {
#pragma unroll
        for (std::uint32_t i = 0; i < size; ++i) {
            if (i >= begin && i < end) store_element(elements + i, Element::zero());
        }
    }

    const Element* constants_;
    detail::PoseidonLayout layout_;
    Element state_[room];   ///< in partial rounds the ring of first elements
    Element powers_[room];  ///< in partial rounds the ring of powers
    Element leaving_[2 * room];
};

}  // namespace cupool::device
