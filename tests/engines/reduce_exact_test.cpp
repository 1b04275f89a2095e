// Reductions of every type and operation, held bit for bit against plain loops that have nothing in common with the library's.

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>

#include "catch.hpp"
#include "engines.hpp"
#include "kernels/reduce_reference.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

#define CUPOOL_REDUCE_PAIRS                                                                                                            \
    (std::pair<std::int8_t, std::int8_t>), (std::pair<std::int8_t, std::int64_t>), (std::pair<std::uint8_t, std::uint8_t>),            \
        (std::pair<std::uint8_t, std::uint64_t>), (std::pair<std::int16_t, std::int16_t>), (std::pair<std::int16_t, std::int64_t>),    \
        (std::pair<std::uint16_t, std::uint16_t>), (std::pair<std::uint16_t, std::uint64_t>), (std::pair<std::int32_t, std::int32_t>), \
        (std::pair<std::int32_t, std::int64_t>), (std::pair<std::uint32_t, std::uint32_t>), (std::pair<std::uint32_t, std::uint64_t>), \
        (std::pair<std::int64_t, std::int64_t>), (std::pair<std::uint64_t, std::uint64_t>), (std::pair<Float16, Float16>),             \
        (std::pair<Float16, float>), (std::pair<BFloat16, BFloat16>), (std::pair<BFloat16, float>), (std::pair<float, float>),         \
        (std::pair<float, double>), (std::pair<double, double>)

#define CUPOOL_REDUCE_TYPES                                                                                                              \
    std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, Float16, BFloat16, \
        float, double

template <class T>
constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// Numbers of both signs and many magnitudes, whose float sums depend on the order.
template <class T>
std::vector<T> mixed_values(std::size_t count) {
    std::mt19937_64 bits(count + 17);
    std::vector<T> values(count);
    for (T& value : values) {
        const std::uint64_t random = bits();
        if constexpr (is_float<T>) {
            const float magnitude = std::ldexp(1.0F + static_cast<float>(random % 1024) / 1024, static_cast<int>(random >> 10 & 15) - 12);
            value = T((random >> 63) != 0 ? -magnitude : magnitude);
        } else {
            value = static_cast<T>(random | 1);  // a product of odd numbers never becomes 0
        }
    }
    return values;
}

template <class T, class R>
R expected_of(std::span<const T> values, ReduceOperation operation, bool compensated) {
    return compensated ? plain_reduce<T, R, true>(values, operation) : plain_reduce<T, R>(values, operation);
}

template <class T, class R>
void check_reduce(const Operand<T>& operand, std::span<const T> values, ReduceOperation operation, const ReduceConfig& config) {
    R result{};
    reduce<T, R>(operand, operation, config, result);
    const R expected = expected_of<T, R>(values, operation, config.compensated);
    if (!same_bits(result, expected)) {
        FAIL_CHECK(operation << " of " << values.size() << " elements (compensated: " << config.compensated << ") is " << shown(result)
                             << ", should be " << shown(expected));
    }
}

template <class T>
std::vector<ReduceOperation> operations_of() {
    if (is_float<T>) return {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max};
    return {ReduceOperation::sum, ReduceOperation::product, ReduceOperation::min, ReduceOperation::max};
}

/// Lengths around the borders of vectors, rows and tiles.
template <class T>
std::vector<std::size_t> interesting_lengths() {
    const std::size_t vector = 16 / sizeof(T);
    const std::size_t row = 256 * vector;
    const std::size_t tile = 4 * row;
    return {1,
            2,
            vector + 1,
            33 * vector - 1,
            row - 1,
            row,
            row + 3,
            2 * row,
            tile - vector,
            tile,
            tile + 1,
            2 * tile - 1,
            2 * tile + vector,
            5 * tile + 3 * row + 7};
}

template <class T>
void check_arg_reduce(const Operand<T>& operand, std::span<const T> values, const ReduceConfig& config) {
    for (const ArgOperation operation : {ArgOperation::min, ArgOperation::max}) {
        IndexedValue<T> found;
        arg_reduce<T>(operand, operation, config, found);
        const IndexedValue<T> expected = plain_arg_reduce<T>(values, operation);
        if (found.index != expected.index || !same_bits(found.value, expected.value)) {
            FAIL_CHECK(operation << " of " << values.size() << " elements is " << shown(found.value) << " at " << found.index
                                 << ", should be " << shown(expected.value) << " at " << expected.index);
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("every type, operation and result type is exact at the borders of vectors, rows and tiles", "[reduce][exact]",
                   CUPOOL_REDUCE_PAIRS) {
    using T = typename TestType::first_type;
    using R = typename TestType::second_type;
    const DeviceContext context = engine_contexts().back();
    for (const std::size_t length : interesting_lengths<T>()) {
        const std::vector<T> values = mixed_values<T>(length);
        for (const ReduceOperation operation : operations_of<T>()) {
            check_reduce<T, R>(std::span<const T>(values), values, operation, {.ctx = context});
            const bool has_compensated_sum = std::is_floating_point_v<T> && std::is_same_v<T, R> && operation == ReduceOperation::sum;
            if (has_compensated_sum)
                check_reduce<T, R>(std::span<const T>(values), values, operation, {.ctx = context, .compensated = true});
        }
    }
}

TEMPLATE_TEST_CASE("an operand on a device may begin at any element, with the same bits", "[reduce][exact]", CUPOOL_REDUCE_TYPES) {
    using T = TestType;
    const DeviceContext context = engine_contexts().back();
    if (context.is_host()) return;
    const std::size_t row = 4096 / sizeof(T);
    const std::vector<T> values = mixed_values<T>(5 * row + 11);
    DeviceBuffer<T> there(values.size(), context);
    copy(there.span(), std::span<const T>(values), context.stream());
    for (std::size_t offset = 0; offset < 16 / sizeof(T); ++offset) {
        const std::size_t count = 5 * row + 11 - offset - offset % 3;
        const auto part = std::span<const T>(values).subspan(offset, count);
        for (const ReduceOperation operation : operations_of<T>())
            check_reduce<T, T>(there.span().subspan(offset, count), part, operation, {.ctx = context});
        check_arg_reduce<T>(there.span().subspan(offset, count), part, {.ctx = context});
    }
}

TEMPLATE_TEST_CASE("argmin and argmax find the lowest index among equals", "[reduce][exact]", CUPOOL_REDUCE_TYPES) {
    using T = TestType;
    const DeviceContext context = engine_contexts().back();
    for (const std::size_t length : interesting_lengths<T>()) {
        const std::vector<T> values = mixed_values<T>(length);
        check_arg_reduce<T>(std::span<const T>(values), values, {.ctx = context});
        const std::vector<T> equal(length, values[0]);
        check_arg_reduce<T>(std::span<const T>(equal), equal, {.ctx = context});
    }
}

TEMPLATE_TEST_CASE("NaN wins and -0 is below +0, wherever they are", "[reduce][exact]", Float16, BFloat16, float, double) {
    using T = TestType;
    const DeviceContext context = engine_contexts().back();
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::vector<T>> cases = {{T(nan)},
                                         {T(-nan), T(1.0F)},
                                         {T(1.0F), T(nan), T(2.0F)},
                                         {T(nan), T(infinity)},
                                         {T(infinity), T(-infinity)},
                                         {T(infinity), T(1.0F)},
                                         {T(0.0F), T(-0.0F)},
                                         {T(-0.0F), T(0.0F)},
                                         {T(-0.0F)},
                                         {T(-0.0F), T(-0.0F)}};
    const std::size_t tile = 16384 / sizeof(T);
    for (const float special : {nan, -nan, infinity, -infinity}) {
        for (const std::size_t place : {std::size_t{0}, tile - 1, tile + 5, 3 * tile}) {
            std::vector<T> values = mixed_values<T>(3 * tile + 1);
            values[place] = T(special);
            cases.push_back(values);
        }
    }
    std::vector<T> zeros(2 * tile + 100, T(-0.0F));
    cases.push_back(zeros);
    zeros[tile + 7] = T(0.0F);
    cases.push_back(zeros);
    for (const std::vector<T>& values : cases) {
        for (const ReduceOperation operation : operations_of<T>()) {
            check_reduce<T, T>(std::span<const T>(values), values, operation, {.ctx = context});
            check_reduce<T, Wide<T>>(std::span<const T>(values), values, operation, {.ctx = context});
            if (std::is_floating_point_v<T> && operation == ReduceOperation::sum)
                check_reduce<T, T>(std::span<const T>(values), values, operation, {.ctx = context, .compensated = true});
        }
        check_arg_reduce<T>(std::span<const T>(values), values, {.ctx = context});
    }
}

TEST_CASE("subnormal and all finite 16-bit floats keep their values", "[reduce][exact]") {
    const DeviceContext context = engine_contexts().back();
    std::vector<Float16> halves;
    for (std::uint32_t bits = 0; bits < 0x10000; bits += is_simulated() ? 97 : 1) {
        if ((bits & 0x7c00) != 0x7c00) halves.push_back(Float16::from_bits(static_cast<std::uint16_t>(bits)));
    }
    for (const Float16 half : {halves[1], halves[halves.size() / 3], halves.back()}) {
        const std::vector<Float16> alone{half};
        check_reduce<Float16, float>(std::span<const Float16>(alone), alone, ReduceOperation::sum, {.ctx = context});
        check_reduce<Float16, Float16>(std::span<const Float16>(alone), alone, ReduceOperation::max, {.ctx = context});
    }
    for (const ReduceOperation operation : operations_of<Float16>())
        check_reduce<Float16, float>(std::span<const Float16>(halves), halves, operation, {.ctx = context});
}

namespace {

template <class T, class R>
void check_segments(const Operand<T>& operand, std::span<const T> values, const std::vector<std::uint64_t>& offsets,
                    const Segments& segments, ReduceOperation operation, const DeviceContext& context) {
    std::vector<R> results(offsets.size() - 1);
    reduce_segments<T, R>(operand, segments, operation, {.ctx = context}, std::span<R>(results));
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto segment = values.subspan(offsets[i], offsets[i + 1] - offsets[i]);
        const R nothing = operation == ReduceOperation::product ? R(1) : R(0);
        const R expected = segment.empty() ? nothing : plain_reduce<T, R>(segment, operation);
        if (!same_bits(results[i], expected)) {
            FAIL_CHECK(operation << " of segment " << i << ", " << segment.size() << " elements, is " << shown(results[i]) << ", should be "
                                 << shown(expected));
            return;
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("equal segments give what each gives alone", "[reduce][segments]", CUPOOL_REDUCE_PAIRS) {
    using T = typename TestType::first_type;
    using R = typename TestType::second_type;
    const DeviceContext context = engine_contexts().back();
    const std::size_t vector = 16 / sizeof(T);
    const std::size_t tile = 16384 / sizeof(T);
    for (const std::size_t length : {std::size_t{1}, vector, vector + 1, 5 * vector - 1, 32 * vector, 32 * vector + 1, 150 * vector + 3,
                                     256 * vector, 256 * vector + 1, tile + 5}) {
        const std::size_t count = length > tile ? 3 : 70;
        const std::vector<T> values = mixed_values<T>(count * length);
        std::vector<std::uint64_t> offsets;
        for (std::size_t i = 0; i <= count; ++i) offsets.push_back(i * length);
        for (const ReduceOperation operation : operations_of<T>()) {
            check_segments<T, R>(std::span<const T>(values), values, offsets, Segments::equal(count, length), operation, context);
        }
    }
}

TEMPLATE_TEST_CASE("segments by offsets may be of any length, and empty", "[reduce][segments]", CUPOOL_REDUCE_TYPES) {
    using T = TestType;
    const DeviceContext context = engine_contexts().back();
    const std::size_t tile = 16384 / sizeof(T);
    const std::vector<T> values = mixed_values<T>(6 * tile + 800);
    // Beside few segments several blocks share the long one, a tile or two each; beside so many that each has a block, one reduces it.
    for (const int short_segments : {0, 1030, 1200}) {
        std::vector<std::uint64_t> offsets{3, 3, 4, 20, 21, 60, 60};
        for (int i = 0; i < short_segments; ++i) offsets.push_back(offsets.back() + static_cast<std::uint64_t>(i % 7 == 0 ? 1 : 0));
        offsets.push_back(offsets.back() + 5 * tile + 9);
        offsets.push_back(offsets.back() + 100);
        for (const ReduceOperation operation : operations_of<T>()) {
            const bool has_empty_result = operation == ReduceOperation::sum || operation == ReduceOperation::product;
            if (has_empty_result) {
                const std::span<const std::uint64_t> all(offsets);
                check_segments<T, T>(std::span<const T>(values), values, offsets, Segments::offsets(all), operation, context);
            }
            std::vector<std::uint64_t> full = offsets;
            full.erase(std::unique(full.begin(), full.end()), full.end());
            check_segments<T, T>(std::span<const T>(values), values, full, Segments::offsets(std::span<const std::uint64_t>(full)),
                                 operation, context);
        }
    }
}

TEMPLATE_TEST_CASE("warps reduce many segments of up to a tile", "[reduce][segments]", std::int8_t, BFloat16, float, double) {
    using T = TestType;
    const DeviceContext context = engine_contexts().back();
    const std::size_t vector = 16 / sizeof(T);
    const std::size_t tile = 16384 / sizeof(T);
    const std::size_t lengths[] = {tile, tile - 1, 768 * vector, 600 * vector + 1, 256 * vector + 1, 40 * vector, 1, 0, tile + 1};
    for (const std::size_t short_length : {2 * vector, 100 * vector}) {  // four turns of a warp, then eight
        std::vector<std::uint64_t> offsets{0};
        for (std::size_t i = 0; i < 3300; ++i) offsets.push_back(offsets.back() + (i % 16 == 0 ? lengths[i / 16 % 9] : short_length));
        const std::vector<T> values = mixed_values<T>(offsets.back());
        const std::span<const std::uint64_t> all(offsets);
        check_segments<T, T>(std::span<const T>(values), values, offsets, Segments::offsets(all), ReduceOperation::sum, context);
    }
}

TEST_CASE("an array of more than 2^32 elements is reduced, and its segments are", "[.][large][reduce]") {
    const DeviceContext context = engine_contexts().back();
    if (context.is_host() || is_simulated()) CUPOOL_SKIP("it is about indices in kernels, and takes a GPU");
    const std::uint64_t most = std::uint64_t{1} << 32;
    const std::uint64_t count = most + 4099;
    DeviceBuffer<std::int8_t> elements(count, context);
    fill_bytes_async(elements.span(), 1, context.stream());
    const auto put = [&](std::uint64_t index, std::int8_t value) {
        copy(elements.span().subspan(index, 1), std::span<const std::int8_t>(&value, 1), context.stream());
    };
    put(most + 77, 5);
    put(most + 80, 5);
    put(most + 4098, -3);
    const Operand<std::int8_t> operand(DeviceSpan<const std::int8_t>(elements.span()));
    const ReduceConfig config{.ctx = context};

    std::int64_t sum = 0;
    reduce<std::int8_t, std::int64_t>(operand, ReduceOperation::sum, config, sum);
    CHECK(sum == static_cast<std::int64_t>(count) + 4 + 4 - 4);
    std::int8_t greatest = 0;
    reduce<std::int8_t, std::int8_t>(operand, ReduceOperation::max, config, greatest);
    CHECK(greatest == 5);
    IndexedValue<std::int8_t> found;
    arg_reduce<std::int8_t>(operand, ArgOperation::max, config, found);
    CHECK(found == IndexedValue<std::int8_t>{5, most + 77});
    arg_reduce<std::int8_t>(operand, ArgOperation::min, config, found);
    CHECK(found == IndexedValue<std::int8_t>{-3, most + 4098});

    const std::vector<std::uint64_t> offsets{0, 3, most + 78, most + 78, most + 4000, count};
    std::vector<std::int64_t> sums(offsets.size() - 1);
    reduce_segments<std::int8_t, std::int64_t>(operand, Segments::offsets(std::span<const std::uint64_t>(offsets)), ReduceOperation::sum,
                                               config, std::span<std::int64_t>(sums));
    CHECK(sums == std::vector<std::int64_t>{3, static_cast<std::int64_t>(most) + 79, 0, 3926, 95});
}

TEST_CASE("segments that are no segments are refused", "[reduce][segments]") {
    const std::vector<float> values(10);
    const Operand<float> input{std::span<const float>(values)};
    std::vector<float> results(2);
    for (const DeviceContext& context : engine_contexts()) {
        const auto message_of = [&](const Segments& segments, ReduceOperation operation = ReduceOperation::sum) -> std::string {
            try {
                reduce_segments<float, float>(input, segments, operation, {.ctx = context}, std::span(results));
            } catch (const Error& error) {
                CHECK(error.category() == ErrorCategory::invalid_argument);
                return error.what();
            }
            return "";
        };
        const std::vector<std::uint64_t> descending{0, 5, 4};
        const std::vector<std::uint64_t> too_large{0, 5, 11};
        const std::vector<std::uint64_t> empty{0, 5, 5};
        CHECK(message_of(Segments::offsets(std::span<const std::uint64_t>(descending))).find("number 2") != std::string::npos);
        CHECK(message_of(Segments::offsets(std::span<const std::uint64_t>(too_large))).find("number 2") != std::string::npos);
        CHECK(message_of(Segments::offsets(std::span<const std::uint64_t>(empty))).empty());
        CHECK_FALSE(message_of(Segments::offsets(std::span<const std::uint64_t>(empty)), ReduceOperation::min).empty());
        CHECK_FALSE(message_of(Segments::equal(2, 4)).empty());
        CHECK_FALSE(message_of(Segments::equal(1, 10)).empty());
        results.clear();
        CHECK(message_of(Segments::offsets(std::span<const std::uint64_t>())).find("array of offsets is empty") != std::string::npos);
        results.resize(2);
    }
}

TEST_CASE("a result stays on the device, in a workspace of the caller's", "[reduce][exact]") {
    const DeviceContext context = engine_contexts().back();
    if (context.is_host()) return;
    const std::vector<float> values = mixed_values<float>(20000);
    DeviceBuffer<float> there(values.size(), context);
    copy(there.span(), std::span<const float>(values), context.stream());
    DeviceBuffer<double> result(1, context);
    DeviceBuffer<std::byte> workspace(reduce_workspace_bytes<float>(values.size()), context);
    for (int repetition = 0; repetition < 3; ++repetition) {
        reduce<float, double>(there.span(), ReduceOperation::sum, {.ctx = context, .is_async = true, .workspace = workspace.span()},
                              result.span());
    }
    double sum = 0;
    copy(std::span(&sum, 1), result.span(), context.stream());
    CHECK(same_bits(sum, plain_reduce<float, double>(values, ReduceOperation::sum)));
    const DeviceSpan<std::byte> small = workspace.span().subspan(0, workspace.size() - 1);
    CHECK_THROWS_AS((reduce<float, double>(there.span(), ReduceOperation::sum, {.ctx = context, .workspace = small}, sum)), Error);
}

TEST_CASE("device arrays that overlap are refused", "[reduce][exact]") {
    const DeviceContext context = engine_contexts().back();
    if (context.is_host()) return;
    constexpr std::size_t count = 4096;
    DeviceBuffer<std::int32_t> there(count, context);
    fill_async(there.span(), 1, context.stream());
    const DeviceSpan<const std::int32_t> input = there.span();
    const DeviceSpan<std::byte> inside(input.pointer(), reduce_workspace_bytes<std::int32_t>(count), input.device());
    std::int32_t sum = 0;
    IndexedValue<std::int32_t> least;
    const auto overlap = contains_text("overlap");
    const ReduceConfig config{.ctx = context};
    const ReduceConfig config_inside{.ctx = context, .workspace = inside};

    using I = std::int32_t;
    CHECK_THROWS_WITH((reduce<I, I>(input, ReduceOperation::sum, config_inside, sum)), overlap);
    CHECK_THROWS_WITH(arg_reduce<I>(input, ArgOperation::min, config_inside, least), overlap);
    CHECK_THROWS_WITH((reduce<I, I>(input, ReduceOperation::sum, config, there.span().subspan(count - 1, 1))), overlap);

    DeviceBuffer<std::byte> workspace(inside.size(), context);
    const DeviceSpan<I> in_workspace(workspace.span().pointer(), 1, input.device());
    const ReduceConfig own{.ctx = context, .workspace = workspace.span()};
    CHECK_THROWS_WITH((reduce<I, I>(input, ReduceOperation::sum, own, in_workspace)), overlap);

    CHECK_THROWS_WITH((reduce_segments<I, I>(input, Segments::equal(256, 16), ReduceOperation::sum, config, there.span().subspan(0, 256))),
                      overlap);
    DeviceBuffer<std::uint64_t> offsets(3, context);
    const std::vector<std::uint64_t> halves{0, count / 2, count};
    copy(offsets.span(), std::span<const std::uint64_t>(halves), context.stream());
    const DeviceSpan<I> in_offsets(offsets.span().pointer(), 2, input.device());
    CHECK_THROWS_WITH((reduce_segments<I, I>(input, Segments::offsets(offsets.span()), ReduceOperation::sum, config, in_offsets)), overlap);

    const DeviceSpan<I> shifted = there.span().subspan(1, count - 1);
    CHECK_THROWS_WITH(combine_elements<I>(shifted, input.subspan(0, count - 1), ReduceOperation::sum, context), overlap);
    CHECK_NOTHROW(combine_elements<I>(there.span(), input, ReduceOperation::sum, context));  // the same array is well defined
    CHECK_NOTHROW(combine_elements<I>(there.span().subspan(0, 8), input.subspan(8, 8), ReduceOperation::sum, context));
    context.stream().synchronize();
}

TEST_CASE("a device array at address 0 is refused", "[reduce][exact]") {
    const DeviceContext context = engine_contexts().back();
    if (context.is_host()) return;
    const DeviceSpan<const float> nowhere(0, 20000, context.device());
    float sum = 0;
    CHECK_THROWS_WITH(reduce<float>(nowhere, ReduceOperation::sum, context, sum), contains_text("the input is at address 0"));
}

TEST_CASE("an operand in host memory passes through the device in chunks", "[reduce][exact]") {
    const DeviceContext context = engine_contexts().back();
    const std::size_t count = (std::size_t{64} << 20) / sizeof(float) + 3 * 4096 + 5;
    const std::vector<float> values = mixed_values<float>(count);
    check_reduce<float, float>(std::span<const float>(values), values, ReduceOperation::sum, {.ctx = context});
    check_reduce<float, float>(std::span<const float>(values), values, ReduceOperation::max, {.ctx = context});
    std::vector<std::int32_t> integers(count, 7);
    integers[count - 2] = -1;
    integers[5000] = 9;
    check_reduce<std::int32_t, std::int64_t>(std::span<const std::int32_t>(integers), integers, ReduceOperation::sum, {.ctx = context});
    check_arg_reduce<std::int32_t>(std::span<const std::int32_t>(integers), integers, {.ctx = context});
}

namespace {

template <class T, class R>
std::vector<R> expected_of_middle(std::span<const T> values, const MiddleShape& shape, ReduceOperation operation, bool compensated) {
    std::vector<R> expected;
    for (std::size_t outer = 0; outer < shape.outer; ++outer) {
        for (std::size_t inner = 0; inner < shape.inner; ++inner) {
            std::vector<T> column;
            for (std::size_t m = 0; m < shape.middle; ++m) column.push_back(values[(outer * shape.middle + m) * shape.inner + inner]);
            const std::span<const T> elements(column);
            expected.push_back(compensated ? plain_reduce_column<T, R, true>(elements, operation)
                                           : plain_reduce_column<T, R>(elements, operation));
        }
    }
    return expected;
}

template <class T, class R>
void check_middle(const Operand<T>& operand, std::span<const T> values, const MiddleShape& shape, ReduceOperation operation,
                  const ReduceConfig& config) {
    std::vector<R> results(shape.outer * shape.inner);
    reduce_middle<T, R>(operand, shape, operation, config, std::span<R>(results));
    const std::vector<R> expected = expected_of_middle<T, R>(values, shape, operation, config.compensated);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!same_bits(results[i], expected[i])) {
            FAIL_CHECK(operation << " over the middle of " << shape.outer << " x " << shape.middle << " x " << shape.inner << ": result "
                                 << i << " is " << shown(results[i]) << ", should be " << shown(expected[i]));
            return;
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("reductions over the middle of three dimensions are exact for every type, operation and result type", "[reduce][middle]",
                   CUPOOL_REDUCE_PAIRS) {
    using T = typename TestType::first_type;
    using R = typename TestType::second_type;
    const DeviceContext context = engine_contexts().back();
    // One row; rows of one column, of few, of whole loads, of several pieces; short tiles; several tiles of few results and of many.
    const std::vector<MiddleShape> shapes = {{1, 1, 1},  {7, 1, 5},   {3, 5, 1},    {2, 8, 3},   {2, 9, 33}, {1, 64, 64},
                                             {2, 65, 8}, {1, 72, 35}, {1, 129, 40}, {40, 66, 1}, {1, 643, 4}};
    for (const MiddleShape& shape : shapes) {
        const std::vector<T> values = mixed_values<T>(shape.outer * shape.middle * shape.inner);
        for (const ReduceOperation operation : operations_of<T>()) {
            check_middle<T, R>(std::span<const T>(values), values, shape, operation, {.ctx = context});
            if (std::is_floating_point_v<T> && std::is_same_v<T, R> && operation == ReduceOperation::sum)
                check_middle<T, R>(std::span<const T>(values), values, shape, operation, {.ctx = context, .compensated = true});
        }
    }
}

TEMPLATE_TEST_CASE("the middle of an operand on a device that begins at any element has the same bits", "[reduce][middle]",
                   CUPOOL_REDUCE_TYPES) {
    using T = TestType;
    const DeviceContext context = engine_contexts().back();
    if (context.is_host()) return;
    const MiddleShape shape{2, 70, 16};
    const std::size_t count = shape.outer * shape.middle * shape.inner;
    const std::vector<T> values = mixed_values<T>(count + 16);
    DeviceBuffer<T> there(values.size(), context);
    copy(there.span(), std::span<const T>(values), context.stream());
    for (const std::size_t offset : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{16}}) {
        const auto part = std::span<const T>(values).subspan(offset, count);
        check_middle<T, T>(there.span().subspan(offset, count), part, shape, ReduceOperation::sum, {.ctx = context});
        check_middle<T, T>(there.span().subspan(offset, count), part, shape, ReduceOperation::max, {.ctx = context});
    }
}

TEST_CASE("many results over a long middle are reduced by a block for each lane of the tiles, with the same bits",
          "[reduce][middle][long]") {
    const DeviceContext context = engine_contexts().back();
    const MiddleShape shape{4, 8 * 64 + 3, 4096};

    const std::vector<float> values = mixed_values<float>(shape.outer * shape.middle * shape.inner);
    check_middle<float, float>(std::span<const float>(values), values, shape, ReduceOperation::sum, {.ctx = context});
}

TEST_CASE("a long middle of few results is divided among blocks, with the same bits", "[reduce][middle]") {
    const DeviceContext context = engine_contexts().back();
    for (const MiddleShape& shape : {MiddleShape{1, 70'000, 1}, MiddleShape{1, 20'000, 3}}) {
        const std::vector<float> values = mixed_values<float>(shape.middle * shape.inner);
        check_middle<float, float>(std::span<const float>(values), values, shape, ReduceOperation::sum, {.ctx = context});
    }
}

TEST_CASE("the middle of a device's array is reduced behind work of the stream, in the caller's workspace", "[reduce][middle]") {
    for (const DeviceContext& context : engine_contexts()) {
        if (context.is_host()) return;
        const MiddleShape shape{2, 200, 6};
        const std::vector<float> values = mixed_values<float>(shape.outer * shape.middle * shape.inner);
        DeviceBuffer<float> there(values.size(), context);
        DeviceBuffer<float> results(shape.outer * shape.inner, context);
        DeviceBuffer<std::byte> workspace(reduce_middle_workspace_bytes(shape), context);
        copy_async(there.span(), std::span<const float>(values), context.stream());
        const ReduceConfig config{.ctx = context, .is_async = true, .workspace = workspace.span()};
        reduce_middle<float, float>(there.span(), shape, ReduceOperation::sum, config, results.span());
        std::vector<float> here(results.size());
        copy(std::span(here), DeviceSpan<const float>(results.span()), context.stream());
        CHECK(here == expected_of_middle<float, float>(values, shape, ReduceOperation::sum, false));

        ReduceConfig small = config;
        small.workspace = workspace.span().subspan(0, workspace.size() - 1);
        CHECK_THROWS_WITH((reduce_middle<float, float>(there.span(), shape, ReduceOperation::sum, small, results.span())),
                          contains_text("the workspace has"));
        const DeviceSpan<float> inside = there.span().subspan(0, results.size());
        CHECK_THROWS_WITH((reduce_middle<float, float>(there.span(), shape, ReduceOperation::sum, config, inside)),
                          contains_text("overlap"));
    }
}

TEST_CASE("the middle of nothing is the identity on every engine", "[reduce][middle]") {
    const DeviceContext context = engine_contexts().back();
    std::vector<std::int16_t> results(5, 7);
    reduce_middle<std::int16_t, std::int16_t>(std::span<const std::int16_t>(), {1, 0, 5}, ReduceOperation::product, {.ctx = context},
                                              std::span(results));
    CHECK(results == std::vector<std::int16_t>(5, 1));
    std::vector<double> sums(3, 7);
    reduce_middle<double, double>(std::span<const double>(), {3, 0, 1}, ReduceOperation::sum, {.ctx = context}, std::span(sums));
    for (const double sum : sums) CHECK(same_bits(sum, 0.0));
    reduce_middle<double, double>(std::span<const double>(), {0, 4, 1}, ReduceOperation::min, {.ctx = context}, std::span<double>());
}
