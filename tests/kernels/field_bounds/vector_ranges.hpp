// Ranges in place of VectorField's elements.
#pragma once

#include "interval_register.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

#include "decisions.hpp"
#include "vector_contract.hpp"

namespace cupool::test {

/// Names the field of ranges; its bounds are multiples of p, whichever that is. \tparam Tight  whether its contract is tight_contract
template <bool Tight>
struct RangeParameters {};

/// Whether the other lanes have exceptions of their own on the current path.
inline bool others_are_exceptional = false;

}  // namespace cupool::test

namespace cupool::detail {

/// All numbers from `least` to `most`, which are in tenths of p, in one lane, whose bit in a mask is the lowest; the next bit stands for
/// the other lanes, which matter only where code asks whether any lane is exceptional. Of the lazy sums of limbs it knows how many limbs
/// were added and how many subtracted.
template <bool Tight>
class VectorField<test::RangeParameters<Tight>> {
public:
    using LaneMask = unsigned char;

    static constexpr test::VectorContract contract = Tight ? test::tight_contract : test::usual_contract;

    /// Of any numbers that are stored.
    static VectorField stored() { return element(); }
    bool is_element() const { return is_normalized() && most_ <= contract.max_element; }
    static VectorField zero() { return {0, 0, 0, 1}; }
    static VectorField one() { return element(); }
    static VectorField load(const std::uint64_t* const (&)[vector_lanes]) { return element(); }
    void store(std::uint64_t* const (&)[vector_lanes]) const {
        test::require_bound(is_normalized() && most_ <= contract.max_element, "a stored coordinate is not an element");
    }

    static VectorField product(const VectorField& left, const VectorField& right) {
        test::require_bound(left.is_normalized() && right.is_normalized(), "a factor's carries have not been done");
        test::require_bound(left.most_ * right.most_ < contract.max_factor_product, "a product of factors is too large");
        return element();
    }
    VectorField square() const { return product(*this, *this); }
    VectorField inverse() const {
        test::require_bound(is_normalized() && most_ <= contract.max_element, "a value that is inverted is not an element");
        return element();
    }

    VectorField plus(const VectorField& other) const {
        return {least_ + other.least_, most_ + other.most_, subtracted_ + other.subtracted_, added_ + other.added_};
    }
    VectorField minus(const VectorField& other) const {
        return {least_ - other.most_, most_ - other.least_, subtracted_ + other.added_, added_ + other.subtracted_};
    }
    VectorField negated_where(LaneMask /*mask*/) const {
        return {std::min(least_, -most_), std::max(most_, -least_), std::max(subtracted_, added_), std::max(subtracted_, added_)};
    }
    template <unsigned Multiple>
    VectorField plus_moduli() const {
        static_assert(Multiple < 8, "there is no such multiple in the table");
        constexpr int multiple = static_cast<int>(Multiple) * test::tenths;
        return {least_ + multiple, most_ + multiple, subtracted_, added_ + 1};
    }
    VectorField with(LaneMask mask, const VectorField& other) const { return (mask & 1) != 0 ? other : *this; }

    VectorField normalized() const {
        test::require_bound(least_ >= 0, "a number whose carries are done may be negative");
        return {least_, most_, 0, 1};
    }
    VectorField reduced() const {
        test::require_bound(least_ >= test::min_reduced, "a number below p / 2 is reduced");
        test::require_bound(most_ <= test::max_reduced, "a number above 7 p is reduced");
        return element();
    }

    LaneMask may_be_zero() const { return asked_for_multiples_up_to(3); }
    LaneMask is_zero() const { return asked_for_multiples_up_to(7); }
    LaneMask may_be_exactly_zero() const { return asked_for_multiples_up_to(7); }
    LaneMask is_exactly_zero() const { return asked_for_multiples_up_to(7); }

private:
    VectorField(int least, int most, int subtracted, int added) : least_(least), most_(most), subtracted_(subtracted), added_(added) {
        test::require_bound(subtracted <= test::max_limb_terms && added <= test::max_limb_terms, "too many limbs are added up");
    }

    static VectorField element() { return {0, contract.max_element, 0, 1}; }
    bool is_normalized() const { return subtracted_ == 0 && added_ <= 1 && least_ >= 0; }
    LaneMask asked_for_multiples_up_to(int largest) const {
        test::require_bound(is_normalized() && most_ < (largest + 1) * test::tenths,
                            "a number may be a multiple of p that is not looked for");
        return static_cast<LaneMask>((test::decisions().next() ? 1 : 0) | (test::others_are_exceptional ? 2 : 0));
    }

    int least_;
    int most_;
    int subtracted_;  // limbs in a sum of limbs: each is below 2^52
    int added_;
};

}  // namespace cupool::detail

#endif
