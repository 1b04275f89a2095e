#include "reduce/host_reduce.hpp"

#include <random>

#include "catch.hpp"
#include "reduce_reference.hpp"

using namespace cupool;
using namespace cupool::test;
using detail::HostReduceOptions;
using detail::VectorUnit;

namespace {

template <class T>
constexpr bool is_integer = std::is_integral_v<T>;

/// The plain code, and every vector unit that this processor has.
std::vector<VectorUnit> vector_units() {
    std::vector<VectorUnit> units{VectorUnit::none};
    const VectorUnit best = detail::host_vector_unit();
    if (best != VectorUnit::none) units.push_back(VectorUnit::avx2);
    if (best == VectorUnit::avx512) units.push_back(VectorUnit::avx512);
    return units;
}

std::string name(VectorUnit unit) { return unit == VectorUnit::none ? "no vector unit" : unit == VectorUnit::avx2 ? "AVX2" : "AVX-512"; }

/// Integers of every value; floats of unlike magnitudes and both signs, whose sums depend on their order, and some zeros and subnormals.
template <class T>
T random_element(std::mt19937_64& random) {
    const std::uint64_t bits = random();
    if constexpr (is_integer<T>) {
        return static_cast<T>(bits);
    } else {
        const float sign = (bits & 1) != 0 ? 1.0F : -1.0F;
        const unsigned kind = static_cast<unsigned>(bits >> 1 & 63);
        const auto fraction = static_cast<double>(bits >> 20);
        const int exponent = static_cast<int>(bits >> 7 & 15);
        if constexpr (sizeof(T) == 2) {
            if (kind == 0) return T::from_bits(static_cast<std::uint16_t>((bits & 0x8000) | (bits >> 20 & 7)));  // zero or subnormal
            return plain_narrow<T>(sign * static_cast<float>(std::ldexp(fraction, exponent - 52)));
        } else {
            if (kind == 0) return static_cast<T>(sign) * static_cast<T>(bits >> 20 & 3) * std::numeric_limits<T>::denorm_min();
            return static_cast<T>(sign) * static_cast<T>(std::ldexp(fraction, 3 * exponent - 60));
        }
    }
}

template <class T>
std::vector<T> random_elements(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<T> elements(count);
    for (T& element : elements) element = random_element<T>(random);
    return elements;
}

std::vector<ReduceOperation> operations(bool with_product) {
    if (with_product) return {ReduceOperation::sum, ReduceOperation::product, ReduceOperation::min, ReduceOperation::max};
    return {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max};
}

template <class T, class R, bool Compensated>
void check_one(std::span<const T> elements, ReduceOperation operation, unsigned threads) {
    const R expected = plain_reduce<T, R, Compensated>(elements, operation);
    for (const VectorUnit unit : vector_units()) {
        const R result = detail::reduce_on_host<T, R>(elements, operation, Compensated, HostReduceOptions{threads, unit});
        if (!same_bits(result, expected)) {
            FAIL_CHECK(operation << (Compensated ? ", compensated," : "") << " of " << elements.size() << " elements into " << sizeof(R)
                                 << " bytes by " << threads << " threads and " << name(unit) << " is " << shown(result) << ", should be "
                                 << shown(expected));
        }
    }
}

template <class T>
void check_arg(std::span<const T> elements, unsigned threads) {
    for (const ArgOperation operation : {ArgOperation::min, ArgOperation::max}) {
        const IndexedValue<T> expected = plain_arg_reduce(elements, operation);
        for (const VectorUnit unit : vector_units()) {
            const auto result = detail::arg_reduce_on_host<T>(elements, operation, HostReduceOptions{threads, unit});
            if (result.index != expected.index || !same_bits(result.value, expected.value)) {
                FAIL_CHECK(operation << " of " << elements.size() << " elements by " << threads << " threads and " << name(unit) << " is "
                                     << shown(result.value) << " at " << result.index << ", should be " << shown(expected.value) << " at "
                                     << expected.index);
            }
        }
    }
}

/// Every operation and result type.
template <class T>
void check(std::span<const T> elements, unsigned threads = 2) {
    for (const ReduceOperation operation : operations(is_integer<T>)) {
        check_one<T, T, false>(elements, operation, threads);
        if constexpr (!std::is_same_v<T, Wide<T>>) check_one<T, Wide<T>, false>(elements, operation, threads);
    }
    if constexpr (std::is_floating_point_v<T>) check_one<T, T, true>(elements, ReduceOperation::sum, threads);
    check_arg(elements, threads);
}

/// What numeric_limits would say, for the 16-bit floats too.
template <class T>
T special(double value) {
    if constexpr (!std::is_arithmetic_v<T>) {
        return plain_narrow<T>(static_cast<float>(value));
    } else {
        return static_cast<T>(value);
    }
}

}  // namespace

#define CUPOOL_INTEGER_TYPES \
    std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t
#define CUPOOL_FLOAT_TYPES Float16, BFloat16, float, double
#define CUPOOL_ELEMENT_TYPES CUPOOL_INTEGER_TYPES, CUPOOL_FLOAT_TYPES

TEMPLATE_TEST_CASE("host reductions of up to 10000 elements follow the order to the bit", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    const auto elements = random_elements<TestType>(10000);
    const auto check_length = [&](std::size_t length) { check<TestType>(std::span(elements).first(length)); };
    for (std::size_t length = 1; length <= 140; ++length) check_length(length);
    for (std::size_t length = 141; length < 10000; length += 331) check_length(length);
    const std::size_t vector = 16 / sizeof(TestType);
    // Borders of folds over lanes, of rows and of tiles.
    for (std::size_t border = 16 * vector; border < 10000; border *= 2) {
        for (const std::size_t length : {border - vector, border - 1, border, border + 1, border + vector}) check_length(length);
    }
    for (std::size_t border = 256 * vector; border < 10000; border += 256 * vector) {
        for (const std::size_t length : {border - 1, border, border + 1}) check_length(length);
    }
    check_length(10000);
}

TEMPLATE_TEST_CASE("host reductions of many elements, on any number of threads", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    std::mt19937_64 random(sizeof(TestType));
    const auto elements = random_elements<TestType>(3'000'000);
    for (const unsigned threads : {1, 2, 3, 7}) check<TestType>(std::span(elements).first(200'000 + random() % 2'000'000), threads);
}

TEST_CASE("host reductions of so many elements that tiles have more rows", "[kernels]") {
    std::vector<float> elements((std::size_t{4} << 24) + 12345);  // 2^14 tiles of 4 rows of 1024, and some
    std::uint32_t state = 1;
    for (float& element : elements) {
        state = state * 1664525 + 1013904223;
        element = std::ldexp(static_cast<float>(static_cast<std::int32_t>(state)), static_cast<int>(state >> 27) - 40);
    }
    check_one<float, float, false>(elements, ReduceOperation::sum, 2);
}

TEMPLATE_TEST_CASE("host reductions begin at any element", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    const auto elements = random_elements<TestType>(9000);
    std::vector<TestType> moved(elements.size() + 64);
    for (std::size_t offset = 0; offset < 64 / sizeof(TestType) + 1; ++offset) {
        std::copy(elements.begin(), elements.end(), moved.begin() + static_cast<std::ptrdiff_t>(offset));
        check<TestType>(std::span<const TestType>(moved).subspan(offset, elements.size()));
    }
}

TEMPLATE_TEST_CASE("NaN wins on the host, zeros have signs, subnormals are kept", "[kernels]", CUPOOL_FLOAT_TYPES) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double tiny = sizeof(TestType) == 2   ? (std::is_same_v<TestType, Float16> ? 0x1p-24 : 0x1p-133)
                        : sizeof(TestType) == 4 ? 0x1p-149
                                                : 0x1p-1074;
    const double largest = sizeof(TestType) == 2   ? (std::is_same_v<TestType, Float16> ? 65504 : 0x1.fep127)
                           : sizeof(TestType) == 4 ? 0x1.fffffep127
                                                   : 0x1.fffffffffffffp1023;
    const std::vector<std::vector<double>> cases = {{nan},
                                                    {-nan},
                                                    {1, nan},
                                                    {nan, 1},
                                                    {nan, infinity},
                                                    {infinity, -infinity},
                                                    {-0.0},
                                                    {-0.0, -0.0},
                                                    {0.0, -0.0},
                                                    {-0.0, 0.0},
                                                    {tiny, tiny, -0.0},
                                                    {largest, largest},
                                                    {largest, largest, -largest},
                                                    {-largest, -largest},
                                                    {-infinity, 1},
                                                    {infinity, 1, infinity},
                                                    {tiny, -tiny, -tiny},
                                                    {1, 1, 1},
                                                    {2, 1, 1, 2, 1},
                                                    {nan, 3, nan, 3}};
    for (const auto& numbers : cases) {
        std::vector<TestType> elements;
        for (const double number : numbers) elements.push_back(special<TestType>(number));
        check<TestType>(elements);
        for (const std::size_t length : {300, 5000, 9000}) {
            for (const std::size_t place : {std::size_t{0}, length / 3, length - elements.size()}) {
                auto amid = random_elements<TestType>(length);
                std::copy(elements.begin(), elements.end(), amid.begin() + static_cast<std::ptrdiff_t>(place));
                check<TestType>(amid);
                std::fill(amid.begin(), amid.end(), special<TestType>(numbers.back()));
                std::copy(elements.begin(), elements.end(), amid.begin() + static_cast<std::ptrdiff_t>(place));
                check<TestType>(amid);
            }
        }
    }
}

TEMPLATE_TEST_CASE("the host's argmin and argmax give the lowest index of many equals", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    const TestType one = special<TestType>(1);
    const TestType two = special<TestType>(2);
    std::vector<TestType> elements(700'000, one);
    check_arg<TestType>(elements, 3);
    for (const std::size_t place : {std::size_t{699'999}, std::size_t{500'000}, std::size_t{70'000}, std::size_t{1}}) {
        elements[place] = two;
        check_arg<TestType>(elements, 3);
    }
    // Every next element is better, so that every tile has a new extreme.
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = special<TestType>(static_cast<double>(i * 100 / elements.size()));
    check_arg<TestType>(elements, 2);
    std::reverse(elements.begin(), elements.end());
    check_arg<TestType>(elements, 2);
}

TEST_CASE("a compensated sum on the host keeps what cancels", "[kernels]") {
    const std::vector<double> doubles{1e100, 1, -1e100, 1e-20};
    const std::vector<float> floats{1e30F, 1, -1e30F};
    CHECK(detail::reduce_on_host<double, double>(doubles, ReduceOperation::sum, false, {}) == 0);
    CHECK(detail::reduce_on_host<double, double>(doubles, ReduceOperation::sum, true, {}) == 1);
    CHECK(detail::reduce_on_host<float, float>(std::vector<float>(100'000, 0.1F), ReduceOperation::sum, true, {}) ==
          static_cast<float>(100'000 * static_cast<double>(0.1F)));
    CHECK(detail::reduce_on_host<float, double>(std::vector<float>{16777216, 1}, ReduceOperation::sum, false, {}) == 16777217);
}

namespace {

template <class T, class R>
void check_segments(std::span<const T> input, const Segments& segments, std::span<const std::uint64_t> offsets, unsigned threads) {
    for (const ReduceOperation operation : operations(is_integer<T>)) {
        const bool is_extreme = operation == ReduceOperation::min || operation == ReduceOperation::max;
        if (is_extreme && std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end()) continue;
        for (const VectorUnit unit : vector_units()) {
            std::vector<R> results(segments.count());
            detail::reduce_segments_on_host<T, R>(input, segments, operation, false, HostReduceOptions{threads, unit}, results);
            for (std::size_t i = 0; i < results.size(); ++i) {
                const auto elements = input.subspan(offsets[i], offsets[i + 1] - offsets[i]);
                R expected = static_cast<R>(operation == ReduceOperation::product ? 1.0F : 0.0F);
                if (!elements.empty()) expected = plain_reduce<T, R>(elements, operation);
                if (same_bits(results[i], expected)) continue;
                FAIL_CHECK(operation << " of segment " << i << ", of " << elements.size() << " elements, by " << name(unit) << " is "
                                     << shown(results[i]) << ", should be " << shown(expected));
            }
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("each segment on the host is reduced as by itself", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    const auto elements = random_elements<TestType>(300'000);
    const std::span<const TestType> input(elements);
    for (const std::size_t length : {1, 3, 16, 100, 1000, 5000, 100'000}) {
        const std::size_t count = std::min<std::size_t>(200, elements.size() / length);
        std::vector<std::uint64_t> offsets;
        for (std::size_t i = 0; i <= count; ++i) offsets.push_back(i * length);
        check_segments<TestType, TestType>(input.first(count * length), Segments::equal(count, length), offsets, 2);
        check_segments<TestType, Wide<TestType>>(input, Segments::offsets(std::span<const std::uint64_t>(offsets)), offsets, 2);
    }
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> offsets{3};  // what is before the first and after the last is left out
    while (offsets.back() < 250'000) offsets.push_back(offsets.back() + (random() % 3 == 0 ? 0 : random() % 2000));
    check_segments<TestType, TestType>(input, Segments::offsets(std::span<const std::uint64_t>(offsets)), offsets, 3);
    check_segments<TestType, TestType>(input, Segments::equal(0, 5), {}, 3);
}

TEST_CASE("a segment on the host that is much longer than the others is divided over the threads", "[kernels]") {
    const auto elements = random_elements<float>(5'000'000);
    const std::vector<std::uint64_t> offsets{0, 10, 4'900'010, 4'900'010, 5'000'000};
    check_segments<float, float>(elements, Segments::offsets(std::span<const std::uint64_t>(offsets)), offsets, 3);
}

namespace {

template <class T, class R, bool Compensated = false>
void check_middle(std::span<const T> input, const MiddleShape& shape, ReduceOperation operation) {
    std::vector<R> expected;
    for (std::size_t outer = 0; outer < shape.outer; ++outer) {
        for (std::size_t inner = 0; inner < shape.inner; ++inner) {
            std::vector<T> column;
            for (std::size_t m = 0; m < shape.middle; ++m) column.push_back(input[(outer * shape.middle + m) * shape.inner + inner]);
            expected.push_back(plain_reduce_column<T, R, Compensated>(column, operation));
        }
    }
    for (const VectorUnit unit : vector_units()) {
        std::vector<R> results(shape.outer * shape.inner);
        detail::reduce_middle_on_host<T, R>(input, shape, operation, Compensated, HostReduceOptions{3, unit}, results);
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (same_bits(results[i], expected[i])) continue;
            FAIL_CHECK(operation << " over the middle of " << shape.outer << " x " << shape.middle << " x " << shape.inner << " by "
                                 << name(unit) << ": result " << i << " is " << shown(results[i]) << ", should be " << shown(expected[i]));
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("host reductions over the middle dimension follow its order", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    const auto elements = random_elements<TestType>(300'000);
    const std::vector<MiddleShape> shapes = {{1, 1, 1},      {3, 1, 5},      {1, 7, 300},     {2, 8, 256},    {5, 9, 17},
                                             {1, 64, 64},    {2, 65, 33},    {1, 129, 3},     {1, 1000, 257}, {40, 100, 40},
                                             {1, 70'000, 1}, {1, 65'536, 3}, {2, 140'000, 1}, {0, 5, 5},      {5, 5, 0}};
    for (const MiddleShape& shape : shapes) {
        const auto input = std::span<const TestType>(elements).first(shape.outer * shape.middle * shape.inner);
        for (const ReduceOperation operation : operations(is_integer<TestType>)) {
            check_middle<TestType, TestType>(input, shape, operation);
            if constexpr (!std::is_same_v<TestType, Wide<TestType>>) check_middle<TestType, Wide<TestType>>(input, shape, operation);
        }
        if constexpr (std::is_floating_point_v<TestType>) check_middle<TestType, TestType, true>(input, shape, ReduceOperation::sum);
    }
    std::vector<TestType> results(3, special<TestType>(7));
    detail::reduce_middle_on_host<TestType, TestType>({}, {1, 0, 3}, ReduceOperation::sum, false, {}, results);
    for (const TestType result : results) CHECK(result == special<TestType>(0));
}
