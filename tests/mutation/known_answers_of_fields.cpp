#include "known_answers_of_fields.hpp"

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/ntt.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/poseidon.hpp>
#include <cupool/kernels/vectors.hpp>
#include <functional>
#include <memory>
#include <random>
#include <span>

#include "ntt/device_ntt.hpp"
#include "ntt/host_ntt.hpp"
#include "ntt/sliced_ntt.hpp"
#include "support/shipped_code.hpp"

namespace cupool::test {
namespace {

/// What a call writes on a context.
using Compute = std::function<std::vector<Scalar>(const DeviceContext&)>;

/// Named calls that give the same on every engine.
struct FieldJob {
    std::string name;
    Compute compute;
};

/// The host's answers, computed once for all mutants.
class Answers {
public:
    explicit Answers(std::vector<FieldJob> jobs) : jobs_(std::move(jobs)) {}

    void prepare() {
        if (!answers_.empty()) return;
        for (const FieldJob& job : jobs_) answers_.push_back(job.compute(DeviceContext::host()));
    }
    std::string wrong_on(const DeviceContext& context) const {
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (jobs_[i].compute(context) != answers_[i]) return jobs_[i].name;
        }
        return {};
    }

private:
    std::vector<FieldJob> jobs_;
    std::vector<std::vector<Scalar>> answers_;
};

/// Numbers of 256 bits: random ones, those about multiples of r, and those of few kinds of limbs, so that carries go where random numbers
/// would hardly ever send them.
template <Curve C>
std::vector<Scalar> striking_scalars(std::size_t count) {
    std::mt19937_64 random(count);
    const Scalar order = group_order<C>();
    std::vector<Scalar> scalars(count);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::uint64_t& limb : scalars[i].limbs) {
            const std::uint64_t kinds[] = {0, 1, ~std::uint64_t{0}, 0xffffffff, 0xffffffff00000000, std::uint64_t{1} << 63};
            limb = i % 3 == 0 ? kinds[random() % std::size(kinds)] : random();
        }
        if (i % 7 == 0) scalars[i] = order;
        if (i % 7 == 0) scalars[i].limbs[0] += i % 3 - 1;
        if (i % 11 == 0) scalars[i] = Scalar{{i % 3}};
    }
    return scalars;
}

template <Curve C>
FieldJob transform(unsigned log_size, NttDirection direction, NttConfig config, std::size_t domain_size) {
    const std::string name = to_string(direction) + " transform of 2^" + std::to_string(log_size) + ", " + to_string(config.ordering);
    return {name, [=](const DeviceContext& context) {
                NttConfig here = config;
                here.ctx = context;
                const auto inputs = striking_scalars<C>(config.batch_size << log_size);
                std::vector<Scalar> outputs(inputs.size());
                ntt<C>(std::span(inputs), direction, NttDomain<C>(domain_size, context), here, std::span(outputs));
                return outputs;
            }};
}

/// The same with passes of fewer elements.
template <Curve C>
FieldJob transform_in_passes(unsigned log_size, NttDirection direction, const NttConfig& config, unsigned max_pass_bits) {
    return {"transform in passes of up to 2^" + std::to_string(max_pass_bits), [=](const DeviceContext& context) {
                NttConfig here = config;
                here.ctx = context;
                const NttDomain<C> domain(std::size_t{1} << log_size, context);
                const auto inputs = striking_scalars<C>(config.batch_size << log_size);
                std::vector<Scalar> outputs(inputs.size());
                const Operand<Scalar> operand = std::span(inputs);
                const detail::NttJob<C> job{operand, direction, domain.state(), here, std::span(outputs), {.max_pass_bits = max_pass_bits}};
                if (context.is_host()) {
                    detail::ntt_on_host(job);
                } else {
                    detail::ntt_on_device(job);
                }
                return outputs;
            }};
}

/// Arrays of equal size, one behind the other.
std::vector<DeviceSpan<Scalar>> slices_of(DeviceSpan<Scalar> whole, std::size_t count) {
    std::vector<DeviceSpan<Scalar>> slices;
    for (std::size_t i = 0; i < count; ++i) slices.push_back(whole.subspan(i * (whole.size() / count), whole.size() / count));
    return slices;
}

/// A transform over slices.
template <Curve C>
FieldJob sliced_transform(unsigned log_size, NttDirection direction, NttOrdering ordering, std::size_t domain_size,
                          unsigned max_pass_bits) {
    return {"transform over slices, " + to_string(ordering), [=](const DeviceContext& context) {
                auto elements = striking_scalars<C>(std::size_t{1} << log_size);
                const NttConfig config{.coset_gen = Scalar{{5}}, .ordering = ordering};
                const NttDomain<C> domain(domain_size, context);
                const Operand<Scalar> operand = std::span(elements);
                if (context.is_host()) {
                    detail::ntt_on_host(detail::NttJob<C>{
                        operand, direction, domain.state(), config, std::span(elements), {.max_pass_bits = max_pass_bits}});
                    return elements;
                }
                constexpr std::size_t slices = 4;
                DeviceBuffer<Scalar> outer(elements.size(), context);
                DeviceBuffer<Scalar> inner(elements.size(), context);
                copy<Scalar>(outer.span(), elements, context.stream());
                const auto ends = slices_of(outer.span(), slices);
                const auto between = slices_of(inner.span(), slices);
                const detail::SlicedNtt<C> sliced(elements.size(), slices, direction, config, max_pass_bits);
                for (std::size_t pass = 0; pass < sliced.pass_count(); ++pass) {
                    const auto& from = pass == 0 ? ends : between;
                    const std::vector<DeviceSpan<const Scalar>> inputs(from.begin(), from.end());
                    for (std::size_t i = 0; i < slices; ++i)
                        sliced.enqueue(pass, domain, context, i, inputs, pass + 1 == sliced.pass_count() ? ends : between);
                }
                copy<Scalar>(std::span(elements), outer.span(), context.stream());
                return elements;
            }};
}

template <Curve C>
std::vector<FieldJob> transforms() {
    constexpr std::size_t two_tables = std::size_t{1} << 25;  // of powers of the root
    std::vector<FieldJob> jobs;
    for (const unsigned log_size : {0u, 1u, 2u, 3u, 5u}) {
        for (const auto direction : {NttDirection::forward, NttDirection::inverse})
            jobs.push_back(transform<C>(log_size, direction, {.coset_gen = Scalar{{7}}, .batch_size = 5}, 64));
    }
    for (const auto ordering : {NttOrdering::natural_natural, NttOrdering::natural_reversed, NttOrdering::reversed_natural,
                                NttOrdering::natural_mixed, NttOrdering::mixed_natural}) {
        for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
            const NttConfig config{.coset_gen = Scalar{{3}}, .batch_size = 3, .columns_batch = true, .ordering = ordering};
            jobs.push_back(transform_in_passes<C>(8, direction, config, 3));
            jobs.push_back(sliced_transform<C>(8, direction, ordering, 1 << 9, 3));
        }
    }
    for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
        jobs.push_back(transform<C>(11, direction, {.coset_gen = Scalar{{3}}}, two_tables));
        jobs.push_back(sliced_transform<C>(11, direction, NttOrdering::natural_natural, two_tables, detail::max_ntt_pass_bits));
    }
    return jobs;
}

template <Curve C>
std::vector<FieldJob> vector_operations() {
    std::vector<FieldJob> jobs;
    const auto add = [&](const std::string& name, const auto& operation) {
        for (const bool is_montgomery_form : {false, true}) {
            for (const std::size_t count : {1, 1500}) {  // several elements a thread
                jobs.push_back({name, [=](const DeviceContext& context) {
                                    const auto left = striking_scalars<C>(count);
                                    auto right = striking_scalars<C>(count + 1);
                                    right.pop_back();
                                    std::vector<Scalar> results(count);
                                    const VectorConfig config{.ctx = context, .is_montgomery_form = is_montgomery_form};
                                    operation(std::span<const Scalar>(left), std::span<const Scalar>(right), config, std::span(results));
                                    return results;
                                }});
            }
        }
    };
    using In = std::span<const Scalar>;
    using Out = std::span<Scalar>;
    add("sum", [](In left, In right, const VectorConfig& config, Out results) { add_vectors<C>(left, right, config, results); });
    add("difference",
        [](In left, In right, const VectorConfig& config, Out results) { subtract_vectors<C>(left, right, config, results); });
    add("product", [](In left, In right, const VectorConfig& config, Out results) { multiply_vectors<C>(left, right, config, results); });
    add("powers", [](In left, In, const VectorConfig& config, Out results) {
        multiply_by_powers<C>(left, Scalar{{11, 13}}, config, results);
    });
    add("inverse", [](In left, In, const VectorConfig& config, Out results) { invert_vector<C>(left, config, results); });
    return jobs;
}

template <Curve C>
FieldJob hashes(PoseidonVariant variant, unsigned width, const PoseidonConfig& config) {
    return {to_string(variant) + " of width " + std::to_string(width), [=](const DeviceContext& context) {
                PoseidonConfig here = config;
                here.ctx = context;
                const Poseidon<C> poseidon(variant, width, context);
                const auto inputs = striking_scalars<C>(std::size_t{3} * width);
                std::vector<Scalar> outputs(inputs.size());
                poseidon_permute<C>(std::span(inputs), poseidon, here, std::span(outputs));
                std::vector<Scalar> digest(1);
                if (!config.is_compression) {
                    poseidon_sponge<C>(std::span(inputs), inputs.size(), poseidon, here, std::span(digest));
                    outputs.push_back(digest[0]);
                }
                poseidon_hash<C>(std::span(inputs).first(config.is_compression ? width : width - 1), poseidon, here, std::span(digest));
                outputs.push_back(digest[0]);
                return outputs;
            }};
}

template <Curve C>
std::vector<FieldJob> poseidon_jobs() {
    std::vector<FieldJob> jobs;
    for (const unsigned width : {2u, 3u, 4u, 6u}) jobs.push_back(hashes<C>(PoseidonVariant::original, width, {}));
    jobs.push_back(hashes<C>(PoseidonVariant::original, 3, {.is_montgomery_form = true, .is_compression = true}));
    if (C == Curve::bls12_381) jobs.push_back(hashes<C>(PoseidonVariant::filecoin, 3, {}));
    return jobs;
}

template <Curve C>
std::vector<FieldJob> poseidon2_jobs() {
    std::vector<FieldJob> jobs;
    for (const unsigned width : {2u, 3u, 4u, 8u}) jobs.push_back(hashes<C>(PoseidonVariant::poseidon2, width, {}));
    jobs.push_back(hashes<C>(PoseidonVariant::poseidon2, 3, {.is_montgomery_form = true, .is_compression = true}));
    return jobs;
}

void append(std::vector<ShippedModule>& modules, const std::string& name, const char* text, std::vector<FieldJob> jobs) {
    const auto answers = std::make_shared<Answers>(std::move(jobs));
    modules.push_back(
        {name, text, [answers] { answers->prepare(); }, [answers](const DeviceContext& context) { return answers->wrong_on(context); }});
}

template <Curve C>
void append_transforms(std::vector<ShippedModule>& modules, const std::string& curve) {
    append(modules, "ntt_" + curve, detail::ntt_code<C>().ptx, transforms<C>());
    append(modules, "vectors_" + curve, detail::vectors_code<C>().ptx, vector_operations<C>());
}

template <Curve C>
void append_hashes(std::vector<ShippedModule>& modules, const std::string& curve) {
    append(modules, "poseidon_" + curve, detail::poseidon_code<C>().ptx, poseidon_jobs<C>());
    append(modules, "poseidon2_" + curve, detail::poseidon2_code<C>().ptx, poseidon2_jobs<C>());
}

}  // namespace

void append_field_modules(std::vector<ShippedModule>& modules) {
    append_transforms<Curve::bn254>(modules, "bn254");
    append_transforms<Curve::bls12_381>(modules, "bls12_381");
    append_transforms<Curve::bls12_377>(modules, "bls12_377");
    append_hashes<Curve::bn254>(modules, "bn254");
    append_hashes<Curve::bls12_381>(modules, "bls12_381");
}

}  // namespace cupool::test
