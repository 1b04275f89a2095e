#pragma once

/// \file
/// How device code accumulates: for each kind of operation the accumulator, what a lane keeps of the elements it takes, and the result.
///
/// Kernels of equal arithmetic serve several types and operations: `flip` is a mask of bits that are inverted in each element first.
/// - Integer sums and products: the sign bit for signed elements whose result is wider, else 0. (x ^ sign) - sign is x extended by its
/// sign.
/// - Minima: the sign bit for signed integers, which makes their order that of unsigned ones; inverted (~sign) for maxima, which makes the
///   largest the smallest. For floats 0, or the sign bit for maxima.
///
/// A policy has: Element; has_components, whether the elements of a vector go to accumulators of their own; Accumulator; Lane, with the
/// accumulators of a lane; lane(); take(lane, words, first) for the elements of a vector, take_one(lane, component, element, index) for
/// one; value(lane), the lane's components folded; combine(); identity(); and store(result, bytes, accumulator, count), the result of
/// `count` elements as an element (or a wider one, if there are more bytes). Indices count from the first element of the tile.

#include "reduce/vectors.cuh"

namespace cupool::device {

using cupool::BFloat16;
using cupool::Float16;
using cupool::detail::DoubleDouble;

/// The low bytes of an integer: as many as an element has, or 8.
template <class E>
CUPOOL_DEVICE void store_integer(void* result, std::uint32_t bytes, std::uint64_t value) {
    if (bytes == 8) {
        *static_cast<std::uint64_t*>(result) = value;
    } else {
        *static_cast<E*>(result) = static_cast<E>(value);
    }
}

template <class E>
CUPOOL_DEVICE void store_float(void* result, std::uint32_t bytes, double value) {
    if (bytes == 8) {
        *static_cast<double*>(result) = detail::with_canonical_nan(value);
    } else {
        *static_cast<float*>(result) = detail::with_canonical_nan(static_cast<float>(value));
    }
}
template <class E>
requires(sizeof(E) == 2) CUPOOL_DEVICE void store_float(void* result, std::uint32_t bytes, float value) {
    if (bytes == 4) {
        *static_cast<float*>(result) = detail::with_canonical_nan(value);
    } else {
        *static_cast<std::uint16_t*>(result) = E(value).bits;
    }
}

/// A float of any kind as what a lane accumulates: 1/lane_scale of its value, exact.
template <class A, class E>
CUPOOL_DEVICE A lane_number(E element) {
    if constexpr (sizeof(A) == 16) {
        return {element, 0};
    } else {
        return static_cast<A>(element);
    }
}
/// A binary16 as the fields of a float has 2^-112 of its value: the biases are 15 and 127. Sums round alike at either scale, since those
/// that would be subnormal floats are exact at both.
template <class A>
CUPOOL_DEVICE A lane_number(Float16 element) {
    const std::uint32_t bits = std::uint32_t{element.bits & 0x8000u} << 16 | std::uint32_t{element.bits & 0x7fffu} << 13;
    const bool is_finite = (element.bits & 0x7c00u) != 0x7c00u;
    return __builtin_bit_cast(float, is_finite ? bits : bits | 0x7f800000u);
}
template <class E, class A>
CUPOOL_DEVICE A scaled_up(A lane_sum) {
    if constexpr (__is_same(E, Float16)) {
        return lane_sum * 0x1p112f;
    } else {
        return lane_sum;
    }
}

/// Whether a word of two binary16 has an infinity or a NaN.
CUPOOL_DEVICE bool has_infinity(Vec4 words) {
    std::uint32_t carries = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) carries |= (words[i] & 0x7fff7fffu) + 0x04000400u;
    return (carries & 0x80008000u) != 0;
}
/// lane_number() of an element of a vector; a binary16 must be finite.
template <class A, class E>
CUPOOL_DEVICE A lane_number_of(Vec4 words, unsigned index) {
    if constexpr (__is_same(E, BFloat16)) {
        const std::uint32_t word = words[index / 2];
        return __builtin_bit_cast(float, index % 2 == 0 ? word << 16 : word & 0xffff0000u);
    } else {
        return lane_number<A>(element_of<E>(words, index));
    }
}
template <class A, class E>
requires(__is_same(E, Float16)) CUPOOL_DEVICE A lane_number_of(Vec4 words, unsigned index) {
    const std::uint32_t word = words[index / 2];
    const auto shifted = static_cast<std::int32_t>(index % 2 == 0 ? word << 16 : word) >> 3;
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(shifted) & 0x8fffe000u);
}

/// Components of a lane folded: each of the first half with the one that is half their number on.
template <class Policy, unsigned Count, class A>
CUPOOL_DEVICE A fold_components(A* components) {
    if constexpr (Count > 1) {
#pragma unroll
        for (unsigned i = 0; i < Count / 2; ++i) components[i] = Policy::combine(components[i], components[i + Count / 2]);
        return fold_components<Policy, Count / 2>(components);
    } else {
        return components[0];
    }
}

/// Reads memory that no thread of the launch writes.
struct ReadsInput {
    CUPOOL_DEVICE static Vec4 load(const void* address) { return load_vector(address); }
};

/// The sum of unsigned integers, modulo 2^64, in any order.
template <class E>
struct IntegerSum : ReadsInput {
    using Element = E;
    static constexpr bool has_components = false;
    using Accumulator = std::uint64_t;
    using Lane = std::uint64_t;

    std::uint64_t flip;

    CUPOOL_DEVICE Lane lane() const { return 0; }
    CUPOOL_DEVICE std::uint64_t identity() const { return 0; }
    CUPOOL_DEVICE static std::uint64_t combine(std::uint64_t left, std::uint64_t right) { return left + right; }
    CUPOOL_DEVICE static std::uint64_t value(Lane lane) { return lane; }

    CUPOOL_DEVICE void take(Lane& lane, Vec4 words, std::uint32_t /*first*/) const {
        if constexpr (sizeof(E) == 8) {
            lane += element_of<std::uint64_t>(words, 0) + element_of<std::uint64_t>(words, 1);
        } else if constexpr (sizeof(E) == 4) {
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) lane += words[i] ^ static_cast<std::uint32_t>(flip);
        } else {
            // Elements of a word are added beside each other first, in halves of 16 bits and then in one of 32.
            std::uint32_t sum = 0;
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) sum += halves(words[i]);
            if constexpr (sizeof(E) == 1) sum = (sum & 0xffff) + (sum >> 16);
            lane += sum;
        }
    }
    CUPOOL_DEVICE void take_one(Lane& lane, unsigned /*component*/, E element, std::uint32_t /*index*/) const {
        lane += static_cast<E>(element ^ static_cast<E>(flip));
    }

    CUPOOL_DEVICE void store(void* result, std::uint32_t bytes, std::uint64_t sum, std::uint64_t count) const {
        store_integer<E>(result, bytes, sum - flip * count);
    }

private:
    CUPOOL_DEVICE std::uint32_t halves(std::uint32_t word) const {
        if constexpr (sizeof(E) == 1) {
            word ^= static_cast<std::uint32_t>(flip) * 0x01010101u;
            return (word & 0x00ff00ffu) + (word >> 8 & 0x00ff00ffu);
        } else {
            word ^= static_cast<std::uint32_t>(flip) * 0x00010001u;
            return (word & 0xffffu) + (word >> 16);
        }
    }
};

/// The product of integers, modulo 2^64, in any order.
template <class E>
struct IntegerProduct : ReadsInput {
    using Element = E;
    static constexpr bool has_components = false;
    using Accumulator = std::uint64_t;
    using Lane = std::uint64_t;

    std::uint64_t flip;

    CUPOOL_DEVICE Lane lane() const { return 1; }
    CUPOOL_DEVICE std::uint64_t identity() const { return 1; }
    CUPOOL_DEVICE static std::uint64_t combine(std::uint64_t left, std::uint64_t right) { return left * right; }
    CUPOOL_DEVICE static std::uint64_t value(Lane lane) { return lane; }

    CUPOOL_DEVICE void take(Lane& lane, Vec4 words, std::uint32_t first) const {
#pragma unroll
        for (unsigned i = 0; i < vector_elements<E>; ++i) take_one(lane, i, element_of<E>(words, i), first + i);
    }
    CUPOOL_DEVICE void take_one(Lane& lane, unsigned /*component*/, E element, std::uint32_t /*index*/) const {
        lane *= (std::uint64_t{element} ^ flip) - flip;
    }
    CUPOOL_DEVICE void store(void* result, std::uint32_t bytes, std::uint64_t product, std::uint64_t /*count*/) const {
        store_integer<E>(result, bytes, product);
    }
};

/// What elements are compared as: a word, or two.
template <class E>
struct KeyOf {
    using Type = std::uint32_t;
};
template <class E>
requires(sizeof(E) == 8) struct KeyOf<E> {
    using Type = std::uint64_t;
};
template <class E>
using Key = typename KeyOf<E>::Type;

/// The minimum of integers, by keys that are ordered as unsigned numbers.
template <class E>
struct IntegerMinimum : ReadsInput {
    using Element = E;
    static constexpr bool has_components = false;
    using Accumulator = Key<E>;
    using Lane = Accumulator;

    std::uint64_t flip;

    CUPOOL_DEVICE Lane lane() const { return identity(); }
    CUPOOL_DEVICE Accumulator identity() const { return static_cast<Accumulator>(~Accumulator{0}); }
    CUPOOL_DEVICE static Accumulator combine(Accumulator left, Accumulator right) { return left < right ? left : right; }
    CUPOOL_DEVICE static Accumulator value(Lane lane) { return lane; }

    CUPOOL_DEVICE void take(Lane& lane, Vec4 words, std::uint32_t first) const {
#pragma unroll
        for (unsigned i = 0; i < vector_elements<E>; ++i) take_one(lane, i, element_of<E>(words, i), first + i);
    }
    CUPOOL_DEVICE void take_one(Lane& lane, unsigned /*component*/, E element, std::uint32_t /*index*/) const {
        lane = combine(lane, static_cast<E>(element ^ static_cast<E>(flip)));
    }
    CUPOOL_DEVICE void store(void* result, std::uint32_t bytes, Accumulator key, std::uint64_t /*count*/) const {
        constexpr std::uint64_t sign = std::uint64_t{1} << (8 * sizeof(E) - 1);
        // Of unsigned elements all bits are flipped, or none.
        const std::uint64_t extended = ((flip ^ flip << 1) & sign) != 0 ? sign : 0;
        const E element = static_cast<E>(static_cast<E>(key) ^ static_cast<E>(flip));
        store_integer<E>(result, bytes, (element ^ extended) - extended);
    }
};

/// The sum of floats in accumulators of type A, in the order of docs/reduce.md.
template <class E, class A>
struct FloatSum : ReadsInput {
    using Element = E;
    static constexpr bool has_components = true;
    using Accumulator = A;
    struct Lane {
        A components[vector_elements<E>];
    };

    std::uint64_t flip;  ///< of no use here

    CUPOOL_DEVICE static A identity() { return detail::Sum::identity<A>(); }
    CUPOOL_DEVICE static A combine(A left, A right) { return detail::Sum::combine(left, right); }

    CUPOOL_DEVICE static Lane lane() {
        Lane lane;
#pragma unroll
        for (unsigned i = 0; i < vector_elements<E>; ++i) lane.components[i] = identity();
        return lane;
    }
    CUPOOL_DEVICE static void take(Lane& lane, Vec4 words, std::uint32_t /*first*/) {
        if (__is_same(E, Float16) && has_infinity(words)) {
#pragma unroll
            for (unsigned i = 0; i < vector_elements<E>; ++i) take_one(lane, i, element_of<E>(words, i), 0);
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < vector_elements<E>; ++i) lane.components[i] = combine(lane.components[i], lane_number_of<A, E>(words, i));
    }
    CUPOOL_DEVICE static void take_one(Lane& lane, unsigned component, E element, std::uint32_t /*index*/) {
        lane.components[component] = combine(lane.components[component], lane_number<A>(element));
    }
    CUPOOL_DEVICE static A value(Lane lane) { return scaled_up<E>(fold_components<FloatSum, vector_elements<E>>(lane.components)); }
    CUPOOL_DEVICE static void store(void* result, std::uint32_t bytes, A sum, std::uint64_t count) {
        if (count == 0) sum = A{};  // the sum of nothing is +0
        if constexpr (sizeof(A) == 16) {
            store_float<E>(result, bytes, sum.high);
        } else {
            store_float<E>(result, bytes, sum);
        }
    }
};

/// The minimum of floats, or of their negatives where the sign bit is flipped. A NaN wins, -0 is below +0.
template <class E, class A>
struct FloatMinimum : ReadsInput {
    using Element = E;
    static constexpr bool has_components = false;
    using Accumulator = A;
    struct Lane {
        A least;  ///< of those that are no NaN
        bool has_nan;
    };

    std::uint64_t flip;

    CUPOOL_DEVICE Lane lane() const { return {identity(), false}; }
    CUPOOL_DEVICE A identity() const { return detail::Min::identity<A>(); }
    CUPOOL_DEVICE static A combine(A left, A right) { return detail::Min::combine(left, right); }

    CUPOOL_DEVICE void take(Lane& lane, Vec4 words, std::uint32_t first) const {
        if (__is_same(E, Float16) && has_infinity(words)) {
#pragma unroll
            for (unsigned i = 0; i < vector_elements<E>; ++i) take_one(lane, i, element_of<E>(words, i), first + i);
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < vector_elements<E>; ++i) {
            const A number = flipped(lane_number_of<A, E>(words, i));
            take_number(lane, number);
            if constexpr (!__is_same(E, Float16)) lane.has_nan |= number != number;
        }
    }
    CUPOOL_DEVICE void take_one(Lane& lane, unsigned /*component*/, E element, std::uint32_t /*index*/) const {
        const A number = flipped(lane_number<A>(element));
        take_number(lane, number);
        lane.has_nan |= number != number;
    }
    CUPOOL_DEVICE static A value(Lane lane) { return lane.has_nan ? nan() : scaled_up<E>(lane.least); }
    CUPOOL_DEVICE void store(void* result, std::uint32_t bytes, A least, std::uint64_t /*count*/) const {
        store_float<E>(result, bytes, flipped(least));
    }

private:
    /// The instruction orders -0 below +0 and ignores a NaN.
    CUPOOL_DEVICE static void take_number(Lane& lane, A number) {
        if constexpr (sizeof(A) == 4) {
            lane.least = __nvvm_fmin_f(lane.least, number);
        } else {
            lane.least = __nvvm_fmin_d(lane.least, number);
        }
    }
    CUPOOL_DEVICE static A nan() {
        if constexpr (sizeof(A) == 4) {
            return __builtin_nanf("");
        } else {
            return __builtin_nan("");
        }
    }
    CUPOOL_DEVICE A flipped(A value) const {
        if constexpr (sizeof(A) == 4) {
            return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, value) ^ static_cast<std::uint32_t>(flip));
        } else {
            return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, value) ^ flip);
        }
    }
};

/// A key and where it was found.
struct IndexedKey {
    std::uint64_t key;
    std::uint64_t index;
};

/// Where the minimum is, by keys that are ordered as unsigned numbers; the lowest index among equals.
///
/// A float's key is its bits, the sign bit inverted of those without it and all bits of those with it; `flip` inverts all bits for the
/// maximum. A NaN has the key 0, which no number has.
/// \tparam Infinity  bits of the float's infinity, above whose magnitude are NaNs; 0 for unsigned integers
template <class E, std::uint64_t Infinity>
struct IndexOfMinimum : ReadsInput {
    using Element = E;
    static constexpr bool has_components = false;
    using Accumulator = IndexedKey;
    struct Lane {
        Key<E> key;
        std::uint32_t index;
    };

    std::uint64_t flip;

    /// The largest key at the lane's first element: no other element with that key may replace it. A lane without elements has an index
    /// past all elements, which loses against each.
    CUPOOL_DEVICE Lane lane() const {
        constexpr E all = static_cast<E>(~E{0});
        return {all, thread_index() * vector_elements<E>};
    }
    CUPOOL_DEVICE static IndexedKey identity() { return {~std::uint64_t{0}, ~std::uint64_t{0}}; }
    CUPOOL_DEVICE static IndexedKey combine(IndexedKey left, IndexedKey right) {
        const bool is_right = right.key < left.key || (right.key == left.key && right.index < left.index);
        return is_right ? right : left;
    }

    CUPOOL_DEVICE void take(Lane& lane, Vec4 words, std::uint32_t first) const {
        if constexpr (is_16_bit_float) {
            if (!has_nan(words)) return take_numbers(lane, words, first);
        }
#pragma unroll
        for (unsigned i = 0; i < vector_elements<E>; ++i) take_one(lane, i, element_of<E>(words, i), first + i);
    }
    /// Elements come in the order of their indices.
    CUPOOL_DEVICE void take_one(Lane& lane, unsigned /*component*/, E element, std::uint32_t index) const {
        const Key<E> key = key_of(element);
        if (key < lane.key) {
            lane.key = key;
            lane.index = index;
        }
    }
    CUPOOL_DEVICE static IndexedKey value(Lane lane) { return {lane.key, lane.index}; }
    CUPOOL_DEVICE static void store(void* result, std::uint32_t /*bytes*/, IndexedKey found, std::uint64_t /*count*/) {
        static_cast<std::uint64_t*>(result)[0] = found.key;
        static_cast<std::uint64_t*>(result)[1] = found.index;
    }

private:
    static constexpr bool is_16_bit_float = sizeof(E) == 2 && Infinity != 0;

    /// Whether a word of two 16-bit floats has a NaN.
    CUPOOL_DEVICE static bool has_nan(Vec4 words) {
        constexpr auto beyond = static_cast<std::uint32_t>(0x7fff - Infinity) * 0x00010001u;
        std::uint32_t carries = 0;
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) carries |= (words[i] & 0x7fff7fffu) + beyond;
        return (carries & 0x80008000u) != 0;
    }
    /// take() of 16-bit floats without a NaN: the keys of a word are made beside each other, and each is compared together with its
    /// place in the vector, so that the minimum has both.
    CUPOOL_DEVICE void take_numbers(Lane& lane, Vec4 words, std::uint32_t first) const {
        std::uint32_t least = ~std::uint32_t{0};
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint32_t negative = (words[i] >> 15 & 0x00010001u) * 0xffffu;
            const std::uint32_t keys = words[i] ^ (negative | 0x80008000u) ^ static_cast<std::uint32_t>(flip) * 0x00010001u;
            const std::uint32_t low = keys << 16 | 2 * i;
            const std::uint32_t high = (keys & 0xffff0000u) | (2 * i + 1);
            least = low < least ? low : least;
            least = high < least ? high : least;
        }
        if (least >> 16 < lane.key) {
            lane.key = least >> 16;
            lane.index = first + (least & 0xffffu);
        }
    }

    /// Of whole words: 16-bit arithmetic is slow.
    CUPOOL_DEVICE Key<E> key_of(E element) const {
        constexpr Key<E> sign = Key<E>{1} << (8 * sizeof(E) - 1);
        constexpr Key<E> all = sign | (sign - 1);
        Key<E> key = element;
        if constexpr (Infinity != 0) {
            if ((key & (sign - 1)) > Infinity) return 0;
            key = (key & sign) != 0 ? ~key & all : key | sign;
        }
        return key ^ static_cast<Key<E>>(flip);
    }
};

/// The values of tiles as elements: what reduces them as one tile.
template <class Policy>
struct ValuesOf {
    using Element = typename Policy::Accumulator;
    static constexpr bool has_components = true;
    using Accumulator = Element;
    struct Lane {
        Accumulator components[vector_elements<Element>];
    };

    Policy policy;

    CUPOOL_DEVICE Lane lane() const {
        Lane lane;
#pragma unroll
        for (unsigned i = 0; i < vector_elements<Element>; ++i) lane.components[i] = policy.identity();
        return lane;
    }
    CUPOOL_DEVICE static Vec4 load(const void* address) { return *static_cast<const Vec4*>(address); }
    CUPOOL_DEVICE static void take(Lane& lane, Vec4 words, std::uint32_t /*first*/) {
#pragma unroll
        for (unsigned i = 0; i < vector_elements<Element>; ++i) take_one(lane, i, element_of<Element>(words, i), 0);
    }
    CUPOOL_DEVICE static void take_one(Lane& lane, unsigned component, Element value, std::uint32_t /*index*/) {
        lane.components[component] = Policy::combine(lane.components[component], value);
    }
    CUPOOL_DEVICE static Accumulator value(Lane lane) { return fold_components<Policy, vector_elements<Element>>(lane.components); }
};

}  // namespace cupool::device
