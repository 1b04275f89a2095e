// Reductions of device memory to a value on the host, beside CUB's if the build had a CUDA toolkit:
// medians of the wall-clock time, in microseconds.
//
//   cupool_reduce_beside_cub [LOG2_OF_MOST_BYTES [REPETITIONS [TYPE...]]]     default 34 30 and all types

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cupool/cupool.hpp>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#ifdef CUPOOL_HAS_CUB
#include "cub_reductions.hpp"
#endif

namespace {

using namespace cupool;

struct Settings {
    unsigned max_bytes_log2 = 34;
    unsigned repetitions = 30;
    std::vector<std::string> types;  ///< types to measure; empty: all
    bool has_cub = false;

    bool has(const char* type) const { return types.empty() || std::find(types.begin(), types.end(), type) != types.end(); }
};

template <class Run>
double median_microseconds(const Run& run, unsigned repetitions) {
    run();
    std::vector<double> times;
    for (unsigned i = 0; i < repetitions; ++i) {
        const auto start = std::chrono::steady_clock::now();
        run();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + repetitions / 2, times.end());
    return times[repetitions / 2];
}

void fail(const std::string& what) {
    std::fprintf(stderr, "wrong: %s\n", what.c_str());
    std::exit(1);
}

/// A block of random numbers, repeated: its reductions are known for every multiple of its length.
template <class T>
class RepeatedBlock {
public:
    RepeatedBlock(std::size_t bytes, const DeviceContext& context) : there_(bytes / sizeof(T), context) {
        std::mt19937_64 random(sizeof(T));
        block_.resize(std::min(bytes, std::size_t{1} << 24) / sizeof(T));
        for (T& value : block_) {
            if constexpr (std::is_integral_v<T>) {
                value = static_cast<T>(random());
            } else {
                value = T(static_cast<float>(random() % 4096) / 4096 - 0.25F);
            }
        }
        const auto span = there_.span();
        for (std::size_t first = 0; first < span.size(); first += block_.size())
            copy_async(span.subspan(first, block_.size()), std::span<const T>(block_), context.stream());
        context.stream().synchronize();
    }

    DeviceSpan<const T> prefix(std::size_t count) const { return there_.span().subspan(0, count); }

    /// The result of the host engine for a prefix. It is derived from the block if the prefix is longer.
    template <class R>
    R expected(std::size_t count, ReduceOperation operation) const {
        R result{};
        const auto part = std::span<const T>(block_).first(std::min(count, block_.size()));
        reduce<T, R>(Operand<T>(part), operation, ReduceConfig::default_for_host(), result);
        if (operation != ReduceOperation::sum) return result;
        const auto times = static_cast<R>(count / part.size());
        return static_cast<R>(result * times);
    }
    IndexedValue<T> expected_argmax(std::size_t count) const {
        IndexedValue<T> result;
        const auto part = std::span<const T>(block_).first(std::min(count, block_.size()));
        arg_reduce<T>(Operand<T>(part), ArgOperation::max, ReduceConfig::default_for_host(), result);
        return result;
    }

private:
    std::vector<T> block_;
    DeviceBuffer<T> there_;
};

template <class R>
bool agrees(R left, R right) {
    if constexpr (std::is_integral_v<R>) {
        return left == right;
    } else {
        return std::abs(left - right) <= std::abs(right) * R(1e-4);
    }
}

/// Whether a result of type T equals the wide result, wrapped or rounded to T. A float sum
/// accumulates in float, so it equals the sum in double only within an error.
template <class T>
bool is_narrowed(T narrow, Wide<T> wide) {
    const T expected = static_cast<T>(wide);
    if constexpr (std::is_same_v<T, float>) return agrees(narrow, expected);
    return std::memcmp(&narrow, &expected, sizeof(T)) == 0;
}

void print(double microseconds) {
    if (std::isnan(microseconds)) {
        std::printf(" %9s", "-");
    } else {
        std::printf(" %9.1f", microseconds);
    }
}

double cub_microseconds([[maybe_unused]] const Settings& settings, [[maybe_unused]] const char* type,
                        [[maybe_unused]] const char* operation, [[maybe_unused]] abi::DevicePointer input,
                        [[maybe_unused]] std::size_t count) {
#ifdef CUPOOL_HAS_CUB
    if (settings.has_cub) {
        const CubReduction reduction = cub_reduction(type, operation, input, count);
        std::byte result[64];
        if (reduction.run) return median_microseconds([&] { reduction.run(result); }, settings.repetitions);
    }
#endif
    return std::nan("");
}

/// Prints two lines of the table: ours and CUB's.
template <class Ours>
void compare(const Settings& settings, const char* type, const char* operation, std::size_t element_bytes, abi::DevicePointer input,
             const Ours& ours) {
    std::vector<double> cub;
    std::printf("%-5s %-7s cupool", type, operation);
    for (unsigned log2 = 10; log2 <= settings.max_bytes_log2; ++log2) {
        const std::size_t count = (std::size_t{1} << log2) / element_bytes;
        print(ours(count));
        cub.push_back(cub_microseconds(settings, type, operation, input, count));
    }
    std::printf("\n%-5s %-7s CUB   ", type, operation);
    for (const double time : cub) print(time);
    std::printf("\n");
    std::fflush(stdout);
}

template <class T>
void compare_type(const Settings& settings, const char* type, const DeviceContext& context) {
    if (!settings.has(type)) return;
    const RepeatedBlock<T> input(std::size_t{1} << settings.max_bytes_log2, context);
    const abi::DevicePointer pointer = input.prefix(1).pointer();
    const ReduceConfig config{.ctx = context};
    const auto whole = [&](const char* name, ReduceOperation operation) {
        compare(settings, type, name, sizeof(T), pointer, [&](std::size_t count) {
            T result{};
            const double time =
                median_microseconds([&] { reduce<T, T>(input.prefix(count), operation, config, result); }, settings.repetitions);
            Wide<T> wide{};
            reduce<T, Wide<T>>(input.prefix(count), operation, config, wide);
            const Wide<T> expected = input.template expected<Wide<T>>(count, operation);
            if (!agrees(wide, expected)) fail(std::string(name) + " of " + std::to_string(count) + " " + type);
            if (!is_narrowed<T>(result, wide)) fail(std::string("narrow ") + name + " of " + std::to_string(count) + " " + type);
            return time;
        });
    };
    whole("sum", ReduceOperation::sum);
    whole("min", ReduceOperation::min);
    whole("max", ReduceOperation::max);
    compare(settings, type, "argmax", sizeof(T), pointer, [&](std::size_t count) {
        IndexedValue<T> result;
        const double time =
            median_microseconds([&] { arg_reduce<T>(input.prefix(count), ArgOperation::max, config, result); }, settings.repetitions);
        if (!(result == input.expected_argmax(count))) fail("argmax of " + std::to_string(count) + " " + type);
        return time;
    });
}

double cub_segmented_microseconds([[maybe_unused]] const Settings& settings, [[maybe_unused]] const char* type,
                                  [[maybe_unused]] abi::DevicePointer input, [[maybe_unused]] std::size_t segments,
                                  [[maybe_unused]] std::size_t length, [[maybe_unused]] abi::DevicePointer results) {
#ifdef CUPOOL_HAS_CUB
    if (settings.has_cub) {
        const CubReduction reduction = cub_segmented_sum(type, input, segments, length, results);
        if (reduction.run) return median_microseconds([&] { reduction.run(nullptr); }, settings.repetitions);
    }
#endif
    return std::nan("");
}

/// Sums of equal segments of 2^28 bytes together, or of the largest size if that is smaller.
template <class T>
void compare_segments(const Settings& settings, const char* type, const DeviceContext& context) {
    if (!settings.has(type)) return;
    const std::size_t bytes = std::size_t{1} << std::min(settings.max_bytes_log2, 28u);
    const RepeatedBlock<T> input(bytes, context);
    const std::size_t count = bytes / sizeof(T);
    for (std::size_t length = 16; length <= std::min(count, std::size_t{1} << 20); length *= 2) {
        const std::size_t segments = count / length;
        DeviceBuffer<T> results(segments, context);
        const double ours = median_microseconds(
            [&] {
                reduce_segments<T, T>(input.prefix(count), Segments::equal(segments, length), ReduceOperation::sum, {.ctx = context},
                                      results.span());
            },
            settings.repetitions);
        std::vector<T> host(segments);
        copy(std::span(host), results.span(), context.stream());
        for (const std::size_t segment : {std::size_t{0}, segments / 2, segments - 1}) {
            T expected{};
            reduce<T>(input.prefix(count).subspan(segment * length, length), ReduceOperation::sum, context, expected);
            if (std::memcmp(&expected, &host[segment], sizeof(T)) != 0)
                fail("segment " + std::to_string(segment) + " of " + std::to_string(length));
        }
        std::printf("%-5s %8zu segments of %8zu: cupool", type, segments, length);
        print(ours);
        std::printf("  CUB");
        print(cub_segmented_microseconds(settings, type, input.prefix(1).pointer(), segments, length, results.span().pointer()));
        std::printf("\n");
        std::fflush(stdout);
    }
}

/// Sums over the middle of three dimensions, beside the sum of the array, which reads the same bytes.
template <class T>
void compare_middle(const Settings& settings, const char* type, const DeviceContext& context) {
    const std::size_t count = (std::size_t{1} << std::min(settings.max_bytes_log2, 30u)) / sizeof(T);
    const RepeatedBlock<T> input(count * sizeof(T), context);
    T whole{};
    const auto sum_all = [&] { reduce<T>(input.prefix(count), ReduceOperation::sum, context, whole); };
    const double whole_time = median_microseconds(sum_all, settings.repetitions);
    for (const std::size_t inner :
         {std::size_t{1}, std::size_t{3}, std::size_t{8}, std::size_t{32}, std::size_t{1000}, std::size_t{4096}}) {
        for (const std::size_t middle : {std::size_t{8}, std::size_t{64}, std::size_t{1000}, count / inner}) {
            if (inner * middle == 0 || inner * middle > count) continue;
            const MiddleShape shape{count / inner / middle, middle, inner};
            const auto elements = input.prefix(shape.outer * middle * inner);
            DeviceBuffer<T> results(shape.outer * inner, context);
            const double time =
                median_microseconds([&] { reduce_middle<T, T>(elements, shape, ReduceOperation::sum, {.ctx = context}, results.span()); },
                                    settings.repetitions);
            if (inner == 1) {
                std::vector<T> host(results.size());
                copy(std::span(host), results.span(), context.stream());
                std::vector<T> column(middle);
                copy(std::span(column), elements.subspan((shape.outer - 1) * middle, middle), context.stream());
                T expected{};
                reduce_middle<T, T>(std::span<const T>(column), {1, middle, 1}, ReduceOperation::sum, ReduceConfig::default_for_host(),
                                    std::span(&expected, 1));
                if (std::memcmp(&expected, &host.back(), sizeof(T)) != 0) fail("the middle of " + std::to_string(middle));
            }
            std::printf("%-5s middle of %9zu x %9zu x %4zu: %9.1f  whole %9.1f  share %.2f\n", type, shape.outer, middle, inner, time,
                        whole_time, whole_time / time);
            std::fflush(stdout);
        }
    }
}

/// The sum by a function of the caller, beside our own sum of the same array.
void compare_function(const Settings& settings, const DeviceContext& context) {
    const std::size_t count = (std::size_t{1} << std::min(settings.max_bytes_log2, 30u)) / sizeof(std::uint32_t);
    const RepeatedBlock<std::uint32_t> input(count * sizeof(std::uint32_t), context);
    const PtxOperation add{.ptx = R"(.func (.param .b32 r) add(.param .b32 a, .param .b32 b)
{ .reg .b32 %a, %b; ld.param.b32 %a, [a]; ld.param.b32 %b, [b]; add.u32 %a, %a, %b; st.param.b32 [r], %a; ret; })",
                           .function = "add",
                           .element_bytes = 4};
    std::uint32_t whole = 0;
    std::uint32_t result = 0;
    const double whole_time = median_microseconds([&] { reduce<std::uint32_t>(input.prefix(count), ReduceOperation::sum, context, whole); },
                                                  settings.repetitions);
    const double time = median_microseconds([&] { reduce_by_function<std::uint32_t>(input.prefix(count), add, {.ctx = context}, result); },
                                            settings.repetitions);
    if (result != whole) fail("the sum by a function");
    std::printf("u32   sum by a function: %9.1f  whole %9.1f  share %.2f\n", time, whole_time, whole_time / time);
}

}  // namespace

int main(int argc, char** argv) try {
    Settings settings;
    if (argc > 1) settings.max_bytes_log2 = static_cast<unsigned>(std::max(10, std::atoi(argv[1])));
    if (argc > 2) settings.repetitions = static_cast<unsigned>(std::max(1, std::atoi(argv[2])));
    if (argc > 3) settings.types.assign(argv + 3, argv + argc);
    const DeviceContext context = DeviceContext::default_for_device(0);
#ifdef CUPOOL_HAS_CUB
    settings.has_cub = has_cub_device();
#endif
    std::printf("%s, medians of %u, microseconds; bytes as powers of two\n%-20s", context.context().device().name().c_str(),
                settings.repetitions, "");
    for (unsigned log2 = 10; log2 <= settings.max_bytes_log2; ++log2) std::printf(" %9u", log2);
    std::printf("\n");
    compare_type<float>(settings, "f32", context);
    compare_type<double>(settings, "f64", context);
    compare_type<Float16>(settings, "f16", context);
    compare_type<BFloat16>(settings, "bf16", context);
    compare_type<std::int8_t>(settings, "i8", context);
    compare_type<std::uint8_t>(settings, "u8", context);
    compare_type<std::int16_t>(settings, "i16", context);
    compare_type<std::uint16_t>(settings, "u16", context);
    compare_type<std::int32_t>(settings, "i32", context);
    compare_type<std::uint32_t>(settings, "u32", context);
    compare_type<std::int64_t>(settings, "i64", context);
    compare_type<std::uint64_t>(settings, "u64", context);
    compare_segments<float>(settings, "f32", context);
    compare_segments<std::int32_t>(settings, "i32", context);
    compare_segments<double>(settings, "f64", context);
    compare_segments<BFloat16>(settings, "bf16", context);
    compare_middle<float>(settings, "f32", context);
    compare_middle<std::int8_t>(settings, "i8", context);
    compare_middle<Float16>(settings, "f16", context);
    compare_function(settings, context);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
