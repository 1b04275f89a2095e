#include "known_answers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/kernels/reduce.hpp>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "known_answers_of_fields.hpp"
#include "msm/device/msm_on_device.hpp"
#include "support/shipped_code.hpp"

namespace cupool::test {
namespace {

template <Curve C>
struct MsmJob {
    std::string name;
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> points;
    MsmConfig config;
    AffinePoint<C> answer;
    std::size_t max_chunk_terms = detail::DeviceMsmLimits{}.max_chunk_terms;
};

Scalar random_scalar(std::mt19937_64& random) {
    Scalar scalar;
    for (std::uint64_t& limb : scalar.limbs) limb = random();
    return scalar;
}

template <Curve C>
AffinePoint<C> run(const MsmJob<C>& job, const DeviceContext& context) {
    MsmConfig config = job.config;
    config.ctx = context;
    JacobianPoint<C> sum;
    const std::span<const Scalar> scalars(job.scalars);
    const std::span<const AffinePoint<C>> points(job.points);
    if (job.max_chunk_terms < scalars.size() && !context.is_host()) {
        const detail::DeviceMsmJob<C> chunks{
            .scalars = scalars, .bases = points, .term_count = scalars.size(), .width = static_cast<unsigned>(config.c)};
        detail::msm_on_device<C>(chunks, config, std::span(&sum, 1), {.max_chunk_terms = job.max_chunk_terms});
    } else {
        msm<C>(scalars, points, config, sum);
    }
    return to_affine(sum);
}

/// Points and scalars at every border: the cases in which additions are no plain additions.
template <Curve C>
MsmJob<C> borders() {
    MsmJob<C> job{"border scalars and points", {}, {}, {}, {}};
    Scalar largest;
    largest.limbs.fill(~std::uint64_t{0});
    Scalar below_order = group_order<C>();
    --below_order.limbs[0];
    const auto multiples = generator_multiples<C>(1, 5);
    for (const Scalar& scalar : {Scalar{}, Scalar{{1}}, Scalar{{2}}, below_order, group_order<C>(), largest}) {
        for (const AffinePoint<C>& point : {multiples[0], multiples[4], negate(multiples[4]), infinity<C>(), multiples[0]}) {
            job.scalars.push_back(scalar);
            job.points.push_back(point);
        }
    }
    return job;
}

/// Buckets so full that they are halved by batched-affine rounds first, some threads adding two pairs in each round; half of the points are
/// few, so that equal, opposite and infinite ones meet.
template <Curve C>
MsmJob<C> rounds() {
    MsmJob<C> job{"batched-affine rounds", {}, generator_multiples<C>(1, 320), {}, {}};
    const auto g = generator<C>();
    const std::array few{g, negate(g), add(g, g), infinity<C>()};
    std::mt19937_64 random(1);
    while (job.points.size() < 640) job.points.push_back(few[random() % few.size()]);
    std::shuffle(job.points.begin(), job.points.end(), random);
    while (job.scalars.size() < job.points.size()) job.scalars.push_back(random_scalar(random));
    job.config.c = 3;
    return job;
}

/// The same in two chunks, the first of which leaves points to the second.
template <Curve C>
MsmJob<C> rounds_of_two_chunks() {
    MsmJob<C> job = rounds<C>();
    job.name = "batched-affine rounds of two chunks";
    job.max_chunk_terms = 400;
    return job;
}

/// One bucket a window, so full that a block joins its parts; every point twice; scalars in Montgomery form.
template <Curve C>
MsmJob<C> one_bucket() {
    MsmJob<C> job{"one large bucket", {}, generator_multiples<C>(1, 200), {}, {}};
    job.points.insert(job.points.end(), job.points.begin(), job.points.end());
    std::mt19937_64 random(2);
    job.scalars.assign(job.points.size(), random_scalar(random));
    job.config.are_scalars_montgomery_form = true;
    job.config.c = 12;
    return job;
}

/// The same of one point, so that a bucket's parts have equal sums.
template <Curve C>
MsmJob<C> one_bucket_of_one_point() {
    MsmJob<C> job = one_bucket<C>();
    std::fill(job.points.begin(), job.points.end(), generator<C>());
    return job;
}

/// More terms than a block sorts at once, in narrow scalars.
template <Curve C>
MsmJob<C> several_tiles() {
    MsmJob<C> job{"several tiles", {}, generator_multiples<C>(1, 9000), {}, {}};
    std::mt19937_64 random(3);
    while (job.scalars.size() < job.points.size()) job.scalars.push_back(Scalar{{random() >> 40}});
    job.config.bitsize = 24;
    job.config.c = 12;
    return job;
}

/// Half of an even number.
template <std::size_t N>
Limbs<N> half(const Limbs<N>& even) {
    Limbs<N> result;
    for (std::size_t i = 0; i < N; ++i) result.limbs[i] = even.limbs[i] >> 1 | (i + 1 < N ? even.limbs[i + 1] << 63 : 0);
    return result;
}

/// A limb of few kinds, so that carries go where random numbers would hardly ever send them.
std::uint64_t striking_limb(std::mt19937_64& random) {
    constexpr std::uint32_t kinds[] = {0xffffffff, 0xffffffff, 0, 1, 0x80000000};
    const std::uint64_t kind = random() % (std::size(kinds) + 1);
    return kind < std::size(kinds) ? kinds[kind] : random() >> 32;
}
std::uint64_t striking_limbs(std::mt19937_64& random) { return striking_limb(random) << 32 | striking_limb(random); }

/// 1 * m G and k * G, or k * -G, of any point G. Where m is 1 and k is odd, the sums of two buckets are equal, or opposite, that are added
/// for the lowest bit of their weights: neighbours, or far from each other where k is large. Where both are 2, the sum for that bit is
/// twice that for the next one.
template <Curve C>
MsmJob<C> two_terms(const AffinePoint<C>& g, std::uint64_t m, std::uint64_t k, bool opposite) {
    const std::string name = "two terms, " + std::to_string(m) + " and " + std::to_string(k);
    MsmJob<C> job{name, {Scalar{{1}}, Scalar{{k}}}, {multiply(g, Scalar{{m}}), opposite ? negate(g) : g}, {}, {}};
    job.config.c = 14;
    job.config.bitsize = 13;
    return job;
}

/// Scalars in Montgomery form.
template <Curve C>
MsmJob<C> montgomery_scalars() {
    MsmJob<C> job{"scalars in Montgomery form", {}, generator_multiples<C>(1, 96), {}, {}};
    std::mt19937_64 random(4);
    while (job.scalars.size() < job.points.size()) {
        const bool is_striking = job.scalars.size() % 2 == 0;
        Scalar scalar;
        for (std::uint64_t& pair : scalar.limbs) pair = is_striking ? striking_limbs(random) : random();
        scalar.limbs.back() >>= 4;  // below r
        job.scalars.push_back(scalar);
    }
    job.config.are_scalars_montgomery_form = true;
    return job;
}

/// A point whose doubling begins with the square of a number (2 y) of striking limbs. Every point is on a curve of its own,
/// y^2 = x^3 + some b, and doubling does not ask which.
template <Curve C>
MsmJob<C> doubling(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    AffinePoint<C> point;
    for (auto* const coordinate : {&point.x, &point.y}) {
        for (std::uint64_t& pair : coordinate->limbs) pair = striking_limbs(random);
        coordinate->limbs.back() = (1 + random() % 2) << 32 | striking_limb(random);  // below p
    }
    point.y.limbs.front() &= ~std::uint64_t{1};
    point.y = half(point.y);
    MsmJob<C> job{"a point doubled, number " + std::to_string(seed), {Scalar{{2}}}, {point}, {}, {}};
    job.config.are_points_montgomery_form = true;
    return job;
}

template <Curve C>
const std::vector<MsmJob<C>>& msm_jobs() {
    static const std::vector<MsmJob<C>> all = [] {
        std::vector<MsmJob<C>> jobs{borders<C>(), montgomery_scalars<C>(), one_bucket<C>(), rounds<C>(), several_tiles<C>()};
        jobs.push_back(one_bucket_of_one_point<C>());
        jobs.push_back(rounds_of_two_chunks<C>());
        const auto bases = generator_multiples<C>(11, 4);
        for (const auto& [m, k] : {std::pair<std::uint64_t, std::uint64_t>{1, 3}, {1, 33}, {1, 4097}, {2, 2}}) {
            for (const auto& base : bases) jobs.push_back(two_terms<C>(base, m, k, false));
            jobs.push_back(two_terms<C>(bases[0], m, k, true));
        }
        for (std::uint64_t seed = 1; seed <= 20; ++seed) jobs.push_back(doubling<C>(seed));
        for (MsmJob<C>& job : jobs) job.answer = run(job, DeviceContext::host());
        return jobs;
    }();
    return all;
}

/// The same with the points prepared in three tables, twice in one call and zeros between, and again with results that stay on the device.
template <Curve C>
std::string run_prepared(const MsmJob<C>& job, const DeviceContext& context) {
    PrepareConfig prepare;
    prepare.ctx = context;
    prepare.precompute_factor = 3;
    prepare.c = 6;
    const PreparedBases<C> bases(std::span<const AffinePoint<C>>(job.points), prepare);
    std::vector<Scalar> scalars = job.scalars;
    scalars.resize(2 * scalars.size());
    scalars.insert(scalars.end(), job.scalars.begin(), job.scalars.end());
    MsmConfig config;
    config.ctx = context;
    std::vector<JacobianPoint<C>> sums(3);
    const auto are_right = [&] {
        return to_affine(sums[0]) == job.answer && to_affine(sums[1]) == infinity<C>() && to_affine(sums[2]) == job.answer;
    };
    msm<C>(std::span<const Scalar>(scalars), bases, config, std::span(sums));
    if (!are_right()) return "prepared bases, the MSM of " + job.name;
    config.are_results_on_device = true;
    DeviceBuffer<JacobianPoint<C>> results(sums.size(), context);
    msm<C>(std::span<const Scalar>(scalars), bases, config, results.span());
    copy(std::span(sums), results.span(), context.stream());
    return are_right() ? "" : "prepared bases and results on the device, the MSM of " + job.name;
}

template <Curve C>
std::string run_msm_jobs(const DeviceContext& context) {
    if (auto wrong = run_prepared(msm_jobs<C>().front(), context); !wrong.empty()) return wrong;
    for (const MsmJob<C>& job : msm_jobs<C>()) {
        if (run(job, context) != job.answer) return "the MSM of " + job.name;
    }
    return {};
}

template <class T>
std::vector<T> numbers(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::is_floating_point_v<T>) {
            value = static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -60));
        } else {
            value = static_cast<T>(random());
        }
    }
    if constexpr (std::is_floating_point_v<T>) {
        values[0] = T{-0.0};
        values[count / 2] = T{0};
    }
    return values;
}

template <class T>
bool same_bits(const T& left, const T& right) {
    return std::memcmp(&left, &right, sizeof left) == 0;
}

template <class T>
std::string run_reduction(const std::vector<T>& input, ReduceOperation operation, const DeviceContext& context) {
    T expected{};
    T result{};
    reduce<T>(std::span<const T>(input), operation, DeviceContext::host(), expected);
    reduce<T>(std::span<const T>(input), operation, context, result);
    return same_bits(expected, result) ? "" : "the " + to_string(operation) + " of " + std::to_string(input.size()) + " elements";
}

template <class T>
std::string run_combination(const std::vector<T>& left, const std::vector<T>& right, ReduceOperation operation,
                            const DeviceContext& context) {
    DeviceBuffer<T> target(left.size(), context);
    DeviceBuffer<T> source(right.size(), context);
    copy(target.span(), std::span(left), context.stream());
    copy(source.span(), std::span(right), context.stream());
    combine_elements<T>(target.span(), source.span(), operation, context);
    std::vector<T> result(left.size());
    copy(std::span(result), DeviceSpan<const T>(target.span()), context.stream());
    for (std::size_t i = 0; i < left.size(); ++i) {
        T expected{};
        reduce<T>(std::span<const T>(std::array{left[i], right[i]}), operation, DeviceContext::host(1), expected);
        if (!same_bits(expected, result[i])) return "element " + std::to_string(i) + " combined by " + to_string(operation);
    }
    return {};
}

/// Numbers of which the second decides whether it is met, among many of the first.
template <class T>
std::vector<std::pair<T, T>> common_and_lone() {
    std::vector<std::pair<T, T>> pairs{{T{1}, T{0}}, {T{1}, T{2}}};
    if constexpr (std::is_signed_v<T>) pairs.insert(pairs.end(), {{T{-2}, T{-3}}, {T{-2}, T{-1}}});
    if constexpr (std::is_floating_point_v<T>) {
        pairs.insert(pairs.end(), {{T{0}, -T{0}}, {-T{0}, T{0}}, {-T{0}, -T{0}}, {T{1}, std::numeric_limits<T>::quiet_NaN()}});
    }
    return pairs;
}

/// Arrays all alike but for one element: at each place of a lane, and on either side of where each step of a tile's fold ends.
template <class T>
std::string run_lone_elements(const DeviceContext& context) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < 16; ++i) places.push_back(256 * i);
    for (std::size_t lane = 2; lane <= 256; lane *= 2) places.insert(places.end(), {lane - 1, lane / 2});
    for (const auto& [common, lone] : common_and_lone<T>()) {
        for (const std::size_t place : places) {
            for (const std::size_t count : {place + 1, std::size_t{4096}}) {
                std::vector<T> values(count, common);
                values[place] = lone;
                for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
                    if (auto wrong = run_reduction(values, operation, context); !wrong.empty()) return wrong + ", one unlike the rest";
                }
            }
        }
    }
    return {};
}

template <class T>
std::string run_reductions_of(const DeviceContext& context) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();  // 0 where there is none
    std::vector<T> left = numbers<T>(300, 4);
    std::vector<T> right = numbers<T>(300, 5);
    left[1] = right[2] = -T{0};
    left[2] = right[1] = T{0};
    left[7] = nan;
    std::vector<T> with_nan = numbers<T>(700, 6);
    with_nan[300] = nan;
    for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
        for (const std::size_t count : {1, 33, 700, 9000}) {
            if (auto wrong = run_reduction(numbers<T>(count, count), operation, context); !wrong.empty()) return wrong;
        }
        if (auto wrong = run_reduction(with_nan, operation, context); !wrong.empty()) return wrong;
        if (auto wrong = run_combination(left, right, operation, context); !wrong.empty()) return wrong;
    }
    return run_lone_elements<T>(context);
}

template <class... Types>
std::string run_reductions_of_types(const DeviceContext& context) {
    std::string wrong;
    const auto run_type = [&]<class T>(T /*type*/) {
        if (wrong.empty()) wrong = run_reductions_of<T>(context);
    };
    (run_type(Types{}), ...);
    return wrong;
}

/// Every step's module is tried by whole MSMs.
template <Curve C>
void append_msm_modules(std::vector<ShippedModule>& modules, const std::string& curve) {
    const detail::MsmCode code = detail::msm_code<C>();
    const std::pair<const char*, const char*> steps[] = {{"sort", code.sort.ptx},
                                                         {"pairs", code.pairs.ptx},
                                                         {"accumulate_slots", code.accumulate_slots.ptx},
                                                         {"accumulate_sums", code.accumulate_sums.ptx},
                                                         {"join", code.join.ptx},
                                                         {"reduce_buckets", code.reduce_buckets.ptx},
                                                         {"join_windows", code.join_windows.ptx},
                                                         {"bases", code.bases.ptx}};
    for (const auto& [step, text] : steps)
        modules.push_back({std::string("msm_") + step + "_" + curve, text, msm_jobs<C>, run_msm_jobs<C>});
}

}  // namespace

const std::vector<ShippedModule>& shipped_modules() {
    static const std::vector<ShippedModule> modules = [] {
        std::vector<ShippedModule> all;
        append_msm_modules<Curve::bn254>(all, "bn254");
        append_msm_modules<Curve::bls12_381>(all, "bls12_381");
        append_msm_modules<Curve::bls12_377>(all, "bls12_377");
        // The modules of G2 are the same sources over another field; what a run over them would take is better spent on these.
        all.push_back({"reduce_u32", detail::reduce_u32_code.ptx, [] {}, run_reductions_of_types<std::int32_t, std::uint32_t>});
        all.push_back({"reduce_u64", detail::reduce_u64_code.ptx, [] {}, run_reductions_of_types<std::int64_t, std::uint64_t>});
        all.push_back({"reduce_f32", detail::reduce_f32_code.ptx, [] {}, run_reductions_of_types<float>});
        all.push_back({"reduce_f64", detail::reduce_f64_code.ptx, [] {}, run_reductions_of_types<double>});
        append_field_modules(all);
        return all;
    }();
    return modules;
}

}  // namespace cupool::test
