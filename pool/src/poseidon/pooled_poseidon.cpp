#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/pooled_poseidon.hpp>

#include "batch/batch_parts.hpp"
#include "memory_checks.hpp"
#include "pool_state.hpp"
#include "poseidon/pooled_poseidon_state.hpp"
#include "poseidon/pooled_tree.hpp"

namespace cupool {

namespace detail {

namespace {

void check_config(PoolState& pool, const PoolOperand<Scalar>& inputs, const PoseidonConfig& config,
                  const PoolOutputOperand<Scalar>& outputs) {
    require_flag("poseidon", !inputs.is_on_host(), config.are_inputs_on_device, "inputs");
    require_flag("poseidon", !outputs.is_on_host(), config.are_outputs_on_device, "outputs");
    if (config.is_async) {
        throw Error(
            ErrorCategory::unsupported,
            "poseidon: is_async is set, but over a pool the call returns when the outputs are there; use DevicePool::submit_at() and "
            "poseidon_at() for work of one device");
    }
    pool.faults().check();
}

/// Runs a job whose items the devices divide. \param run_items(poseidon, config, inputs, outputs)  computes some of them on one device
template <Curve C, class RunOnDevice>
RunReport divide(PooledPoseidonState<C>& poseidon, const BatchShape& shape, const PoolOperand<Scalar>& inputs, const PoseidonConfig& config,
                 const PoolOutputOperand<Scalar>& outputs, const SourceLocation& where, const RunOnDevice& run_items) {
    PoolState& pool = PoolStateAccess::state(poseidon.pool, where);
    check_config(pool, inputs, config, outputs);
    return run_batch(pool, shape, divided_batch(pool, shape, inputs, outputs),
                     [&](const DeviceContext& context, const Operand<Scalar>& from, const OutputOperand<Scalar>& to) {
                         PoseidonConfig here = config;
                         here.ctx = context;
                         here.are_inputs_on_device = from.is_on_device();
                         here.are_outputs_on_device = to.is_on_device();
                         return run_items(poseidon.at(context.is_host() ? 0 : pool.index_of(context.device()), context), here, from, to);
                     });
}

template <Curve C>
std::shared_ptr<PooledPoseidonState<C>> make_state(const DevicePool& pool, Poseidon<C> on_host, const SourceLocation& where) {
    PoolStateAccess::state(pool, where);  // refuses a pool that was moved from, and in a forked child
    return make_shared_unless_forked<PooledPoseidonState<C>>(pool, std::move(on_host));
}

}  // namespace

}  // namespace detail

template <Curve C>
requires PoseidonCurve<C> PooledPoseidon<C>::PooledPoseidon(const DevicePool& pool, PoseidonVariant variant, unsigned width,
                                                            SourceLocation where)
    : state_(detail::make_state<C>(pool, Poseidon<C>(variant, width, DeviceContext::host(), where), where)) {}

template <Curve C>
requires PoseidonCurve<C> detail::PooledPoseidonState<C>
&PooledPoseidon<C>::state(SourceLocation where) const {
    if (!state_) throw Error(ErrorCategory::wrong_context, "poseidon: the permutation has been moved from", where);
    detail::PoolStateAccess::state(state_->pool, where);  // refuses in a forked child
    return *state_;
}

template <Curve C>
requires PoseidonCurve<C>
const DevicePool& PooledPoseidon<C>::pool(SourceLocation where) const { return state(where).pool; }

template <Curve C>
requires PoseidonCurve<C> PoseidonVariant PooledPoseidon<C>::variant(SourceLocation where)
const { return state(where).on_host.variant(); }

template <Curve C>
requires PoseidonCurve<C>
unsigned PooledPoseidon<C>::width(SourceLocation where) const { return state(where).on_host.width(); }

template <Curve C>
requires PoseidonCurve<C> Poseidon<C> PooledPoseidon<C>::poseidon_at(std::size_t index, SourceLocation where)
const {
    const DeviceContext& context = pool(where).context_at(index, where);
    return detail::report_at(where, [&] {
        detail::PooledPoseidonState<C>& own = state(where);
        detail::PoolStateAccess::state(own.pool, where).guard([&] { (void)own.at(index, context); });
        return own.at(index, context);
    });
}

template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_permute(const PoolOperand<Scalar>& inputs, const PooledPoseidon<C>& poseidon,
                                                     const PoseidonConfig& config, const PoolOutputOperand<Scalar>& outputs,
                                                     SourceLocation where) {
    return detail::report_at(where, [&] {
        const std::size_t width = poseidon.width(where);
        const detail::BatchShape shape{.job = "poseidon", .item = "states", .item_inputs = width, .item_outputs = width};
        if (inputs.size() == outputs.size()) detail::require_same_or_apart("poseidon", inputs, outputs);
        return detail::divide<C>(
            poseidon.state(where), shape, inputs, config, outputs, where,
            [](const auto& here, const auto& own, const auto& from, const auto& to) { return poseidon_permute<C>(from, here, own, to); });
    });
}

template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_hash(const PoolOperand<Scalar>& inputs, const PooledPoseidon<C>& poseidon,
                                                  const PoseidonConfig& config, const PoolOutputOperand<Scalar>& outputs,
                                                  SourceLocation where) {
    return detail::report_at(where, [&] {
        const std::size_t width = poseidon.width(where);
        detail::require_apart("poseidon", inputs, outputs);
        const bool are_states = config.is_compression || config.input_is_a_state;
        const detail::BatchShape shape{
            .job = "poseidon", .item = "hashes", .item_inputs = are_states ? width : width - 1, .item_outputs = 1};
        return detail::divide<C>(
            poseidon.state(where), shape, inputs, config, outputs, where,
            [](const auto& here, const auto& own, const auto& from, const auto& to) { return poseidon_hash<C>(from, here, own, to); });
    });
}

template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_sponge(const PoolOperand<Scalar>& inputs, std::size_t row_length,
                                                    const PooledPoseidon<C>& poseidon, const PoseidonConfig& config,
                                                    const PoolOutputOperand<Scalar>& outputs, SourceLocation where) {
    return detail::report_at(where, [&] {
        detail::require_apart("poseidon", inputs, outputs);
        if (row_length == 0) detail::refuse("poseidon", "the rows of a sponge have 0 elements; they must have 1 or more");
        const detail::BatchShape shape{.job = "poseidon", .item = "rows", .item_inputs = row_length, .item_outputs = 1};
        return detail::divide<C>(poseidon.state(where), shape, inputs, config, outputs, where,
                                 [&](const auto& here, const auto& own, const auto& from, const auto& to) {
                                     return poseidon_sponge<C>(from, row_length, here, own, to);
                                 });
    });
}

template <Curve C>
requires PoseidonCurve<C> RunReport poseidon_merkle_tree(const PoolOperand<Scalar>& leaves, const PooledPoseidon<C>& poseidon,
                                                         unsigned keep_rows, const PoseidonConfig& config,
                                                         const PoolOutputOperand<Scalar>& outputs, SourceLocation where) {
    return detail::report_at(where, [&] {
        detail::PooledPoseidonState<C>& state = poseidon.state(where);
        detail::PoolState& pool = detail::PoolStateAccess::state(state.pool, where);
        detail::check_config(pool, leaves, config, outputs);
        return detail::pooled_merkle_tree<C>(pool, state, leaves, keep_rows, config, outputs);
    });
}

#define CUPOOL_INSTANTIATE(C)                                                                                                         \
    template class PooledPoseidon<C>;                                                                                                 \
    template RunReport poseidon_permute<C>(const PoolOperand<Scalar>&, const PooledPoseidon<C>&, const PoseidonConfig&,               \
                                           const PoolOutputOperand<Scalar>&, SourceLocation);                                         \
    template RunReport poseidon_hash<C>(const PoolOperand<Scalar>&, const PooledPoseidon<C>&, const PoseidonConfig&,                  \
                                        const PoolOutputOperand<Scalar>&, SourceLocation);                                            \
    template RunReport poseidon_sponge<C>(const PoolOperand<Scalar>&, std::size_t, const PooledPoseidon<C>&, const PoseidonConfig&,   \
                                          const PoolOutputOperand<Scalar>&, SourceLocation);                                          \
    template RunReport poseidon_merkle_tree<C>(const PoolOperand<Scalar>&, const PooledPoseidon<C>&, unsigned, const PoseidonConfig&, \
                                               const PoolOutputOperand<Scalar>&, SourceLocation);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
