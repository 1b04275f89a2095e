#include "kernel_questions.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "engines.hpp"

namespace cupool::test {

namespace {

constexpr std::size_t msm_sizes[] = {1, 2, 3, 7, 31, 64, 100, 256, 500, 1024, 2047, 4096};
constexpr std::size_t reduce_sizes[] = {1, 2, 255, 256, 257, 4095, 4097, 10000, 65536, 100003, 500001, 1 << 20};

std::string hexadecimal(std::uint64_t value, int digits) {
    char text[17];
    std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
    return text;
}

template <std::size_t N>
std::string hexadecimal(const Limbs<N>& value) {
    std::string text;
    for (std::size_t i = N; i-- > 0;) text += hexadecimal(value.limbs[i], 16);
    return text;
}

/// What a prover's scalars are like, and what borders there are: zero, one, small, any, r - 1, r and above.
template <Curve C>
Scalar mixed_scalar(std::mt19937_64& bits) {
    Scalar any;
    for (auto& limb : any.limbs) limb = bits();
    switch (bits() % 8) {
        case 0: return scalar_of(0);
        case 1: return scalar_of(1);
        case 2: return scalar_of(any.limbs[0] >> 40);
        case 3: return shifted(group_order<C>(), static_cast<int>(any.limbs[0] % 3) - 1);
        default: return any;
    }
}

/// Multiples of the generator with infinity, equal and opposite points among them.
template <Curve C>
std::vector<AffinePoint<C>> mixed_points() {
    auto points = generator_multiples<C>(1, std::end(msm_sizes)[-1]);
    for (std::size_t i = 5; i < points.size(); i += 41) points[i] = infinity<C>();
    for (std::size_t i = 9; i < points.size(); i += 23) points[i] = points[i - 1];
    for (std::size_t i = 13; i < points.size(); i += 29) points[i] = negate(points[i - 2]);
    return points;
}

template <Curve C>
std::string msm_answer(const DeviceContext& context, std::size_t size) {
    static const std::vector<AffinePoint<C>> points = mixed_points<C>();
    std::mt19937_64 bits(size);
    std::vector<Scalar> scalars;
    while (scalars.size() < size) scalars.push_back(mixed_scalar<C>(bits));
    MsmConfig config;
    config.ctx = context;
    const auto sum = run_msm<C>(scalars, {points.begin(), points.begin() + static_cast<std::ptrdiff_t>(size)}, config);
    return hexadecimal(sum.x) + ' ' + hexadecimal(sum.y);
}

/// Which values an array of floats is made of.
enum class Values {
    any,      ///< finite ones of very unequal size, denormals among them, so that the order of additions shows in the last bits
    tiny,     ///< denormals and zeros of both signs
    special,  ///< as `any`, with infinities of both signs; one NaN where the size is odd
};

const char* suffix_of(Values values) {
    switch (values) {
        case Values::any: return "";
        case Values::tiny: return "_tiny";
        case Values::special: return "_special";
    }
    return "";
}

template <class T>
T random_value(std::mt19937_64& bits, Values values) {
    const std::uint64_t random = bits();
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(random);
    } else {
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
        constexpr auto mantissa = static_cast<Bits>((std::uint64_t{1} << (std::numeric_limits<T>::digits - 1)) - 1);
        const T denormal = std::bit_cast<T>(static_cast<Bits>(random & (sign | mantissa)));
        if (values == Values::tiny) return random % 4 == 0 ? std::copysign(T{0}, denormal) : denormal;
        if (random % 16 == 0) return denormal;
        if (values == Values::special && random % 64 == 1) return std::copysign(std::numeric_limits<T>::infinity(), denormal);
        return std::copysign(std::ldexp(static_cast<T>(random >> 40), static_cast<int>(random % 60) - 30), denormal);
    }
}

template <class T>
std::vector<T> random_values(std::size_t size, Values values) {
    std::mt19937_64 bits(size);
    std::vector<T> array(size);
    for (T& value : array) value = random_value<T>(bits, values);
    if constexpr (std::is_floating_point_v<T>) {
        if (values == Values::special && size % 2 == 1) array[bits() % size] = -std::numeric_limits<T>::signaling_NaN();
    }
    return array;
}

template <class T>
std::string reduce_answer(const DeviceContext& context, std::size_t size, Values values, ReduceOperation operation) {
    const std::vector<T> array = random_values<T>(size, values);
    T result{};
    reduce<T>(std::span<const T>(array), operation, context, result);
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return hexadecimal(std::bit_cast<Bits>(result), 2 * sizeof(T));
}

template <class T>
void add_reductions(std::vector<KernelQuestion>& questions, const std::string& type, const std::vector<Values>& kinds) {
    for (const Values values : kinds) {
        for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
            for (const std::size_t size : reduce_sizes) {
                questions.push_back({"reduce_" + type + suffix_of(values) + '_' + to_string(operation) + '_' + std::to_string(size), size,
                                     [=](const DeviceContext& context) { return reduce_answer<T>(context, size, values, operation); }});
            }
        }
    }
}

}  // namespace

template <Curve C>
std::vector<KernelQuestion> msm_questions() {
    std::vector<KernelQuestion> questions;
    for (const std::size_t size : msm_sizes) {
        questions.push_back({"msm_" + to_string(C) + '_' + std::to_string(size), size,
                             [size](const DeviceContext& context) { return msm_answer<C>(context, size); }});
    }
    return questions;
}

template std::vector<KernelQuestion> msm_questions<Curve::bn254>();
template std::vector<KernelQuestion> msm_questions<Curve::bls12_381>();
template std::vector<KernelQuestion> msm_questions<Curve::bls12_377>();

std::vector<KernelQuestion> reduce_questions() {
    std::vector<KernelQuestion> questions;
    add_reductions<std::int32_t>(questions, "i32", {Values::any});
    add_reductions<std::uint32_t>(questions, "u32", {Values::any});
    add_reductions<std::int64_t>(questions, "i64", {Values::any});
    add_reductions<std::uint64_t>(questions, "u64", {Values::any});
    add_reductions<float>(questions, "f32", {Values::any, Values::tiny, Values::special});
    add_reductions<double>(questions, "f64", {Values::any, Values::tiny, Values::special});
    return questions;
}

}  // namespace cupool::test
