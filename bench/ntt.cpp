// Number-theoretic transforms of arrays on a device: medians of the wall-clock time to completion and of the time between events, in
// milliseconds, beside the time that the products of the transform take at the rate that the device multiplies in the same run.
//
//   cupool_ntt [LOG2_OF_MOST_ELEMENTS [REPETITIONS [CURVE...]]]     default 24 12 and all curves

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/ntt.hpp>
#include <random>
#include <string>
#include <vector>

#include "curve/curve_parameters.hpp"
#include "field/host_field.hpp"
#include "ntt/kernels.hpp"
#include "require.hpp"

namespace {

using namespace cupool;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// One shape of work.
struct Work {
    const char* name;
    unsigned log_size;
    NttDirection direction = NttDirection::forward;
    NttConfig config{};
};

template <Curve C>
class Bench {
public:
    using Field = detail::HostField<typename detail::Parameters<C>::ScalarField>;

    Bench(const DeviceContext& context, unsigned max_log_size, unsigned repetitions)
        : context_(context),
          repetitions_(repetitions),
          domain_(std::size_t{1} << max_log_size, context),
          numbers_(std::size_t{1} << max_log_size),
          inputs_(numbers_.size(), context),
          outputs_(numbers_.size(), context) {
        std::mt19937_64 random(1);
        for (Scalar& number : numbers_) {
            for (std::uint64_t& limb : number.limbs) limb = random();
            number.limbs[3] >>= 4;  // below r, as those of a program are
        }
        copy<Scalar>(inputs_.span(), numbers_, context_.stream());
        giga_products_ = measured_giga_products();
        std::printf("%s: %.1f G products/s\n", to_string(C).c_str(), giga_products_);
    }

    void run(Work work) {
        const std::size_t count = work.config.batch_size << work.log_size;
        if (count > numbers_.size()) return;
        work.config.ctx = context_;
        work.config.are_inputs_on_device = work.config.are_outputs_on_device = work.config.is_async = true;
        const DeviceSpan<Scalar> inputs = inputs_.span().subspan(0, count);
        const DeviceSpan<Scalar> outputs = outputs_.span().subspan(0, count);
        const auto transform = [&] { ntt<C>(inputs, work.direction, domain_, work.config, outputs); };
        transform();
        check(work, count);
        std::vector<double> walls;
        std::vector<double> times;
        Event begin(context_.context(), {.timing = true});
        Event end(context_.context(), {.timing = true});
        for (unsigned i = 0; i <= repetitions_; ++i) {
            const auto start = std::chrono::steady_clock::now();
            begin.record(context_.stream());
            transform();
            end.record(context_.stream());
            context_.stream().synchronize();
            const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
            if (i == 0) continue;
            walls.push_back(wall.count());
            times.push_back(elapsed_milliseconds(begin, end));
        }
        const double products = static_cast<double>(count) / 2 * work.log_size;
        const double bound = products / giga_products_ * 1e-6;
        std::printf("  %-24s 2^%-2u x %-3zu wall %9.4f   events %9.4f   bound %9.4f   share %3.0f%%\n", work.name, work.log_size,
                    work.config.batch_size, median(walls), median(times), bound, 100 * bound / median(times));
        std::fflush(stdout);
    }

private:
    /// By the kernel that makes tables of powers, which is little else than products.
    double measured_giga_products() {
        const detail::NttKernels<C> kernels(context_.context());
        Event begin(context_.context(), {.timing = true});
        Event end(context_.context(), {.timing = true});
        const unsigned multiprocessors = static_cast<unsigned>(context_.context().device().multiprocessor_count());
        const std::size_t count = outputs_.size();
        const unsigned blocks = std::max(1u, std::min(multiprocessors * 8, static_cast<unsigned>(count / 256)));
        const std::size_t threads = std::size_t{blocks} * 256;
        const auto products_of_start = 2 * std::bit_width(threads) + std::popcount(threads);  // of each thread, before its powers
        const double products = static_cast<double>(count + threads * static_cast<std::size_t>(products_of_start));
        double best = 0;
        for (int i = 0; i < 3; ++i) {
            begin.record(context_.stream());
            kernels.powers.launch({blocks, 256}, context_.stream(), outputs_.span(), count, numbers_[0], std::uint64_t{1});
            end.record(context_.stream());
            context_.stream().synchronize();
            best = std::max(best, products / elapsed_milliseconds(begin, end) * 1e-6);
        }
        return best;
    }

    static std::size_t position(const Work& work, std::uint32_t index) {
        if (work.config.ordering == NttOrdering::natural_mixed) return ntt_mixed_position(work.log_size, index);
        return work.config.ordering == NttOrdering::natural_reversed ? detail::reversed_bits(index, work.log_size) : index;
    }

    /// One output of the first transform against the sum that it is.
    void check(const Work& work, std::size_t count) {
        std::vector<Scalar> outputs(count);
        copy<Scalar>(std::span(outputs), outputs_.span().subspan(0, count), context_.stream());
        const std::size_t size = std::size_t{1} << work.log_size;
        const std::size_t index = 0x9e3779b9u % size;
        const bool is_inverse = work.direction == NttDirection::inverse;
        Field root = Field::from_standard(ntt_root_of_unity<C>(work.log_size));
        if (is_inverse) root = root.inverse();
        const Field generator = Field::from_standard(work.config.coset_gen);
        Field point = root.power(Scalar{{index}});
        if (!is_inverse) point = point * generator;
        const std::size_t stride = work.config.columns_batch ? work.config.batch_size : 1;
        Field value = Field::zero();
        for (std::size_t i = size; i-- > 0;) value = value * point + Field::from_standard(numbers_[i * stride]);
        if (is_inverse) value = value * Field::from_standard(size).inverse() * generator.inverse().power(Scalar{{index}});
        require(outputs[position(work, static_cast<std::uint32_t>(index)) * stride] == value.standard(), "a transform is wrong");
    }

    DeviceContext context_;
    unsigned repetitions_;
    NttDomain<C> domain_;
    std::vector<Scalar> numbers_;
    DeviceBuffer<Scalar> inputs_;
    DeviceBuffer<Scalar> outputs_;
    double giga_products_ = 0;
};

template <Curve C>
void run(unsigned max_log_size, unsigned repetitions) {
    Bench<C> bench(DeviceContext::default_for_device(0), max_log_size, repetitions);
    for (const unsigned log_size : {4u, 10u, 12u, 14u, 16u, 18u, 20u, 22u, 24u, 26u}) {
        if (log_size > max_log_size) break;
        bench.run({"forward", log_size});
        bench.run({"inverse", log_size, NttDirection::inverse});
        bench.run({"forward, coset", log_size, NttDirection::forward, {.coset_gen = Scalar{{5}}}});
        bench.run({"inverse, coset", log_size, NttDirection::inverse, {.coset_gen = Scalar{{5}}}});
        bench.run({"forward to mixed", log_size, NttDirection::forward, {.ordering = NttOrdering::natural_mixed}});
        bench.run({"forward to reversed", log_size, NttDirection::forward, {.ordering = NttOrdering::natural_reversed}});
    }
    bench.run({"forward", 2, NttDirection::forward, {.batch_size = 3}});
    bench.run({"forward", 16, NttDirection::forward, {.batch_size = 16}});
    bench.run({"forward, columns", 18, NttDirection::forward, {.batch_size = 64, .columns_batch = true}});
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned max_log_size = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 24;
    const unsigned repetitions = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 12;
    const std::vector<std::string> curves(argv + std::min(argc, 3), argv + argc);
    const auto has = [&](Curve curve) {
        return curves.empty() || std::find(curves.begin(), curves.end(), to_string(curve)) != curves.end();
    };
    try {
        if (has(Curve::bn254)) run<Curve::bn254>(max_log_size, repetitions);
        if (has(Curve::bls12_381)) run<Curve::bls12_381>(max_log_size, repetitions);
        if (has(Curve::bls12_377)) run<Curve::bls12_377>(max_log_size, repetitions);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_ntt: %s\n", error.what());
        return 1;
    }
    return 0;
}
