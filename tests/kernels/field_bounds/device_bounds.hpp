// Stands for a DeviceField of which only the least and the largest value are known. Each operation requires of its operands what the
// device's code relies on, and bounds its result.
#pragma once

#include <algorithm>

#include "big_integer.hpp"
#include "decisions.hpp"
#include "device_headers.hpp"
#include "field/integer.hpp"

namespace cupool::test {

/// A range of integers, for the field of the prime p. R is 2^(32 limb_count).
template <class Parameters>
struct DeviceRange {
    BigInteger least;
    BigInteger most;

    static const BigInteger& p() {
        static const BigInteger value(detail::to_limbs(Parameters::modulus));
        return value;
    }
    static const BigInteger& r() {
        static const BigInteger value = BigInteger::power_of_two(64 * Parameters::limbs);
        return value;
    }
};

template <class Parameters, device::Product product>
struct DeviceBounds : DeviceRange<Parameters> {
    using Range = DeviceRange<Parameters>;
    using Range::least;
    using Range::most;
    using Range::p;
    using Range::r;
    using Device = device::DeviceField<Parameters, product>;

    DeviceBounds() : DeviceBounds(0, bound() - 1) {}
    DeviceBounds(const BigInteger& low, const BigInteger& high) : Range{low, high} {}

    /// What every element is below, unless a function says otherwise: read from the device's code.
    static const BigInteger& bound() {
        static const BigInteger value = [] {
            BigInteger sum;
            for (int i = Device::limb_count; i-- > 0;) sum = sum * BigInteger::power_of_two(32) + Device::bound_limb(i);
            return sum;
        }();
        return value;
    }
    /// Whether a rough difference is left above the bound: as the device's own.
    static bool has_rough_differences() {
        return product == device::Product::inlined && Device::modulus_limb(Device::limb_count - 1) >> 29 == 0;
    }

    bool contains(const BigInteger& value) const { return !(value < least) && !(most < value); }

    static DeviceBounds zero() { return {0, 0}; }
    static DeviceBounds one() { return {}; }
    static DeviceBounds zero_as_modulus() { return {p(), p()}; }

    bool is_plain_zero() const { return decisions().next(); }
    bool is_zero() const {
        require_bound(most < bound(), "is_zero() is asked of a value that may be another multiple of p");
        return decisions().next();
    }
    bool may_be_zero() const { return is_zero(); }
    bool may_be_rough_zero() const {
        if (!has_rough_differences()) return may_be_zero();
        require_bound(BigInteger(0) < least && most < p() * 4, "may_be_rough_zero() is asked of a value that may be 0 or 4 p");
        return decisions().next();
    }
    std::uint32_t lowest_limb() const { return decisions().next() ? 0 : 1; }

    friend DeviceBounds operator+(const DeviceBounds& a, const DeviceBounds& b) {
        require_bound(a.most + b.most < r(), "a sum loses its carry");
        return DeviceBounds(0, a.most + b.most).below_bound();
    }
    /// The bound is added to a difference below zero.
    friend DeviceBounds operator-(const DeviceBounds& a, const DeviceBounds& b) {
        require_bound(!(bound() < b.most), "a difference stays below zero");
        return {0, std::max(a.most, bound() - 1)};
    }
    static DeviceBounds rough_difference(const DeviceBounds& a, const DeviceBounds& b) {
        if (!has_rough_differences()) return a - b;
        require_bound(!(a.least + bound() < b.most), "a rough difference is below zero");
        require_bound(a.most + bound() < r(), "a rough difference loses its carry");
        return {a.least + bound() - b.most, a.most + bound() - b.least};
    }

    /// After every row the partial result is below a + p, if it was before: (a + p + (2^32 - 1) (a + p)) / 2^32 = a + p. The result is at
    /// most (a b + (R - 1) p) / R.
    friend DeviceBounds operator*(const DeviceBounds& a, const DeviceBounds& b) {
        require_bound(a.most + p() < r(), "a row of a product overflows its limbs");
        require_bound(b.most < r(), "a factor has more limbs than the field");
        return of_reduced(a.most * b.most);
    }
    DeviceBounds square() const {
        if constexpr (product == device::Product::called) return *this * *this;
        require_bound(most * 2 < r(), "a doubled limb of a square loses its highest bit");
        require_bound(most * most < r() * p(), "a square is not below R p");
        return of_reduced(most * most);
    }

    DeviceBounds doubled() const { return *this + *this; }
    DeviceBounds negated() const { return negated_if(true); }
    DeviceBounds negated_if(bool /*condition*/) const {
        require_bound(most < bound(), "the negative of a value is below zero");
        return {};
    }
    DeviceBounds negated_to_bound_if(bool condition) const {
        require_bound(!(bound() < most), "the negative of a value is below zero");
        return condition ? DeviceBounds(bound() - most, bound() - least) : *this;
    }
    DeviceBounds below_bound() const { return less_once(bound()); }
    DeviceBounds reduced_once() const { return less_once(p()); }

    void require_below(const BigInteger& limit, const std::string& what) const { require_bound(most < limit, what); }

private:
    static DeviceBounds of_reduced(const BigInteger& whole) {
        require_bound(whole + (r() - 1) * p() < r() * p() * 2, "a product is not below 2 p");
        return {};  // as wide as any product's, so that loops need one turn
    }
    DeviceBounds less_once(const BigInteger& subtrahend) const {
        if (most < subtrahend) return *this;
        return {0, std::max(subtrahend - 1, most - subtrahend)};
    }
};

/// Stands in for that of device_quadratic.cuh: c0 = a0 b0 - a1 b1, plus R p where that is below zero, and c1 = (a0 + a1) (b0 + b1) - a0 b0
/// - a1 b1 = a0 b1 + a1 b0, each of them reduced once.
template <class Parameters>
detail::QuadraticElement<DeviceBounds<Parameters, device::Product::called>> product(
    const detail::QuadraticElement<DeviceBounds<Parameters, device::Product::called>>& a,
    const detail::QuadraticElement<DeviceBounds<Parameters, device::Product::called>>& b) {
    using Range = DeviceRange<Parameters>;
    const BigInteger end = Range::r() * Range::p();
    require_bound(a.c0.most + a.c1.most < Range::r() && b.c0.most + b.c1.most < Range::r(), "a sum of coordinates loses its carry");
    require_bound(a.c0.most * b.c0.most < end && a.c0.most * b.c1.most + a.c1.most * b.c0.most < end, "a reduction takes more than R p");
    require_bound(!(end < a.c1.most * b.c1.most), "a difference of products stays below zero");
    return {};
}

}  // namespace cupool::test
