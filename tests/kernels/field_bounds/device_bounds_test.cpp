// The bounds of the device's field: of its formulas on every path, with ranges for elements, and of its own code on the largest values.
#include "device_bounds.hpp"

#include "curve/xyzz.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

#define CUPOOL_BASE_FIELDS "[kernels]", Bn254BaseField, Bls12381BaseField, Bls12377BaseField
#define CUPOOL_SCALAR_FIELDS "[kernels]", Bn254ScalarField, Bls12381ScalarField, Bls12377ScalarField
#define CUPOOL_FIELDS CUPOOL_BASE_FIELDS, Bn254ScalarField, Bls12381ScalarField, Bls12377ScalarField

namespace cupool::test {

/// Whether the paths of add_pairs() are walked through that lead to its inversion, or those that go on from there.
inline bool walks_before_inversion = false;

/// Stands in for the device's: the value is inverted by called products, which take and give elements below p. The second pass begins with
/// any such element, whatever the first one did, so that their paths need not be combined.
template <class Parameters>
void invert_over_block(DeviceRange<Parameters>& value, DeviceRange<Parameters>* /*shared*/) {
    require_bound(value.most < DeviceRange<Parameters>::p(), "a value that is not below p is inverted");
    value = DeviceBounds<Parameters, device::Product::inlined>();
    decisions().turn(!walks_before_inversion);
}
template <class Field>
void invert_over_block(QuadraticElement<Field>& value, QuadraticElement<Field>* /*shared*/) {
    value.c0.require_below(Field::p(), "a value that is not below p is inverted");
    value.c1.require_below(Field::p(), "a value that is not below p is inverted");
    value = {};
    decisions().turn(!walks_before_inversion);
}

}  // namespace cupool::test

namespace {

template <class Parameters>
using FastBounds = DeviceBounds<Parameters, device::Product::inlined>;
template <class Parameters>
using ExactBounds = DeviceBounds<Parameters, device::Product::called>;

template <class Field>
void require_elements(const Xyzz<Field>& point) {
    for (const Field* coordinate : {&point.x, &point.y, &point.zz, &point.zzz}) {
        coordinate->require_below(Field::bound(), "a coordinate of a sum is not below the bound");
        coordinate->reduced_once().require_below(Field::p(), "a stored coordinate is not below p");
    }
}

template <class Parameters, device::Product product>
DeviceBounds<Parameters, product> element_or_bound(const DeviceBounds<Parameters, product>& /*of_type*/) {
    return {0, DeviceBounds<Parameters, product>::bound()};
}
template <class Field>
QuadraticElement<Field> element_or_bound(const QuadraticElement<Field>& of_type) {
    return {element_or_bound(of_type.c0), element_or_bound(of_type.c1)};
}

/// What a round of pairs leaves for the next one.
template <class Parameters, device::Product product>
void require_stored(const DeviceBounds<Parameters, product>& coordinate) {
    coordinate.require_below(DeviceBounds<Parameters, product>::bound(), "a stored coordinate is not below the bound");
}
/// A plain zero for x, which no point of a twist has, would be stored as the modulus.
template <class Field>
void require_stored(const QuadraticElement<Field>& coordinate) {
    coordinate.c0.require_below(Field::p() + 1, "a stored coordinate is above the bound");
    require_stored(coordinate.c1);
}

/// Pairs of points as SlotPairs gives them; RowPairs gives the same but negates none.
template <class Field_>
struct AnyPairs {
    using Field = Field_;
    using Point = Affine<Field>;
    using PairIndex = int;
    using AskedX = device::TwoFields<Field>;

    static PairIndex index(std::uint32_t /*pair*/) { return 0; }
    static bool lacks_points(PairIndex /*index*/, const AskedX& /*x*/) { return decisions().next(); }
    static AskedX ask_x(PairIndex /*index*/) { return {}; }
    static AskedX x(const AskedX& asked) { return asked; }
    static Field signed_y() { return Field().negated_to_bound_if(decisions().next()); }
    static device::TwoPoints<Point> points(PairIndex /*index*/) {
        // Where y is negated 0 becomes the bound itself.
        const Field y = element_or_bound(Field());
        return {{Field(), y}, {Field(), y}};
    }
    static device::TwoPoints<Point> exact(PairIndex /*index*/, const device::TwoPoints<Point>& points) {
        return {{points.left.x, points.left.y.below_bound()}, {points.right.x, points.right.y.below_bound()}};
    }
    static Field left_y(PairIndex /*index*/, PairIndex /*next_index*/) { return signed_y().below_bound(); }
    static Field right_y(PairIndex /*index*/) { return signed_y().below_bound(); }
};

}  // namespace

TEMPLATE_TEST_CASE("bounds: device moduli leave room for four of them", CUPOOL_FIELDS) {
    CHECK(ExactBounds<TestType>::bound() == ExactBounds<TestType>::p());
    CHECK(ExactBounds<TestType>::p() * 2 < ExactBounds<TestType>::r());
}

TEMPLATE_TEST_CASE("bounds: device points in XYZZ coordinates", CUPOOL_BASE_FIELDS) {
    using Field = FastBounds<TestType>;
    CHECK(Field::bound() == Field::p() * 2);
    CHECK(Field::p() * 4 < Field::r());
    const auto paths = decisions().for_each_path([] {
        Xyzz<Field> sum;
        sum += Affine<Field>{Field(), Field().negated_if(decisions().next())};
        require_elements(sum);
    });
    CHECK(paths > 4);
    decisions().for_each_path([] {
        Xyzz<Field> sum;
        sum += Xyzz<Field>();
        require_elements(sum);
        require_elements(Xyzz<Field>().doubled());
    });
    decisions().for_each_path([] {
        Xyzz<ExactBounds<TestType>> sum;
        sum += Xyzz<ExactBounds<TestType>>();
        require_elements(sum.doubled());
    });
}

namespace {

/// One turn of add_pairs' loops, which begins with any elements, stands for all of them.
template <class Field, class Inverted>
void add_any_pairs() {
    for (const bool before : {true, false}) {
        walks_before_inversion = before;
        const auto paths = decisions().for_each_path([] {
            decisions().turn(walks_before_inversion);
            std::vector<Field> sums(4);
            std::vector<Field> prefixes(1);
            device::add_pairs<Inverted>(AnyPairs<Field>(), device::SumPlaces<Affine<Field>>::in_row(sums.data(), 2), prefixes.data(), 1,
                                        static_cast<Inverted*>(nullptr));
            for (const Field& sum : sums) require_stored(sum);
            require_stored(prefixes[0]);
        });
        CHECK(paths > 10);
    }
}

}  // namespace

TEMPLATE_TEST_CASE("bounds: device pairs of affine points", CUPOOL_BASE_FIELDS) {
    add_any_pairs<FastBounds<TestType>, DeviceRange<TestType>>();
}

TEMPLATE_TEST_CASE("bounds: device pairs of affine points of the twist", "[kernels]", Bn254BaseField, Bls12381BaseField) {
    using Field = QuadraticElement<ExactBounds<TestType>>;
    add_any_pairs<Field, Field>();
}

namespace {

template <class Field>
Field to_device(const BigInteger& value) {
    Field element;
    const auto words = value.limbs<Field::limb_count / 2>();
    for (int i = 0; i < Field::limb_count; ++i) {
        element.limbs[i] = static_cast<std::uint32_t>(words.limbs[static_cast<std::size_t>(i / 2)] >> (32 * (i % 2)));
    }
    return element;
}

template <class Field>
BigInteger from_device(const Field& element) {
    BigInteger value;
    for (int i = Field::limb_count; i-- > 0;) value = value * BigInteger::power_of_two(32) + element.limbs[i];
    return value;
}

/// 0 and others up to `most`: about the multiples of p, and of ones in all limbs but the highest.
template <class Parameters>
std::vector<BigInteger> corners(const BigInteger& most) {
    const BigInteger& p = DeviceRange<Parameters>::p();
    std::vector<BigInteger> result{most, BigInteger::power_of_two(p.bit_count() - 1) - 1,
                                   (p - 1) - BigInteger(p - 1) % BigInteger::power_of_two(64)};
    for (const BigInteger& multiple : {BigInteger(0), p, p * 2, p * 3, p * 4}) {
        result.push_back(multiple);
        result.push_back(multiple + 1);
        if (BigInteger(0) < multiple) result.push_back(multiple - 1);
    }
    std::erase_if(result, [&](const BigInteger& value) { return most < value; });
    return result;
}

/// The device's code and the ranges on the same operands: the value lies in the range and is right modulo p, where `scale` times it is
/// `expected`.
template <class Bounds, class Field>
void compare(const Field& element, const Bounds& range, const BigInteger& expected, const BigInteger& scale = 1) {
    const BigInteger value = from_device(element);
    if (range.contains(value) && value * scale % Bounds::p() == expected % Bounds::p()) return;
    FAIL("a result " << value << " is wrong or not from " << range.least << " to " << range.most);
}

template <class Parameters, device::Product product>
void compare_operations() {
    using Bounds = DeviceBounds<Parameters, product>;
    using Field = typename Bounds::Device;
    const bool takes_bound = product == device::Product::inlined;  // products and differences do
    const BigInteger most = Bounds::bound() - (takes_bound ? 0 : 1);
    const BigInteger max_factor = Bounds::rough_difference({0, most}, {0, most}).most;
    const BigInteger r = Bounds::r();
    const BigInteger minus_one = Bounds::p() - 1;
    for (const BigInteger& x : corners<Parameters>(most)) {
        const Bounds x_range(x, x);
        const Field a = to_device<Field>(x);
        compare(a.square(), x_range.square(), x * x, r);
        compare(a.negated_to_bound_if(true), x_range.negated_to_bound_if(true), x * minus_one);
        compare(a.reduced_once(), x_range.reduced_once(), x);
        if (x < Bounds::bound()) compare(a.negated(), x_range.negated(), x * minus_one);
        for (const BigInteger& y : corners<Parameters>(most)) {
            const Bounds y_range(y, y);
            const Field b = to_device<Field>(y);
            if (x + y < Bounds::bound() * 2) compare(a + b, x_range + y_range, x + y);
            compare(a - b, x_range - y_range, x + y * minus_one);
            compare(Field::rough_difference(a, b), Bounds::rough_difference(x_range, y_range), x + y * minus_one);
            if (x < Bounds::bound() && y < Bounds::bound() && x % Bounds::p() == y % Bounds::p()) {
                CHECK(Field::rough_difference(a, b).may_be_rough_zero());
            }
        }
        for (const BigInteger& y : corners<Parameters>(max_factor)) {
            compare(a * to_device<Field>(y), x_range * Bounds(y, y), x * y, r);
            compare(to_device<Field>(y) * a, Bounds(y, y) * x_range, x * y, r);
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("bounds: the device's called arithmetic keeps them", CUPOOL_FIELDS) {
    compare_operations<TestType, device::Product::called>();
    SUCCEED();
}

TEMPLATE_TEST_CASE("bounds: the device's inlined arithmetic keeps them", CUPOOL_BASE_FIELDS) {
    compare_operations<TestType, device::Product::inlined>();
    SUCCEED();
}

namespace {

/// What transforms compute, on elements about the bounds.
template <class Parameters>
void compare_transforms() {
    using Bounds = DeviceBounds<Parameters, device::inlined_product_of<Parameters>>;
    using Field = typename Bounds::Device;
    const BigInteger r = Bounds::r();
    const BigInteger& p = Bounds::p();
    const Bounds element;
    const Bounds root(0, p - 1);
    const Bounds difference(1, Bounds::bound() * 2 - 1);
    (root * difference).require_below(Bounds::bound(), "a butterfly leaves an element above the bound");
    for (const BigInteger& x : corners<Parameters>(Bounds::bound() - 1)) {
        for (const BigInteger& y : corners<Parameters>(Bounds::bound() - 1)) {
            compare(device::unreduced_difference(to_device<Field>(x), to_device<Field>(y)), difference, x + y * (p - 1));
            for (const BigInteger& factor : {BigInteger(0), BigInteger(1), BigInteger(p - 1)}) {
                Field left = to_device<Field>(x);
                Field right = to_device<Field>(y);
                device::butterfly(left, right, to_device<Field>(factor));
                compare(left, element, x + y);
                compare(right, element, (x + y * (p - 1)) * factor, r);
            }
        }
        for (const unsigned log : {1u, 10u, 28u, 30u}) {
            const BigInteger divisor = BigInteger::power_of_two(log);
            compare(device::divided_by_power_of_two<Parameters>(to_device<Field>(x), log), element, x, divisor);
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("bounds: the device's transforms", CUPOOL_SCALAR_FIELDS) {
    compare_operations<TestType, device::inlined_product_of<TestType>>();
    compare_transforms<TestType>();
    SUCCEED();
}

namespace {

/// A sum of as many products as have one reduction. Before a row it is below the sum of the left factors plus p, as that of one product is;
/// so what exceeds the limbs is less than one for each term, and is added to a product of highest limbs that has the highest bit free.
template <class Parameters, int terms>
void compare_dot_products() {
    using Bounds = DeviceBounds<Parameters, device::inlined_product_of<Parameters>>;
    using Field = typename Bounds::Device;
    const BigInteger& r = Bounds::r();
    const BigInteger& p = Bounds::p();
    const BigInteger most_left = Bounds::bound() - 1;
    const BigInteger most_right = p - 1;
    CHECK(most_left * 2 < r);
    CHECK(most_left * terms + p < r * (terms + 1));
    CHECK(most_left * most_right * terms + (r - 1) * p < Bounds::bound() * 4 * r);  // of which twice the bound is subtracted, and the bound
    CHECK(!(r < Bounds::bound() * 2));
    for (const BigInteger& x : corners<Parameters>(most_left)) {
        for (const BigInteger& y : corners<Parameters>(most_right)) {
            for (int others = 0; others <= terms; others += terms - 1) {
                Field left[terms];
                Field right[terms];
                BigInteger sum = 0;
                for (int i = 0; i < terms; ++i) {
                    const bool is_other = i < others;
                    left[i] = to_device<Field>(is_other ? most_left : x);
                    right[i] = to_device<Field>(is_other ? most_right : y);
                    sum = sum + (is_other ? most_left * most_right : x * y);
                }
                compare(device::DotProduct<Field, terms>::of(left, right), Bounds(), sum, r);
            }
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("bounds: the device's sums of products with one reduction", "[kernels]", Bn254ScalarField, Bls12381ScalarField) {
    compare_dot_products<TestType, 2>();
    compare_dot_products<TestType, 3>();
    compare_dot_products<TestType, 4>();
    compare_dot_products<TestType, 5>();
}

/// c0 = a0 b0 - a1 b1, plus R p where that is below zero, and c1 = (a0 + a1) (b0 + b1) - a0 b0 - a1 b1 = a0 b1 + a1 b0.
TEMPLATE_TEST_CASE("bounds: device products in the quadratic extension", "[kernels]", Bn254BaseField, Bls12381BaseField) {
    using Field = device::DeviceField<TestType>;
    using Bounds = ExactBounds<TestType>;
    const BigInteger p = Bounds::p();
    const BigInteger r = Bounds::r();
    const BigInteger most = p - 1;
    CHECK(most * 2 < r);                     // a sum of two coordinates has the limbs of one
    CHECK(most * most * 2 < r * p);          // both products are below R p, which a reduction takes
    CHECK(r * p * 2 < r * r);                // and twice that has the limbs that there are
    CHECK(r * p + (r - 1) * p < r * p * 2);  // a reduction leaves less than 2 p
    const auto values = corners<TestType>(most);
    for (const BigInteger& a0 : values) {
        for (const BigInteger& a1 : values) {
            const BigInteger& b0 = values[(&a1 - values.data() + 1) % values.size()];
            for (const BigInteger& b1 : values) {
                const QuadraticElement<Field> left{to_device<Field>(a0), to_device<Field>(a1)};
                const QuadraticElement<Field> right{to_device<Field>(b0), to_device<Field>(b1)};
                const auto product = left * right;
                compare(product.c0, Bounds(0, most), a0 * b0 + (p - a1) * b1, r);
                compare(product.c1, Bounds(0, most), a0 * b1 + a1 * b0, r);
            }
        }
    }
}

/// Numbers in signed limbs of 30 bits; of a matrix's row (u, v) it is known that |u| + |v| is at most 2^30.
TEMPLATE_TEST_CASE("bounds: device inversion", CUPOOL_FIELDS) {
    using Bounds = ExactBounds<TestType>;
    constexpr std::size_t bits = 30;
    const BigInteger p = Bounds::p();
    const BigInteger row = BigInteger::power_of_two(bits);
    const BigInteger limb = row - 1;
    // d and e lie between -2 p and p. With p added to those below zero both are within p, so |u d + v e| is at most 2^30 p, and at most
    // 2^30 - 1 times p is subtracted. -2 p times 2^30 is not passed, and neither is p times 2^30.
    CHECK(!(row * p * 2 < row * p + limb * p));
    // The highest limb has room for the sign of 2 p.
    const std::size_t limbs = (64 * TestType::limbs + bits - 1) / bits;
    CHECK(!(BigInteger::power_of_two(bits * limbs - 1) < p * 2));
    // The multiple of p fits 32 bits with its sign, and an accumulator 64: a carry, the row's two products, and that of the multiple.
    const BigInteger multiple = row + limb;
    CHECK(multiple < BigInteger::power_of_two(31));
    const BigInteger carry = BigInteger::power_of_two(33);
    const BigInteger accumulator = carry + row * limb + multiple * limb;
    CHECK(accumulator < BigInteger::power_of_two(63));
    CHECK(!(carry * row < accumulator));                 // so the next carry is no larger
    CHECK(limb * 2 + 1 < BigInteger::power_of_two(31));  // adjusted(): a limb, one of p, and a carry
    for (const BigInteger& value : corners<TestType>(p - 1)) {
        if (value == BigInteger(0)) continue;
        const auto element = to_device<typename Bounds::Device>(value);
        const BigInteger inverse = from_device(device::inverse_of(element));
        CHECK(inverse < p);
        CHECK(value * inverse % p == Bounds::r() * Bounds::r() % p);
    }
}
