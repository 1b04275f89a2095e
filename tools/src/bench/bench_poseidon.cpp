#include <cupool/pool/pooled_poseidon.hpp>
#include <memory>
#include <random>

#include "bench/bench.hpp"
#include "bench/multiply_rate.hpp"
#include "bench/operand_memory.hpp"
#include "bench/poseidon_bound.hpp"
#include "bench/random_scalars.hpp"
#include "options/curve_option.hpp"
#include "options/poseidon_options.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

constexpr unsigned largest_exponent = 28;

struct BenchPoseidonOptions {
    std::string curve;
    PoseidonChoice choice;
    BenchOptions bench;
};

/// The hashes to measure, over a pool.
template <Curve C>
class HashJob {
public:
    HashJob(const std::vector<Scalar>& inputs, OperandMemory memory, const BenchPoseidonOptions& options, const DevicePool& pool)
        : inputs_(inputs),
          placed_(inputs, memory, pool),
          options_(options),
          pool_(pool),
          poseidon_(options.choice.permutation<C>(pool)),
          digests_(inputs.size() / options.choice.arity()) {
        if (placed_.is_on_device()) device_digests_ = DeviceBuffer<Scalar>(digests_.size(), pool.context_at(0));
    }

    /// The part that is timed.
    void run() {
        PoseidonConfig config;
        config.are_inputs_on_device = config.are_outputs_on_device = placed_.is_on_device();
        const auto digests = placed_.is_on_device() ? PoolOutputOperand<Scalar>(device_digests_) : PoolOutputOperand<Scalar>(digests_);
        report_ = poseidon_hash<C>(placed_.operand(), poseidon_, config, digests);
    }

    /// The first digests are those of permuted states, as far as some of them are compared; later ones are the first.
    bool is_right() {
        if (placed_.is_on_device()) copy(std::span(digests_), device_digests_.span(), pool_.context_at(0).stream());
        if (expected_.empty()) {
            constexpr std::size_t most_compared = 256;
            const std::size_t count = std::min(digests_.size(), most_compared);
            for (const std::size_t first : {std::size_t{0}, digests_.size() - count}) {
                if (permuted(first, count) != std::vector<Scalar>(digests_.begin() + static_cast<std::ptrdiff_t>(first),
                                                                  digests_.begin() + static_cast<std::ptrdiff_t>(first + count)))
                    return false;
            }
            expected_ = digests_;
        }
        return digests_ == expected_;
    }

    std::string check() const {
        const DevicePool other = open_second_pool(pool_.engine(), options_.bench.engine);
        std::vector<Scalar> digests(digests_.size());
        poseidon_hash<C>(inputs_, options_.choice.permutation<C>(other), {}, digests);
        if (digests != expected_) throw CheckFailed("the hashes on " + to_string(other) + " differ");
        return "the same hashes on " + to_string(other);
    }

    double slots() const {
        const unsigned partial_rounds = poseidon_on_host().partial_rounds();
        return static_cast<double>(digests_.size()) *
               poseidon_multiply_slots(options_.choice.variant(), options_.choice.width, partial_rounds);
    }
    /// The devices that took part.
    const std::vector<int>& devices() const { return report_.devices; }

private:
    Poseidon<C> poseidon_on_host() const { return options_.choice.permutation<C>(DevicePool::host()).poseidon_at(0); }

    /// By the host, from whole states with their tags.
    std::vector<Scalar> permuted(std::size_t first, std::size_t count) const {
        const bool is_tag_last = options_.choice.variant() == PoseidonVariant::poseidon2;
        const bool is_filecoin = options_.choice.variant() == PoseidonVariant::filecoin;
        const std::size_t arity = options_.choice.arity();
        std::vector<Scalar> states;
        for (std::size_t hash = first; hash < first + count; ++hash) {
            const auto begin = inputs_.begin() + static_cast<std::ptrdiff_t>(hash * arity);
            const Scalar tag{{is_filecoin ? (std::uint64_t{1} << arity) - 1 : 0}};
            if (!is_tag_last) states.push_back(tag);
            states.insert(states.end(), begin, begin + static_cast<std::ptrdiff_t>(arity));
            if (is_tag_last) states.push_back(tag);
        }
        std::vector<Scalar> results(states.size());
        poseidon_permute<C>(std::span(states), poseidon_on_host(), {}, std::span(results));
        std::vector<Scalar> digests;
        for (std::size_t i = is_filecoin ? 1 : 0; i < results.size(); i += arity + 1) digests.push_back(results[i]);
        return digests;
    }

    const std::vector<Scalar>& inputs_;
    PlacedArray<Scalar> placed_;
    const BenchPoseidonOptions& options_;
    const DevicePool& pool_;
    PooledPoseidon<C> poseidon_;
    RunReport report_;
    std::vector<Scalar> digests_;
    DeviceBuffer<Scalar> device_digests_;
    std::vector<Scalar> expected_;
};

template <Curve C>
BenchResult bench_size(unsigned exponent, const BenchPoseidonOptions& options, const DevicePool& pool, OperandMemory memory,
                       std::mt19937_64& random) {
    Progress progress("2^" + std::to_string(exponent) + " hashes");
    progress.show();
    const auto inputs = uniform_scalars<C>(options.choice.arity() << exponent, random);
    HashJob<C> job(inputs, memory, options, pool);
    BenchResult measured{exponent, 1, {}, {}, {}};
    measured.timing = measure(
        options.bench.runs, progress, [&] { job.run(); },
        [&] {
            if (!job.is_right()) throw CheckFailed("some of 2^" + std::to_string(exponent) + " hashes are not those of permuted states");
        });
    measured.bound = multiply_milliseconds(job.slots(), pool, job.devices());
    if (options.bench.check) measured.checked_by = job.check();
    return measured;
}

template <Curve C>
std::string bench_poseidon(const BenchPoseidonOptions& options) {
    if constexpr (!PoseidonCurve<C>) {
        throw UsageError(poseidon_curves_text);
    } else {
        const auto pool = open_pool(options.bench.engine);
        const auto memory = operand_memory("--memory", options.bench.memory, pool);
        std::mt19937_64 random(std::random_device{}());
        std::vector<BenchResult> results;
        for (const auto exponent : options.bench.sizes) results.push_back(bench_size<C>(exponent, options, pool, memory, random));
        const Json subject{{"benchmark", "poseidon"},
                           {"curve", to_string(C)},
                           {"variant", to_string(options.choice.variant())},
                           {"width", options.choice.width}};
        return bench_output(subject, "hashes", options.bench, pool, results);
    }
}

}  // namespace

void add_bench_poseidon_command(CLI::App& bench, std::string& output) {
    const auto options = std::make_shared<BenchPoseidonOptions>();
    options->bench.sizes = {16, 20, 22};
    auto& command = *bench.add_subcommand("poseidon", "hashes of random scalars, some held against permuted states");
    add_scalar_field_option(command, options->curve, "bn254|bls12-381");
    add_poseidon_choice(command, options->choice);
    add_bench_options(command, options->bench, largest_exponent);
    command.callback([options, &output] {
        output = with_curve(curve_of_option(options->curve), [&]<Curve C>() { return bench_poseidon<C>(*options); });
    });
}

}  // namespace cupool::tools
