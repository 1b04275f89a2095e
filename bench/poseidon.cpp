// Hashes by Poseidon and Poseidon2 on a device: medians of the time between events, as hashes a second, beside what the multiplications of
// a hash allow at the rate that the device multiplies in the same run. The digests of the first and the last hashes are compared with the
// host's.
//
//   cupool_poseidon [LOG2_OF_HASHES [REPETITIONS [CURVE...]]]     default 22 12 and all curves

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/kernels/poseidon.hpp>
#include <random>
#include <string>
#include <vector>

#include "bench/multiply_rate.hpp"
#include "bench/poseidon_bound.hpp"
#include "ntt/kernels.hpp"
#include "require.hpp"

namespace {

using namespace cupool;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <Curve C>
class Bench {
public:
    Bench(const DeviceContext& context, unsigned log_count, unsigned repetitions)
        : context_(context), repetitions_(repetitions), count_(std::size_t{1} << log_count) {
        products_ = measured_giga_products();
        std::printf("%s: %.1f G products/s\n", to_string(C).c_str(), products_);
    }

    void run(PoseidonVariant variant, unsigned width) {
        const Poseidon<C> poseidon(variant, width, context_);
        const std::size_t arity = width - 1;
        const std::size_t count = std::max<std::size_t>(1, 2 * count_ / std::bit_ceil(arity));
        const std::vector<Scalar> numbers = random_scalars(count * arity);
        DeviceBuffer<Scalar> inputs(numbers.size(), context_);
        DeviceBuffer<Scalar> outputs(count, context_);
        copy<Scalar>(inputs.span(), numbers, context_.stream());
        const PoseidonConfig config{.ctx = context_, .are_inputs_on_device = true, .are_outputs_on_device = true, .is_async = true};
        const double time = median_of([&] { poseidon_hash<C>(inputs.span(), poseidon, config, outputs.span()); });
        check(numbers, poseidon, outputs);
        const double cost = tools::poseidon_multiply_slots(variant, width, poseidon.partial_rounds());
        report(to_string(variant) + ", width " + std::to_string(width), count, time,
               products_ * tools::product_slots_of_four_limbs / cost * 1e3);
    }

    /// A binary tree of which only the root is kept.
    void run_tree(PoseidonVariant variant) {
        const Poseidon<C> poseidon(variant, 3, context_);
        const std::vector<Scalar> numbers = random_scalars(count_);
        DeviceBuffer<Scalar> leaves(count_, context_);
        DeviceBuffer<Scalar> root(1, context_);
        copy<Scalar>(leaves.span(), numbers, context_.stream());
        const PoseidonConfig config{.ctx = context_, .are_inputs_on_device = true, .are_outputs_on_device = true, .is_async = true};
        const double time = median_of([&] { poseidon_merkle_tree<C>(leaves.span(), poseidon, 1, config, root.span()); });
        const double cost = tools::poseidon_multiply_slots(variant, 3, poseidon.partial_rounds());
        report(to_string(variant) + ", tree of width 3", count_ - 1, time, products_ * tools::product_slots_of_four_limbs / cost * 1e3);
    }

private:
    static std::vector<Scalar> random_scalars(std::size_t count) {
        std::mt19937_64 random(1);
        std::vector<Scalar> numbers(count);
        for (Scalar& number : numbers) {
            for (std::uint64_t& limb : number.limbs) limb = random();
            number.limbs[3] >>= 4;  // below r, as those of a program are
        }
        return numbers;
    }

    template <class Function>
    double median_of(const Function& function) {
        std::vector<double> times;
        Event begin(context_.context(), {.timing = true});
        Event end(context_.context(), {.timing = true});
        for (unsigned i = 0; i <= repetitions_; ++i) {
            begin.record(context_.stream());
            function();
            end.record(context_.stream());
            context_.stream().synchronize();
            if (i != 0) times.push_back(elapsed_milliseconds(begin, end));
        }
        return median(std::move(times));
    }

    static void report(const std::string& name, std::size_t count, double milliseconds, double bound) {
        const double rate = static_cast<double>(count) / milliseconds * 1e-3;
        std::printf("  %-28s %9zu hashes %9.4f ms %8.2f M/s   bound %8.2f   share %3.0f%%\n", name.c_str(), count, milliseconds, rate,
                    bound, 100 * rate / bound);
        std::fflush(stdout);
    }

    /// The first and the last hashes.
    void check(const std::vector<Scalar>& numbers, const Poseidon<C>& poseidon, DeviceBuffer<Scalar>& outputs) {
        const std::size_t arity = poseidon.width() - 1;
        const Poseidon<C> on_host(poseidon.variant(), poseidon.width(), DeviceContext::host());
        const std::size_t compared = std::min<std::size_t>(outputs.size(), 16);
        for (const std::size_t first : {std::size_t{0}, outputs.size() - compared}) {
            std::vector<Scalar> digests(compared);
            std::vector<Scalar> expected(compared);
            copy<Scalar>(std::span(digests), outputs.span().subspan(first, compared), context_.stream());
            poseidon_hash<C>(std::span(numbers).subspan(first * arity, compared * arity), on_host, {}, std::span(expected));
            require(digests == expected, "a hash is wrong");
        }
    }

    /// By the kernel that makes tables of powers, which is little else than products.
    double measured_giga_products() {
        const detail::NttKernels<C> kernels(context_.context());
        const std::size_t count = count_;
        DeviceBuffer<Scalar> powers(count, context_);
        const auto blocks = static_cast<unsigned>(std::max<std::size_t>(1, std::min<std::size_t>(8 * 132, count / 256)));
        const std::size_t threads = std::size_t{blocks} * 256;
        const auto products_of_start = 2 * std::bit_width(threads) + std::popcount(threads);
        const double products = static_cast<double>(count + threads * static_cast<std::size_t>(products_of_start));
        const double time = median_of([&] {
            kernels.powers.launch({blocks, 256}, context_.stream(), powers.span(), std::uint64_t{count}, Scalar{{3}}, std::uint64_t{1});
        });
        return products / time * 1e-6;
    }

    DeviceContext context_;
    unsigned repetitions_;
    std::size_t count_;
    double products_ = 0;
};

template <Curve C>
void run(unsigned log_count, unsigned repetitions) {
    Bench<C> bench(DeviceContext::default_for_device(0), log_count, repetitions);
    for (const unsigned width : {2u, 3u, 4u, 5u, 9u, 12u, 17u}) bench.run(PoseidonVariant::original, width);
    for (const unsigned width : {2u, 3u, 4u, 8u}) bench.run(PoseidonVariant::poseidon2, width);
    if constexpr (C == Curve::bls12_381) {
        for (const unsigned width : {3u, 5u, 9u, 12u}) bench.run(PoseidonVariant::filecoin, width);
    }
    bench.run_tree(PoseidonVariant::original);
    bench.run_tree(PoseidonVariant::poseidon2);
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned log_count = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 22;
    const unsigned repetitions = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 12;
    const std::vector<std::string> curves(argv + std::min(argc, 3), argv + argc);
    const auto has = [&](Curve curve) {
        return curves.empty() || std::find(curves.begin(), curves.end(), to_string(curve)) != curves.end();
    };
    try {
        if (has(Curve::bn254)) run<Curve::bn254>(log_count, repetitions);
        if (has(Curve::bls12_381)) run<Curve::bls12_381>(log_count, repetitions);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_poseidon: %s\n", error.what());
        return 1;
    }
    return 0;
}
