#include <algorithm>
#include <bit>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/pooled_ntt.hpp>

#include "batch/batch_parts.hpp"
#include "curve/for_each_curve.hpp"
#include "memory_checks.hpp"
#include "ntt/checks.hpp"
#include "ntt/column_batch.hpp"
#include "ntt/gathered_transform.hpp"
#include "ntt/pooled_ntt_domain.hpp"
#include "ntt/sliced_transform.hpp"
#include "pool_state.hpp"

namespace cupool {

namespace detail {

namespace {

using Spans = std::vector<DeviceSpan<const Scalar>>;

/// The least elements in host memory for which a device takes part in one transform.
constexpr std::size_t min_elements_a_device = std::size_t{1} << 17;
/// The least columns in host memory: rows of 512 bytes are copied at the links' rate.
constexpr std::size_t min_columns_a_device = 16;

bool is_on_one_device(const PoolOperand<Scalar>& operand) { return !operand.is_on_host() && !operand.is_sliced(); }

/// Without the empty ones.
PoolOperand<Scalar> operand_of(const PoolOperand<Scalar>& operand, const Spans& spans) {
    return operand.is_on_host() ? operand : PoolOperand<Scalar>(spans);
}
PoolOutputOperand<Scalar> operand_of(const PoolOutputOperand<Scalar>& operand, const Spans& spans) {
    if (operand.is_on_host()) return operand;
    std::vector<DeviceSpan<Scalar>> written;
    for (const auto& span : spans) written.emplace_back(span.pointer(), span.size(), span.device());
    return written;
}

/// One call of ntt() over a pool.
template <Curve C>
class PoolNtt {
public:
    PoolNtt(PoolState& pool, PooledNttDomainState<C>& domain, const PoolOperand<Scalar>& inputs, NttDirection direction,
            const NttConfig& config, const PoolOutputOperand<Scalar>& outputs)
        : pool_(pool), domain_(domain), inputs_(inputs), direction_(direction), config_(config), outputs_(outputs) {}

    RunReport run() {
        size_ = checked_ntt_size(inputs_.size(), outputs_.size(), domain_.on_host.size(), config_);
        check_ntt_config<C>(direction_, config_);
        require_flag("ntt", !inputs_.is_on_host(), config_.are_inputs_on_device, "inputs");
        require_flag("ntt", !outputs_.is_on_host(), config_.are_outputs_on_device, "outputs");
        if (config_.is_async) {
            throw Error(ErrorCategory::unsupported,
                        "ntt: is_async is set, but over a pool the call returns when the outputs are there; use DevicePool::submit_at() "
                        "and domain_at() for transforms of one device");
        }
        input_spans_ = checked_spans("ntt", pool_, inputs_, "inputs");
        output_spans_ = checked_spans("ntt", pool_, outputs_.as_input(), "outputs");
        require_same_or_apart("ntt", inputs_, outputs_);
        pool_.faults().check();
        if (config_.batch_size > 1 && config_.columns_batch) return run_columns();
        if (config_.batch_size > 1 || pool_.is_host()) return run_batch(size_);
        RunReport report;
        pool_.guard([&] { report = run_one(); });
        return report;
    }

private:
    bool is_in_slices() const { return input_spans_.size() > 1 || output_spans_.size() > 1; }

    /// Each member transforms whole ones. \param item  the elements of one
    RunReport run_batch(std::size_t item) {
        const BatchShape shape{.job = "ntt", .item = "transforms", .item_inputs = item, .item_outputs = item};
        return detail::run_batch(pool_, shape, divided_batch(pool_, shape, inputs_, outputs_),
                                 [&](const DeviceContext& context, const Operand<Scalar>& inputs, const OutputOperand<Scalar>& outputs) {
                                     return transform(context, inputs, outputs);
                                 });
    }

    RunReport transform(const DeviceContext& context, const Operand<Scalar>& inputs, const OutputOperand<Scalar>& outputs) {
        NttConfig here = config_;
        here.ctx = context;
        here.batch_size = inputs.size() / size_;
        here.are_inputs_on_device = inputs.is_on_device();
        here.are_outputs_on_device = outputs.is_on_device();
        const NttDomain<C>& domain = domain_.at(context.is_host() ? 0 : pool_.index_of(context.device()), context);
        if (outputs.is_on_device()) return ntt<C>(inputs, direction_, domain, here, outputs.device());
        return ntt<C>(inputs, direction_, domain, here, outputs.host());
    }

    RunReport run_columns() {
        if (is_in_slices()) {
            throw Error(ErrorCategory::unsupported,
                        "ntt: columns_batch is set, but the operands are in slices; give each device a matrix of its own, in a call of its "
                        "own with DevicePool::submit_at() and domain_at(), or give one device all columns");
        }
        if (pool_.is_host() || !inputs_.is_on_host() || !outputs_.is_on_host()) return run_batch(inputs_.size());
        const std::size_t bytes = inputs_.host().size_bytes();
        const std::size_t most = std::min(bytes / min_bytes_a_device, config_.batch_size / min_columns_a_device);
        const auto members = pool_.least_busy(std::max<std::size_t>(most, 1));
        const bool is_worth_copies_of_columns = members.size() > 1 || bytes > max_step_bytes;
        RunReport report;
        pool_.guard([&] {
            report = is_worth_copies_of_columns && can_divide_columns(pool_.member(members[0]).context(), config_.batch_size)
                         ? transform_columns<C>(pool_, domain_, members, inputs_.host(), direction_, config_, outputs_.host())
                         : run_batch(inputs_.size());
        });
        return report;
    }

    RunReport run_one() {
        const std::vector<std::size_t> members = is_in_slices() ? members_of_slices() : members_for_host_memory();
        if (is_sliceable_ntt(size_, members.size())) {
            SlicedTransform<C> sliced(pool_, domain_, size_, direction_, config_, members);
            if (sliced.has_links() && are_open_to_peers(input_spans_) && are_open_to_peers(output_spans_))
                return sliced.run(operand_of(inputs_, input_spans_), operand_of(outputs_, output_spans_));
        }
        const bool is_in_one_place =
            input_spans_.empty() || output_spans_.empty() || input_spans_.front().device() == output_spans_.front().device();
        if (!is_in_slices() && is_in_one_place) return run_batch(size_);
        const Spans& home = input_spans_.empty() ? output_spans_ : input_spans_;
        return gathered_transform<C>(pool_, domain_, pool_.index_of(home.front().device()), inputs_, direction_, config_, outputs_);
    }

    /// The members of the slices if these are of equal size, and those of inputs and outputs agree; otherwise none.
    std::vector<std::size_t> members_of_slices() const {
        if (is_on_one_device(inputs_) || is_on_one_device(outputs_.as_input())) return {};
        const Spans& spans = input_spans_.empty() ? output_spans_ : input_spans_;
        std::vector<std::size_t> members;
        for (std::size_t i = 0; i < spans.size(); ++i) {
            if (spans[i].size() != spans[0].size()) return {};
            members.push_back(pool_.index_of(spans[i].device()));
        }
        if (input_spans_.empty() || output_spans_.empty()) return members;
        const bool is_same =
            std::equal(input_spans_.begin(), input_spans_.end(), output_spans_.begin(), output_spans_.end(),
                       [](const auto& left, const auto& right) { return left.device() == right.device() && left.size() == right.size(); });
        return is_same ? members : std::vector<std::size_t>{};
    }

    /// As many members as a transform in host memory has work for, a power of two; none if operands are on a device.
    std::vector<std::size_t> members_for_host_memory() const {
        if (!input_spans_.empty() || !output_spans_.empty()) return {};
        const std::size_t most = std::min({pool_.healthy().size(), size_ / min_elements_a_device, std::size_t{max_ntt_slices}});
        return most == 0 ? std::vector<std::size_t>{} : pool_.least_busy(std::bit_floor(most));
    }

    bool are_open_to_peers(const Spans& spans) const {
        return std::all_of(spans.begin(), spans.end(), [&](const DeviceSpan<const Scalar>& span) {
            return is_open_to_peers(span.pointer(), pool_.member(pool_.index_of(span.device())).context());
        });
    }

    PoolState& pool_;
    PooledNttDomainState<C>& domain_;
    const PoolOperand<Scalar>& inputs_;
    NttDirection direction_;
    const NttConfig& config_;
    const PoolOutputOperand<Scalar>& outputs_;
    std::size_t size_ = 0;  ///< the elements of one transform
    Spans input_spans_;
    Spans output_spans_;
};

template <Curve C>
std::shared_ptr<PooledNttDomainState<C>> make_state(const DevicePool& pool, NttDomain<C> on_host, const SourceLocation& where) {
    PoolStateAccess::state(pool, where);  // refuses a pool that was moved from, and in a forked child
    return make_shared_unless_forked<PooledNttDomainState<C>>(pool, std::move(on_host));
}

}  // namespace

}  // namespace detail

template <Curve C>
requires NttCurve<C> PooledNttDomain<C>::PooledNttDomain(const DevicePool& pool, std::size_t size, SourceLocation where)
    : state_(detail::make_state<C>(pool, NttDomain<C>(size, DeviceContext::host(), where), where)) {}

template <Curve C>
requires NttCurve<C> PooledNttDomain<C>::PooledNttDomain(const DevicePool& pool, std::size_t size, const Scalar& root, SourceLocation where)
    : state_(detail::make_state<C>(pool, NttDomain<C>(size, root, DeviceContext::host(), where), where)) {}

template <Curve C>
requires NttCurve<C> detail::PooledNttDomainState<C>
&PooledNttDomain<C>::state(SourceLocation where) const {
    if (!state_) throw Error(ErrorCategory::wrong_context, "ntt domain: it has been moved from", where);
    detail::PoolStateAccess::state(state_->pool, where);  // refuses in a forked child
    return *state_;
}

template <Curve C>
requires NttCurve<C>
const DevicePool& PooledNttDomain<C>::pool(SourceLocation where) const { return state(where).pool; }

template <Curve C>
requires NttCurve<C> std::size_t PooledNttDomain<C>::size(SourceLocation where)
const { return state(where).on_host.size(); }

template <Curve C>
requires NttCurve<C> Scalar PooledNttDomain<C>::root(SourceLocation where)
const { return state(where).on_host.root(); }

template <Curve C>
requires NttCurve<C> NttDomain<C> PooledNttDomain<C>::domain_at(std::size_t index, SourceLocation where)
const {
    const DeviceContext& context = pool(where).context_at(index, where);
    return detail::report_at(where, [&] {
        detail::PooledNttDomainState<C>& own = state(where);
        detail::PoolStateAccess::state(own.pool, where).guard([&] { (void)own.at(index, context); });
        return own.at(index, context);
    });
}

template <Curve C>
requires NttCurve<C> RunReport ntt(const PoolOperand<Scalar>& inputs, NttDirection direction, const PooledNttDomain<C>& domain,
                                   const NttConfig& config, const PoolOutputOperand<Scalar>& outputs, SourceLocation where) {
    return detail::report_at(where, [&] {
        detail::PooledNttDomainState<C>& state = domain.state(where);
        return detail::PoolNtt<C>(detail::PoolStateAccess::state(state.pool, where), state, inputs, direction, config, outputs).run();
    });
}

#define CUPOOL_INSTANTIATE(C)                                                                                        \
    template class PooledNttDomain<C>;                                                                               \
    template RunReport ntt<C>(const PoolOperand<Scalar>&, NttDirection, const PooledNttDomain<C>&, const NttConfig&, \
                              const PoolOutputOperand<Scalar>&, SourceLocation);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
