#include "ntt/sliced_transform.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <numeric>

#include "curve/for_each_curve.hpp"

namespace cupool::detail {

namespace {

bool writes_mixed_order(NttOrdering ordering) { return ordering == NttOrdering::natural_mixed; }

}  // namespace

template <Curve C>
SlicedTransform<C>::SlicedTransform(PoolState& pool, PooledNttDomainState<C>& domain, std::size_t size, NttDirection direction,
                                    const NttConfig& config, std::vector<std::size_t> members)
    : pool_(pool),
      domain_(domain),
      size_(size),
      transform_(size, members.size(), direction, config),
      moves_elements_(!writes_mixed_order(config.ordering)),
      has_coset_(config.coset_gen != Scalar{{1}}),
      members_(std::move(members)),
      to_download_(members_.size()),
      between_(members_.size()),
      inputs_(members_.size()),
      outputs_(members_.size()) {
    marks_.reserve(members_.size());
    for (const std::size_t member : members_) {
        const DeviceContext& context = pool_.member(member).context();
        marks_.emplace_back(context.context());
        participants_.push_back({member, context, &marks_.back()});
    }
}

template <Curve C>
bool SlicedTransform<C>::has_links() {
    const Exchange exchange(participants_, pool_.peers(), 0, false);
    for (std::size_t number = 0; number < members_.size(); ++number) {
        if (!exchange.reaches_all(number)) return false;
    }
    return true;
}

template <Curve C>
std::size_t SlicedTransform<C>::number_of(std::size_t member) const {
    return static_cast<std::size_t>(std::find(members_.begin(), members_.end(), member) - members_.begin());
}

/// Whether prepare() may take so long that the devices' threads do it at once.
template <Curve C>
bool SlicedTransform<C>::waits_to_prepare(const PoolOperand<Scalar>& inputs) const {
    const auto has_domain = [&](std::size_t member) { return domain_.domains.has(member); };
    return inputs.is_on_host() || has_coset_ || !std::all_of(members_.begin(), members_.end(), has_domain);
}

/// Makes what a device needs, and enqueues the copy of its inputs.
template <Curve C>
void SlicedTransform<C>::prepare(std::size_t number, const DeviceContext& context, const PoolOperand<Scalar>& inputs) {
    transform_.prepare(domain_.at(members_[number], context));
    between_[number] = DeviceBuffer<Scalar>(slice_size(), context);
    if (outputs_[number].empty()) {
        to_download_[number] = DeviceBuffer<Scalar>(slice_size(), context);
        outputs_[number] = to_download_[number].span();
    }
    if (!inputs.is_on_host()) return;
    // The first pass leaves them behind before the last one writes the outputs there.
    copy_async(outputs_[number], inputs.host().subspan(number * slice_size(), slice_size()), context.stream());
    inputs_[number] = outputs_[number];
    pool_.member(members_[number]).bytes += slice_size() * sizeof(Scalar);
}

template <Curve C>
void SlicedTransform<C>::enqueue_passes() {
    Exchange exchange(participants_, pool_.peers(), 0, false);
    std::vector<std::size_t> all(members_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<DeviceSpan<Scalar>> between;
    for (DeviceBuffer<Scalar>& buffer : between_) between.push_back(buffer.span());
    const std::vector<DeviceSpan<const Scalar>> read_between(between.begin(), between.end());
    const std::size_t last = transform_.pass_count() - 1;
    try {
        for (std::size_t pass = 0; pass <= last; ++pass) {
            // The first pass reads what other devices' streams may still write, and the second what the first wrote on other devices.
            if (pass <= 1) exchange.enter(all);
            for (const std::size_t number : all) {
                const DeviceContext& context = participants_[number].context;
                transform_.enqueue(pass, domain_.at(members_[number], context), context, number, pass == 0 ? inputs_ : read_between,
                                   pass == last ? outputs_ : between);
            }
        }
        exchange.synchronize();
    } catch (...) {
        exchange.abandon();
        throw;
    }
}

/// Of the elements that a pass reads or writes in the slices of all devices, those of a device's own slice stay there: as many as of each
/// other slice, or about as many if the order is bit-reversed and the devices are many.
template <Curve C>
void SlicedTransform<C>::count_link_bytes(RunReport& report) {
    const std::uint64_t crossings = moves_elements_ ? 3 : 2;
    const std::uint64_t bytes_of_pair = crossings * slice_size() / members_.size() * sizeof(Scalar);
    for (const std::size_t from : members_) {
        for (const std::size_t to : members_) {
            if (from == to) continue;
            pool_.count_copy(from, to, bytes_of_pair);
            report.bytes += bytes_of_pair;
        }
    }
}

template <Curve C>
RunReport SlicedTransform<C>::run(const PoolOperand<Scalar>& inputs, const PoolOutputOperand<Scalar>& outputs) {
    const auto start = std::chrono::steady_clock::now();
    if (inputs.is_sliced()) std::copy(inputs.slices().begin(), inputs.slices().end(), inputs_.begin());
    if (outputs.is_sliced()) std::copy(outputs.slices().begin(), outputs.slices().end(), outputs_.begin());
    const std::uint64_t bytes_of_array = size_ * sizeof(Scalar);
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    for (const Participant& participant : participants_) report.devices.push_back(participant.context.device());
    try {
        const bool waits = waits_to_prepare(inputs);
        if (waits) {
            pool_.run_each(members_,
                           [&](std::size_t member, const DeviceContext& context) { prepare(number_of(member), context, inputs); });
        }
        pool_.run_together(members_, [&] {
            for (std::size_t number = 0; !waits && number < members_.size(); ++number)
                prepare(number, participants_[number].context, inputs);
            enqueue_passes();
        });
        if (outputs.is_on_host()) {
            pool_.run_each(members_, [&](std::size_t member, const DeviceContext& context) {
                const std::size_t number = number_of(member);
                copy(outputs.host().subspan(number * slice_size(), slice_size()), outputs_[number], context.stream());
                pool_.member(member).bytes += slice_size() * sizeof(Scalar);
            });
        }
    } catch (...) {
        Exchange(participants_, pool_.peers(), 0, false).abandon();
        throw;
    }
    count_link_bytes(report);
    report.bytes += (inputs.is_on_host() ? bytes_of_array : 0) + (outputs.is_on_host() ? bytes_of_array : 0);
    report.device_bytes = between_[0].size_bytes() + to_download_[0].size_bytes();
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

#define CUPOOL_INSTANTIATE(C) template class SlicedTransform<C>;
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
