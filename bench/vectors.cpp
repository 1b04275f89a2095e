// Element-wise operations on arrays of scalars on a device: medians of the time between events, and the memory that they read and write a
// second beside that of a copy within the device in the same run. Some results are compared with the host's.
//
//   cupool_vectors [LOG2_OF_ELEMENTS [REPETITIONS]]     default 24 12

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/kernels/vectors.hpp>
#include <functional>
#include <random>
#include <vector>

#include "require.hpp"

namespace {

using namespace cupool;

template <Curve C>
class Bench {
public:
    Bench(const DeviceContext& context, unsigned log_size, unsigned repetitions)
        : context_(context),
          repetitions_(repetitions),
          left_(random_scalars(std::size_t{1} << log_size, 1)),
          right_(random_scalars(left_.size(), 2)),
          left_there_(left_.size(), context),
          right_there_(left_.size(), context),
          results_(left_.size(), context) {
        copy<Scalar>(left_there_.span(), left_, context_.stream());
        copy<Scalar>(right_there_.span(), right_, context_.stream());
    }

    void run() {
        std::printf("%s, %zu elements\n", to_string(C).c_str(), left_.size());
        const double of_copy = median_of([&] { copy_async(results_.span(), left_there_.span(), context_.stream()); });
        copy_rate_ = report("copy within the device", 2, of_copy);
        const auto run = [&](const char* name, int arrays, const auto& operation) {
            const VectorConfig config{.ctx = context_, .is_async = true};
            const double time = median_of([&] { operation(left_there_.span(), right_there_.span(), config, results_.span()); });
            check(operation);
            report(name, arrays, time);
        };
        run("add", 3,
            [](auto left, auto right, const VectorConfig& config, auto results) { add_vectors<C>(left, right, config, results); });
        run("subtract", 3,
            [](auto left, auto right, const VectorConfig& config, auto results) { subtract_vectors<C>(left, right, config, results); });
        run("multiply", 3,
            [](auto left, auto right, const VectorConfig& config, auto results) { multiply_vectors<C>(left, right, config, results); });
        run("multiply, Montgomery form", 3, [](auto left, auto right, VectorConfig config, auto results) {
            config.is_montgomery_form = true;
            multiply_vectors<C>(left, right, config, results);
        });
        run("multiply by powers", 2,
            [](auto left, auto, const VectorConfig& config, auto results) { multiply_by_powers<C>(left, Scalar{{5}}, config, results); });
        run("invert", 5, [](auto left, auto, const VectorConfig& config, auto results) { invert_vector<C>(left, config, results); });
    }

private:
    static std::vector<Scalar> random_scalars(std::size_t count, unsigned seed) {
        std::mt19937_64 random(seed);
        std::vector<Scalar> scalars(count);
        for (Scalar& scalar : scalars) {
            for (std::uint64_t& limb : scalar.limbs) limb = random();
            scalar.limbs[3] >>= 4;  // below r, as those of a program are
        }
        return scalars;
    }

    double median_of(const std::function<void()>& function) {
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
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

    /// \param arrays  that are read or written \return gigabytes a second
    double report(const char* name, int arrays, double milliseconds) const {
        const double rate = static_cast<double>(left_.size() * sizeof(Scalar)) * arrays / milliseconds * 1e-6;
        std::printf("  %-26s %9.4f ms %8.0f GB/s   of a copy's %3.0f%%\n", name, milliseconds, rate,
                    copy_rate_ == 0 ? 100 : 100 * rate / copy_rate_);
        std::fflush(stdout);
        return rate;
    }

    /// The first results; a test compares all of smaller arrays.
    template <class Operation>
    void check(const Operation& operation) {
        const std::size_t count = std::min<std::size_t>(left_.size(), 5000);
        std::vector<Scalar> results(count);
        std::vector<Scalar> expected(count);
        copy<Scalar>(std::span(results), results_.span().subspan(0, count), context_.stream());
        operation(std::span<const Scalar>(left_).first(count), std::span<const Scalar>(right_).first(count), VectorConfig{},
                  std::span(expected));
        require(results == expected, "an element-wise operation is wrong");
    }

    DeviceContext context_;
    unsigned repetitions_;
    std::vector<Scalar> left_;
    std::vector<Scalar> right_;
    DeviceBuffer<Scalar> left_there_;
    DeviceBuffer<Scalar> right_there_;
    DeviceBuffer<Scalar> results_;
    double copy_rate_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const unsigned log_size = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 24;
    const unsigned repetitions = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 12;
    try {
        const DeviceContext context = DeviceContext::default_for_device(0);
        Bench<Curve::bn254>(context, log_size, repetitions).run();
        Bench<Curve::bls12_381>(context, log_size, repetitions).run();
        Bench<Curve::bls12_377>(context, log_size, repetitions).run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_vectors: %s\n", error.what());
        return 1;
    }
    return 0;
}
