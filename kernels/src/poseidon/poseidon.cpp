#include <chrono>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/kernels/poseidon.hpp>
#include <limits>
#include <new>
#include <ostream>
#include <string>

#include "poseidon/device_poseidon.hpp"
#include "poseidon/host_poseidon.hpp"
#include "transfer/operand_checks.hpp"

namespace cupool {

std::string to_string(PoseidonVariant variant) {
    switch (variant) {
        case PoseidonVariant::original: return "original";
        case PoseidonVariant::filecoin: return "filecoin";
        case PoseidonVariant::poseidon2: return "poseidon2";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, PoseidonVariant variant) { return out << to_string(variant); }

PoseidonConfig PoseidonConfig::default_for_device(int device, SourceLocation where) {
    PoseidonConfig config;
    config.ctx = DeviceContext::default_for_device(device, where);
    return config;
}

PoseidonConfig PoseidonConfig::default_for_host() { return {}; }

namespace detail {

namespace {

template <Curve C>
std::uint32_t arity_of(const PoseidonState<C>& poseidon, const PoseidonConfig& config) {
    return config.is_compression ? poseidon.width : poseidon.width - 1;
}

/// Of hashes that take `arity_of` elements each, next to each other.
template <Curve C>
PoseidonSponges hashes(const PoseidonState<C>& poseidon, const PoseidonConfig& config, std::uint64_t count) {
    const std::uint32_t arity = arity_of(poseidon, config);
    if (config.is_compression) {
        return {.count = count,
                .input_stride = arity,
                .input_length = arity,
                .rate = arity,
                .tag_position = poseidon.width,
                .adds_inputs = true};
    }
    const bool is_tag_last = poseidon.variant == PoseidonVariant::poseidon2;
    return {.count = count,
            .input_stride = arity,
            .input_length = arity,
            .rate = arity,
            .first_rate_position = is_tag_last ? 0u : 1u,
            .tag_position = is_tag_last ? arity : 0u,
            .first_output = poseidon.variant == PoseidonVariant::filecoin ? 1u : 0u};
}

template <Curve C>
ScalarField<C> tag_of(const PoseidonState<C>& poseidon, const PoseidonConfig& config) {
    using Field = ScalarField<C>;
    if (config.is_compression && config.domain_tag) refuse("poseidon", "domain_tag is given, but is_compression hashes without a tag");
    if (config.domain_tag) return Field::from_standard(*config.domain_tag);
    if (poseidon.variant != PoseidonVariant::filecoin) return Field::zero();
    return Field::from_standard((std::uint64_t{1} << (poseidon.width - 1)) - 1);
}

template <Curve C>
void check(const PoseidonJob<C>& job) {
    const PoseidonConfig& config = job.config;
    std::uint64_t room = 0;
    for (const PoseidonRow& row : job.rows) room += row.is_kept ? row.sponges.output_count() : 0;
    if (job.outputs.size() != room)
        refuse("poseidon", "there are " + std::to_string(room) + " outputs, but room for " + std::to_string(job.outputs.size()));
    require_place("poseidon", job.inputs, config.are_inputs_on_device, "inputs", config.ctx);
    require_place("poseidon", job.outputs.as_input(), config.are_outputs_on_device, "outputs", config.ctx);
    const DeviceContext& own = job.poseidon.context;
    const bool is_here = config.ctx.is_host() ? own.is_host() : !own.is_host() && config.ctx.context() == own.context();
    if (!is_here) {
        throw Error(ErrorCategory::wrong_context, "poseidon: the permutation is for " + to_string(own) + ", but config.ctx is " +
                                                      to_string(config.ctx) + ", or another context of it; make one for that");
    }
    if (!job.rows.empty() && job.rows.front().sponges.count > std::numeric_limits<std::uint32_t>::max())
        throw Error(ErrorCategory::unsupported, "poseidon: 2^32 hashes or more in one call; divide them among calls");
}

template <Curve C>
RunReport run(const PoseidonJob<C>& job) {
    check(job);
    if (!job.config.ctx.is_host()) return poseidon_on_device(job);
    const auto start = std::chrono::steady_clock::now();
    try {
        poseidon_on_host(job);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory, "poseidon: the host has not enough memory for a row of the tree that is not kept");
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
}

/// The rows of sponges of one shape: one, or none if there is nothing to do.
std::vector<PoseidonRow> one_row(const PoseidonSponges& sponges) {
    if (sponges.count == 0) return {};
    return {{.sponges = sponges}};
}

std::size_t divided_evenly(std::size_t inputs, std::size_t each, const std::string& what) {
    if (inputs % each == 0) return inputs / each;
    refuse("poseidon", std::to_string(inputs) + " inputs do not divide evenly among " + what + " of " + std::to_string(each) + " elements");
}

template <Curve C>
RunReport permute(const Operand<Scalar>& inputs, const PoseidonState<C>& poseidon, const PoseidonConfig& config,
                  const OutputOperand<Scalar>& outputs) {
    const std::uint32_t width = poseidon.width;
    const PoseidonSponges sponges{.count = divided_evenly(inputs.size(), width, "states"),
                                  .input_stride = width,
                                  .input_length = width,
                                  .rate = width,
                                  .tag_position = width,
                                  .output_length = width};
    if (inputs.size() == outputs.size()) require_same_or_apart("poseidon", inputs, outputs);
    return run<C>({inputs, poseidon, config, outputs, one_row(sponges), {}});
}

template <Curve C>
RunReport hash(const Operand<Scalar>& inputs, const PoseidonState<C>& poseidon, const PoseidonConfig& config,
               const OutputOperand<Scalar>& outputs) {
    PoseidonSponges sponges = hashes(poseidon, config, 0);
    if (config.input_is_a_state && !config.is_compression) {
        sponges.input_stride = poseidon.width;
        sponges.first_input = config.aligned ? 1 : 0;
    }
    sponges.count =
        divided_evenly(inputs.size(), sponges.input_stride, sponges.input_stride == arity_of(poseidon, config) ? "hashes" : "states");
    require_apart("poseidon", inputs, outputs);
    return run<C>({inputs, poseidon, config, outputs, one_row(sponges), tag_of(poseidon, config)});
}

template <Curve C>
RunReport sponge(const Operand<Scalar>& inputs, std::size_t row_length, const PoseidonState<C>& poseidon, const PoseidonConfig& config,
                 const OutputOperand<Scalar>& outputs) {
    if (row_length == 0) refuse("poseidon", "the rows of a sponge have 0 elements; they must have 1 or more");
    if (config.is_compression) refuse("poseidon", "is_compression is set, but a sponge has a tag");
    PoseidonSponges sponges = hashes(poseidon, config, divided_evenly(inputs.size(), row_length, "rows"));
    sponges.input_stride = sponges.input_length = row_length;
    const Scalar length_tag{{0, row_length}};
    const auto tag = ScalarField<C>::from_standard(config.domain_tag.value_or(length_tag));
    require_apart("poseidon", inputs, outputs);
    return run<C>({inputs, poseidon, config, outputs, one_row(sponges), tag});
}

/// The elements of the rows of a tree above its leaves, the widest first.
std::vector<std::size_t> row_sizes(std::size_t leaves, std::size_t arity, unsigned keep_rows) {
    if (arity < 2) refuse("poseidon", "the arity of a tree is " + std::to_string(arity) + "; it must be 2 or more");
    std::vector<std::size_t> sizes;
    std::size_t size = leaves;
    for (; size > 1 && size % arity == 0; size /= arity) sizes.push_back(size / arity);
    if (size != 1 || sizes.empty())
        refuse("poseidon", "a tree of hashes that take " + std::to_string(arity) + " elements has a power of " + std::to_string(arity) +
                               " leaves, at least " + std::to_string(arity) + ", but there are " + std::to_string(leaves));
    if (keep_rows > sizes.size()) {
        refuse("poseidon", "keep_rows is " + std::to_string(keep_rows) + ", but a tree of " + std::to_string(leaves) + " leaves has " +
                               std::to_string(sizes.size()) + " rows above them");
    }
    return sizes;
}

template <Curve C>
RunReport merkle_tree(const Operand<Scalar>& leaves, const PoseidonState<C>& poseidon, unsigned keep_rows, const PoseidonConfig& config,
                      const OutputOperand<Scalar>& outputs) {
    const std::vector<std::size_t> sizes = row_sizes(leaves.size(), arity_of(poseidon, config), keep_rows);
    const std::size_t dropped = keep_rows == 0 ? 0 : sizes.size() - keep_rows;
    std::vector<PoseidonRow> rows;
    std::uint64_t kept_elements = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        rows.push_back({.sponges = hashes(poseidon, config, sizes[i]), .is_kept = i >= dropped, .first_output = kept_elements});
        if (i >= dropped) kept_elements += sizes[i];
    }
    require_apart("poseidon", leaves, outputs);
    return run<C>({leaves, poseidon, config, outputs, std::move(rows), tag_of(poseidon, config)});
}

}  // namespace

}  // namespace detail

template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_permute(const Operand<Scalar>& inputs, const Poseidon<C>& poseidon,
                                                     const PoseidonConfig& config, const OutputOperand<Scalar>& outputs,
                                                     SourceLocation where) {
    return detail::report_at(where, [&] { return detail::permute(inputs, poseidon.state(), config, outputs); });
}

template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_hash(const Operand<Scalar>& inputs, const Poseidon<C>& poseidon, const PoseidonConfig& config,
                                                  const OutputOperand<Scalar>& outputs, SourceLocation where) {
    return detail::report_at(where, [&] { return detail::hash(inputs, poseidon.state(), config, outputs); });
}

template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_sponge(const Operand<Scalar>& inputs, std::size_t row_length, const Poseidon<C>& poseidon,
                                                    const PoseidonConfig& config, const OutputOperand<Scalar>& outputs,
                                                    SourceLocation where) {
    return detail::report_at(where, [&] { return detail::sponge(inputs, row_length, poseidon.state(), config, outputs); });
}

std::size_t poseidon_tree_size(std::size_t leaves, std::size_t arity, unsigned keep_rows, SourceLocation where) {
    return detail::report_at(where, [&] {
        const std::vector<std::size_t> sizes = detail::row_sizes(leaves, arity, keep_rows);
        std::size_t elements = 0;
        for (std::size_t i = keep_rows == 0 ? 0 : sizes.size() - keep_rows; i < sizes.size(); ++i) elements += sizes[i];
        return elements;
    });
}

template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_merkle_tree(const Operand<Scalar>& leaves, const Poseidon<C>& poseidon, unsigned keep_rows,
                                                         const PoseidonConfig& config, const OutputOperand<Scalar>& outputs,
                                                         SourceLocation where) {
    return detail::report_at(where, [&] { return detail::merkle_tree(leaves, poseidon.state(), keep_rows, config, outputs); });
}

#define CUPOOL_INSTANTIATE(C)                                                                                                            \
    template RunReport poseidon_permute(const Operand<Scalar>&, const Poseidon<C>&, const PoseidonConfig&, const OutputOperand<Scalar>&, \
                                        SourceLocation);                                                                                 \
    template RunReport poseidon_hash(const Operand<Scalar>&, const Poseidon<C>&, const PoseidonConfig&, const OutputOperand<Scalar>&,    \
                                     SourceLocation);                                                                                    \
    template RunReport poseidon_sponge(const Operand<Scalar>&, std::size_t, const Poseidon<C>&, const PoseidonConfig&,                   \
                                       const OutputOperand<Scalar>&, SourceLocation);                                                    \
    template RunReport poseidon_merkle_tree(const Operand<Scalar>&, const Poseidon<C>&, unsigned, const PoseidonConfig&,                 \
                                            const OutputOperand<Scalar>&, SourceLocation);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
