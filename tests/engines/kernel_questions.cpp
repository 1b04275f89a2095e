#include "kernel_questions.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cupool/kernels/ntt.hpp>
#include <cupool/kernels/poseidon.hpp>
#include <cupool/kernels/vectors.hpp>
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

std::vector<Scalar> any_scalars(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    std::vector<Scalar> scalars(count);
    for (Scalar& scalar : scalars) {
        for (auto& limb : scalar.limbs) limb = bits();
    }
    return scalars;
}

/// FNV-1a (draft-eastlake-fnv) of the words, the lowest limb of the first scalar first.
std::string checksum(const std::vector<Scalar>& scalars) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const Scalar& scalar : scalars) {
        for (const std::uint64_t limb : scalar.limbs) {
            for (unsigned byte = 0; byte < 8; ++byte) hash = (hash ^ (limb >> (8 * byte) & 0xff)) * 0x100000001b3;
        }
    }
    return hexadecimal(hash, 16);
}

template <Curve C>
std::string ntt_answer(const DeviceContext& context, std::size_t size, NttDirection direction, NttConfig config) {
    const std::vector<Scalar> inputs = any_scalars(size * config.batch_size, size);
    std::vector<Scalar> outputs(inputs.size());
    config.ctx = context;
    ntt<C>(std::span(inputs), direction, NttDomain<C>(size, context), config, std::span(outputs));
    return checksum(outputs);
}

template <Curve C>
void add_transforms(std::vector<KernelQuestion>& questions) {
    const auto add = [&](const std::string& name, std::size_t size, NttDirection direction, const NttConfig& config) {
        questions.push_back({"ntt_" + to_string(C) + '_' + name + '_' + std::to_string(size), size,
                             [=](const DeviceContext& context) { return ntt_answer<C>(context, size, direction, config); }});
    };
    for (const std::size_t size : {2, 16, 1024, 4096}) {
        add("forward", size, NttDirection::forward, {});
        add("inverse", size, NttDirection::inverse, {.ordering = NttOrdering::reversed_natural});
        add("coset", size, NttDirection::forward, {.coset_gen = scalar_of(7), .ordering = NttOrdering::natural_mixed});
        add("inverse_coset", size, NttDirection::inverse, {.coset_gen = scalar_of(7), .batch_size = 3, .columns_batch = true});
    }
}

template <Curve C>
std::string vector_answer(const DeviceContext& context, std::size_t size, const std::string& operation) {
    const std::vector<Scalar> left = any_scalars(size, size);
    const std::vector<Scalar> right = any_scalars(size, size + 1);
    std::vector<Scalar> results(size);
    const VectorConfig config{.ctx = context};
    if (operation == "add") add_vectors<C>(std::span(left), std::span(right), config, std::span(results));
    if (operation == "subtract") subtract_vectors<C>(std::span(left), std::span(right), config, std::span(results));
    if (operation == "multiply") multiply_vectors<C>(std::span(left), std::span(right), config, std::span(results));
    if (operation == "powers") multiply_by_powers<C>(std::span(left), right[0], config, std::span(results));
    if (operation == "invert") invert_vector<C>(std::span(left), config, std::span(results));
    return checksum(results);
}

template <Curve C>
void add_element_wise(std::vector<KernelQuestion>& questions) {
    for (const std::string operation : {"add", "subtract", "multiply", "powers", "invert"}) {
        for (const std::size_t size : {1, 300, 5000}) {
            questions.push_back({"vectors_" + to_string(C) + '_' + operation + '_' + std::to_string(size), size,
                                 [=](const DeviceContext& context) { return vector_answer<C>(context, size, operation); }});
        }
    }
}

template <Curve C>
std::string poseidon_answer(const DeviceContext& context, PoseidonVariant variant, unsigned width) {
    const std::vector<Scalar> states = any_scalars(std::size_t{20} * width, width);
    std::vector<Scalar> results(states.size());
    poseidon_permute<C>(std::span(states), Poseidon<C>(variant, width, context), {.ctx = context}, std::span(results));
    return checksum(results);
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

template <Curve C>
std::vector<KernelQuestion> field_questions() {
    std::vector<KernelQuestion> questions;
    add_transforms<C>(questions);
    add_element_wise<C>(questions);
    return questions;
}

template std::vector<KernelQuestion> field_questions<Curve::bn254>();
template std::vector<KernelQuestion> field_questions<Curve::bls12_381>();
template std::vector<KernelQuestion> field_questions<Curve::bls12_377>();

template <Curve C>
std::vector<KernelQuestion> poseidon_questions() {
    std::vector<KernelQuestion> questions;
    const auto add = [&](PoseidonVariant variant, unsigned width) {
        questions.push_back({to_string(variant) + "_poseidon_" + to_string(C) + '_' + std::to_string(width), width,
                             [=](const DeviceContext& context) { return poseidon_answer<C>(context, variant, width); }});
    };
    for (unsigned width = 2; width <= 17; ++width) add(PoseidonVariant::original, width);
    for (const unsigned width : {2u, 3u, 4u, 8u}) add(PoseidonVariant::poseidon2, width);
    if constexpr (C == Curve::bls12_381) {
        for (const unsigned width : {3u, 5u, 9u, 12u}) add(PoseidonVariant::filecoin, width);
    }
    return questions;
}

template std::vector<KernelQuestion> poseidon_questions<Curve::bn254>();
template std::vector<KernelQuestion> poseidon_questions<Curve::bls12_381>();

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
