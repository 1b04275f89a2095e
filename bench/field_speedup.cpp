// Transforms and hashes over 1, 2, 4 ... devices: the speedup by size. Operands lie in slices on the devices, or in page-locked host
// memory. Results over one device are checked against a sum (one output of a transform) or the host (some hashes), and those over several
// devices against those over one.
//
//   cupool_field_speedup [FIRST [LAST [RUNS [CURVE]]]]     exponents of the numbers of elements, default 18 to 26; 15 timed runs; bn254

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "curve/scalar_field.hpp"
#include "growing_pools.hpp"
#include "require.hpp"

namespace {

using namespace cupool;

struct Measured {
    double milliseconds;  ///< median wall-clock time of a call
    std::size_t devices;  ///< that took part
};

Measured measure(unsigned runs, const std::function<RunReport()>& run) {
    std::vector<double> times;
    RunReport report = run();
    for (unsigned i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        report = run();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], report.devices.size()};
}

/// Slices of equal size on the devices of a pool.
class Slices {
public:
    Slices(const DevicePool& pool, std::size_t size) : pool_(pool) {
        for (const DeviceContext& context : pool) buffers_.emplace_back(size / pool.device_count(), context);
    }
    void set(std::span<const Scalar> elements) {
        std::size_t done = 0;
        for (DeviceBuffer<Scalar>& buffer : buffers_) {
            copy(buffer.span(), elements.subspan(done, buffer.size()), pool_.context(buffer.device()).stream());
            done += buffer.size();
        }
    }
    std::vector<Scalar> get() {
        std::vector<Scalar> elements;
        for (DeviceBuffer<Scalar>& buffer : buffers_) {
            std::vector<Scalar> part(buffer.size());
            copy(std::span(part), buffer.span(), pool_.context(buffer.device()).stream());
            elements.insert(elements.end(), part.begin(), part.end());
        }
        return elements;
    }
    std::vector<DeviceBuffer<Scalar>>& buffers() { return buffers_; }

private:
    const DevicePool& pool_;
    std::vector<DeviceBuffer<Scalar>> buffers_;
};

/// The time over each pool, and the results of the pool before to hold the next ones against.
class Row {
public:
    Row(const char* work, unsigned exponent) { std::printf("  %-44s 2^%-2u", work, exponent); }
    ~Row() {
        std::printf("\n");
        std::fflush(stdout);
    }
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;

    void add(const Measured& measured, std::vector<Scalar> results) {
        require(expected_.empty() || results == expected_, "several devices have other results than one");
        expected_ = std::move(results);
        if (first_ == 0) first_ = measured.milliseconds;
        std::printf("  %zu: %9.4f ms (%.2f)", measured.devices, measured.milliseconds, first_ / measured.milliseconds);
    }

private:
    std::vector<Scalar> expected_;
    double first_ = 0;
};

/// One output of a forward transform in natural order is the sum that it is.
template <Curve C>
void check_transform(std::span<const Scalar> inputs, std::span<const Scalar> outputs, unsigned exponent) {
    using Field = detail::ScalarField<C>;
    const std::size_t index = 0x9e3779b9u % inputs.size();
    const Field point = Field::from_standard(ntt_root_of_unity<C>(exponent)).power(Scalar{{index}});
    Field value = Field::zero();
    for (std::size_t i = inputs.size(); i-- > 0;) value = value * point + Field::from_standard(inputs[i]);
    require(outputs[index] == value.standard(), "a transform is wrong");
}

template <Curve C>
class Bench {
public:
    Bench(unsigned last, unsigned runs)
        : runs_(runs),
          pools_(growing_pools()),
          inputs_(std::size_t{1} << last, pools_[0].context_at(0).context()),
          outputs_(inputs_.size(), pools_[0].context_at(0).context()) {
        std::mt19937_64 random(1);
        for (Scalar& number : inputs_.span()) {
            for (std::uint64_t& limb : number.limbs) limb = random();
            number.limbs[3] >>= 4;  // below r, as those of a program are
        }
    }

    void transform(unsigned exponent, std::size_t batch, NttOrdering ordering, bool are_on_devices, const char* work) {
        Row row(work, exponent);
        const std::size_t count = batch << exponent;
        if (count > inputs_.size()) return;
        for (const DevicePool& pool : pools_) {
            const PooledNttDomain<C> domain(pool, std::size_t{1} << exponent);
            NttConfig config{.batch_size = batch, .ordering = ordering};
            if (are_on_devices) {
                Slices from(pool, count);
                Slices to(pool, count);
                from.set(inputs(count));
                config.are_inputs_on_device = config.are_outputs_on_device = true;
                const Measured measured =
                    measure(runs_, [&] { return ntt<C>(from.buffers(), NttDirection::forward, domain, config, to.buffers()); });
                const std::vector<Scalar> results = to.get();
                check(exponent, ordering, results);
                row.add(measured, results);
            } else {
                const Measured measured = measure(
                    runs_, [&] { return ntt<C>(inputs(count), NttDirection::forward, domain, config, outputs_.span().first(count)); });
                const auto results = outputs_.span().first(count);
                check(exponent, ordering, results);
                row.add(measured, {results.begin(), results.end()});
            }
        }
    }

    void hash(unsigned exponent, bool are_on_devices, const char* work) {
        if constexpr (PoseidonCurve<C>) {
            Row row(work, exponent);
            const std::size_t count = std::size_t{1} << exponent;
            for (const DevicePool& pool : pools_) {
                const PooledPoseidon<C> poseidon(pool, PoseidonVariant::poseidon2, 3);
                PoseidonConfig config;
                if (are_on_devices) {
                    Slices from(pool, count);
                    Slices to(pool, count / 2);
                    from.set(inputs(count));
                    config.are_inputs_on_device = config.are_outputs_on_device = true;
                    const Measured measured =
                        measure(runs_, [&] { return poseidon_hash<C>(from.buffers(), poseidon, config, to.buffers()); });
                    const std::vector<Scalar> results = to.get();
                    check_hashes(results);
                    row.add(measured, results);
                } else {
                    const auto results = outputs_.span().first(count / 2);
                    const Measured measured = measure(runs_, [&] { return poseidon_hash<C>(inputs(count), poseidon, config, results); });
                    check_hashes(results);
                    row.add(measured, {results.begin(), results.end()});
                }
            }
        }
    }

    void tree(unsigned exponent, const char* work) {
        if constexpr (PoseidonCurve<C>) {
            Row row(work, exponent);
            const std::size_t count = std::size_t{1} << exponent;
            for (const DevicePool& pool : pools_) {
                const PooledPoseidon<C> poseidon(pool, PoseidonVariant::poseidon2, 3);
                std::vector<Scalar> root(1);
                const Measured measured = measure(runs_, [&] { return poseidon_merkle_tree<C>(inputs(count), poseidon, 1, {}, root); });
                if (exponent <= largest_checked_tree) {
                    std::vector<Scalar> expected(1);
                    poseidon_merkle_tree<C>(inputs(count), on_host(), 1, {}, std::span(expected));
                    require(root == expected, "the root of a tree is wrong");
                }
                row.add(measured, root);
            }
        }
    }

private:
    std::span<const Scalar> inputs(std::size_t count) const { return inputs_.span().first(count); }

    static constexpr unsigned largest_checked_tree = 12;

    void check(unsigned exponent, NttOrdering ordering, std::span<const Scalar> outputs) {
        const std::size_t size = std::size_t{1} << exponent;
        if (ordering == NttOrdering::natural_natural) check_transform<C>(inputs(size), outputs.first(size), exponent);
    }

    static const auto& on_host() {
        static const Poseidon<C> poseidon(PoseidonVariant::poseidon2, 3, DeviceContext::host());
        return poseidon;
    }
    void check_hashes(std::span<const Scalar> digests) {
        std::vector<Scalar> expected(std::min<std::size_t>(digests.size(), 64));
        poseidon_hash<C>(inputs(2 * expected.size()), on_host(), {}, std::span(expected));
        require(std::equal(expected.begin(), expected.end(), digests.begin()), "a hash is wrong");
    }

    unsigned runs_;
    std::vector<DevicePool> pools_;
    PinnedBuffer<Scalar> inputs_;
    PinnedBuffer<Scalar> outputs_;
};

template <Curve C>
void run(unsigned first, unsigned last, unsigned runs) {
    std::printf("%s: devices that took part, median milliseconds of %u calls (and the speedup over one device)\n", to_string(C).c_str(),
                runs);
    Bench<C> bench(last, runs);
    for (unsigned exponent = first; exponent <= last; exponent += 2) {
        bench.transform(exponent, 1, NttOrdering::natural_natural, true, "one transform in slices, NN");
        bench.transform(exponent, 1, NttOrdering::natural_mixed, true, "one transform in slices, NM");
        bench.transform(exponent, 1, NttOrdering::natural_natural, false, "one transform in host memory, NN");
        bench.hash(exponent, true, "Poseidon2 of width 3, elements in slices");
        bench.hash(exponent, false, "Poseidon2 of width 3, elements in host memory");
        bench.tree(exponent, "Poseidon2 tree to its root, leaves in host memory");
    }
    constexpr unsigned batch_exponent = 6;
    if (last < batch_exponent) return;
    bench.transform(last - batch_exponent, 1u << batch_exponent, NttOrdering::natural_natural, true, "64 transforms in slices");
    bench.transform(last - batch_exponent, 1u << batch_exponent, NttOrdering::natural_natural, false, "64 transforms in host memory");
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int index, unsigned otherwise) {
        return argc > index ? static_cast<unsigned>(std::atoi(argv[index])) : otherwise;
    };
    const std::string curve = argc > 4 ? argv[4] : "bn254";
    if (curve != "bn254" && curve != "bls12-381" && curve != "bls12-377") {
        std::fprintf(stderr, "cupool_field_speedup: no curve %s; there are bn254, bls12-381, bls12-377\n", curve.c_str());
        return 2;
    }
    try {
        if (curve == "bn254") run<Curve::bn254>(number(1, 18), number(2, 26), number(3, 15));
        if (curve == "bls12-381") run<Curve::bls12_381>(number(1, 18), number(2, 26), number(3, 15));
        if (curve == "bls12-377") run<Curve::bls12_377>(number(1, 18), number(2, 26), number(3, 15));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_field_speedup: %s\n", error.what());
        return 1;
    }
    return 0;
}
