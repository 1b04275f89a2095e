// One MSM over 1, 2, 4 ... devices: the speedup by size. Every result is compared with its closed
// form. When the clock starts, scalars are in page-locked host memory and points are there, too, or
// prepared on the devices. Then several MSMs in one call over prepared bases, each divided among the
// devices or whole on one.
//
//   cupool_msm_speedup [FIRST [LAST [RUNS [CURVE [SPREAD]]]]]     sizes are exponents of two, default 16 to 26; 7 timed runs; bn254;
//                                                                 SPREAD is automatic, terms or windows: how devices share an MSM

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "checks/closed_form.hpp"
#include "growing_pools.hpp"

namespace {

using namespace cupool;

struct Options {
    unsigned first = 16;
    unsigned last = 26;
    int runs = 7;
    MsmSpread spread = MsmSpread::automatic;  ///< of a single MSM
};

MsmSpread spread_from(const std::string& name) {
    if (name == "automatic") return MsmSpread::automatic;
    if (name == "terms") return MsmSpread::all_devices;
    if (name == "windows") return MsmSpread::digit_partition;
    throw std::invalid_argument("no way to spread an MSM: " + name);
}

/// Fills the array with random scalars below r, on all cores.
template <Curve C>
void fill_randomly(std::span<Scalar> scalars) {
    const auto fill = [scalars](std::size_t begin, std::size_t count) {
        std::mt19937_64 random(begin + 1);
        const std::uint64_t top_limb = ~std::uint64_t{0} >> (256 - scalar_bits<C>);
        for (Scalar& scalar : scalars.subspan(begin, count)) {
            do {
                for (std::uint64_t& limb : scalar.limbs) limb = random();
                scalar.limbs[3] &= top_limb;
            } while (!is_reduced_scalar<C>(scalar));
        }
    };
    const std::size_t parts = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < parts; ++i) {
        const std::size_t begin = scalars.size() / parts * i;
        const std::size_t end = i + 1 == parts ? scalars.size() : begin + scalars.size() / parts;
        threads.emplace_back(fill, begin, end - begin);
    }
    for (std::thread& thread : threads) thread.join();
}

/// \return the median in milliseconds; the first run is checked, not timed
double median_of(int runs, const std::function<void()>& run, const std::function<void()>& check) {
    run();
    check();
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        run();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
        check();
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

template <Curve C>
AffinePoint<C> standard_form(const JacobianPoint<C>& point) {
    std::array<AffinePoint<C>, 2> coordinates{{{point.x, point.y}, {point.z, {}}}};
    points_from_montgomery_form<C>(coordinates);
    return to_affine(JacobianPoint<C>{coordinates[0].x, coordinates[0].y, coordinates[1].x});
}

constexpr unsigned batch_exponent = 3;
constexpr std::size_t batch = 1 << batch_exponent;  ///< MSMs in one call

/// The operands and their sums.
template <Curve C>
class Operands {
public:
    Operands(std::size_t most, ContextView context) : points_(most, context), scalars_(most, context) {
        std::vector<AffinePoint<C>> multiples = generator_multiples<C>(1, most);
        points_to_montgomery_form<C>(multiples);
        std::copy(multiples.begin(), multiples.end(), points_.data());
        fill_randomly<C>(scalars_);
    }

    std::span<const AffinePoint<C>> points(std::size_t terms) const { return std::span<const AffinePoint<C>>(points_).first(terms); }
    std::span<const Scalar> scalars(std::size_t terms) const { return std::span<const Scalar>(scalars_).first(terms); }
    /// The sums of `msms` MSMs whose scalars follow each other.
    std::vector<AffinePoint<C>> expected(std::size_t terms, std::size_t msms = 1) const {
        std::vector<AffinePoint<C>> sums;
        for (std::size_t k = 0; k < msms; ++k) {
            sums.push_back(multiply(generator<C>(), tools::weighted_sum<C>(scalars(msms * terms).subspan(k * terms, terms))));
        }
        return sums;
    }

private:
    PinnedBuffer<AffinePoint<C>> points_;
    PinnedBuffer<Scalar> scalars_;
};

struct Measured {
    double milliseconds;
    std::size_t devices;  ///< that took part
};

/// \param msms  runs the MSMs once
template <Curve C, class Msms>
Measured measure(int runs, const std::vector<AffinePoint<C>>& expected, const Msms& msms) {
    std::vector<JacobianPoint<C>> sums(expected.size());
    RunReport report;
    const auto is_right = [](const JacobianPoint<C>& sum, const AffinePoint<C>& point) { return standard_form(sum) == point; };
    const double milliseconds = median_of(
        runs, [&] { report = msms(std::span(sums)); },
        [&] {
            if (!std::equal(sums.begin(), sums.end(), expected.begin(), is_right))
                throw std::runtime_error("an MSM is not its closed form");
        });
    return {milliseconds, report.devices.size()};
}

template <Curve C>
Measured measure_whole(const DevicePool& pool, const Operands<C>& operands, std::size_t terms, MsmSpread spread, int runs) {
    MsmConfig config;
    config.are_points_montgomery_form = true;
    return measure<C>(runs, operands.expected(terms), [&](std::span<JacobianPoint<C>> sums) {
        return pool.msm<C>(operands.scalars(terms), operands.points(terms), config, sums[0], spread);
    });
}

template <Curve C>
Measured measure_prepared(const DevicePool& pool, const Operands<C>& operands, std::size_t terms, std::size_t msms, MsmSpread spread,
                          int runs) {
    PrepareConfig prepare;
    prepare.are_points_montgomery_form = true;
    const PooledBases<C> bases = pool.prepare<C>(operands.points(terms), prepare, spread);
    MsmConfig config;
    config.are_points_montgomery_form = true;
    return measure<C>(runs, operands.expected(terms, msms),
                      [&](std::span<JacobianPoint<C>> sums) { return pool.msm<C>(operands.scalars(msms * terms), bases, config, sums); });
}

template <class Measure>
void print_table(const std::string& title, const Options& options, const std::vector<DevicePool>& pools, const Measure& measure_on) {
    std::printf("%s, medians of %d runs\n    n", title.c_str(), options.runs);
    for (const DevicePool& pool : pools) std::printf("  %2zu devices ms  x one  took part", pool.device_count());
    std::printf("\n");
    for (unsigned exponent = options.first; exponent <= options.last; ++exponent) {
        double on_one = 0;
        std::printf(" 2^%-2u", exponent);
        for (const DevicePool& pool : pools) {
            const Measured measured = measure_on(pool, std::size_t{1} << exponent);
            if (on_one == 0) on_one = measured.milliseconds;
            std::printf("  %13.3f  %5.2f  %9zu", measured.milliseconds, on_one / measured.milliseconds, measured.devices);
            std::fflush(stdout);
        }
        std::printf("\n");
    }
}

template <Curve C>
void run(const Options& options) {
    const std::vector<DevicePool> pools = growing_pools();
    const Operands<C> operands(std::size_t{1} << options.last, pools[0].context_at(0).context());
    print_table(
        to_string(C) + ", points and scalars in page-locked host memory", options, pools,
        [&](const DevicePool& pool, std::size_t terms) { return measure_whole<C>(pool, operands, terms, options.spread, options.runs); });
    print_table(to_string(C) + ", prepared bases, scalars in page-locked host memory", options, pools,
                [&](const DevicePool& pool, std::size_t terms) {
                    return measure_prepared<C>(pool, operands, terms, 1, options.spread, options.runs);
                });
    if (options.spread != MsmSpread::automatic) return;  // the option does not apply to several MSMs
    if (options.first + batch_exponent > options.last) {
        std::printf("no batches of %zu MSMs: they need LAST to be FIRST + %u or more\n", batch, batch_exponent);
        return;
    }
    Options smaller = options;  // so that a batch has as many scalars as there are
    smaller.last -= batch_exponent;
    for (const MsmSpread spread : {MsmSpread::all_devices, MsmSpread::one_device}) {
        const std::string where = spread == MsmSpread::all_devices ? "divided among the devices" : "whole on each device";
        print_table(to_string(C) + ", " + std::to_string(batch) + " MSMs in one call over prepared bases, " + where, smaller, pools,
                    [&](const DevicePool& pool, std::size_t terms) {
                        return measure_prepared<C>(pool, operands, terms, batch, spread, options.runs);
                    });
    }
}

unsigned number(int count, char** words, int index, unsigned otherwise) {
    return count > index ? static_cast<unsigned>(std::strtoul(words[index], nullptr, 10)) : otherwise;
}

}  // namespace

int main(int count, char** words) {
    try {
        Options options;
        options.first = number(count, words, 1, options.first);
        options.last = number(count, words, 2, std::max(options.first, options.last));
        options.runs = static_cast<int>(number(count, words, 3, 7));
        const std::optional<Curve> curve = curve_from_name(count > 4 ? words[4] : "bn254");
        if (count > 5) options.spread = spread_from(words[5]);
        if (options.last > 28 || options.first > options.last || options.runs < 1 || !curve) throw std::invalid_argument("see the source");
        with_curve(*curve, [&]<Curve C>() { run<C>(options); });
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
