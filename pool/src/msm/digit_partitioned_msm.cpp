#include "msm/digit_partitioned_msm.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "curve/for_each_curve.hpp"
#include "msm/device/budget.hpp"
#include "msm/oversized_scalar.hpp"
#include "msm/window_sums.hpp"
#include "support/parallel_for.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

/// The rate at which a device forwards terms (H200, NVLink).
constexpr double nanoseconds_a_forwarded_byte = 1.0 / 370;
/// The limit of a digit-partitioned MSM: products of two term counts must fit into 64 bits.
constexpr std::size_t max_terms = std::size_t{1} << 32;

std::array<Event, 2> two_events(ContextView context) { return {Event(context), Event(context)}; }

/// The slice of its own terms that a device has in a chunk: the same fraction of them as the chunk is of all terms.
Slice slice_of_chunk(std::uint64_t own_terms, const MsmChunk& chunk, std::uint64_t all_terms) {
    const auto scaled = [=](std::uint64_t term) { return own_terms * term / all_terms; };
    const std::uint64_t first = scaled(chunk.first_term);
    return {first, scaled(chunk.first_term + chunk.term_count) - first};
}

/// The cost of a term if each device uploads its own terms and forwards them to the others. Prepared bases are forwarded while scalars are
/// uploaded.
template <Curve C>
UploadCost upload_cost_of(const std::vector<DeviceTerms<C>>& terms) {
    const auto devices = static_cast<double>(terms.size());
    const double forward_cost = nanoseconds_a_forwarded_byte * (devices - 1);
    UploadCost cost;
    for (const DeviceTerms<C>& own : terms) {
        const auto uploaded = static_cast<double>(own.uploaded_bytes());
        const auto prepared = static_cast<double>(sizeof(Scalar) + sizeof(AffinePoint<C>)) - uploaded;
        const double upload_cost = own.context.template resource<UploadStagers>()->rate().nanoseconds_per_byte();
        cost.copy = std::max({cost.copy, upload_cost * uploaded, forward_cost * prepared});
        cost.forward = std::max(cost.forward, forward_cost * uploaded);
    }
    return {cost.copy / devices, cost.forward / devices};
}

}  // namespace

template <Curve C>
DigitPartitionedMsm<C>::Member::Member(const DeviceTerms<C>& of_device, const DeviceMsmJob<C>& job, const MsmJobLayout& layout,
                                       const MsmConfig& config)
    : terms(of_device),
      msm(job, layout, config),
      stagers(config.ctx.resource<UploadStagers>()),
      stager(stagers->take()),
      exchange(stagers->take()),
      uploaded(two_events(config.ctx.context())),
      forwarded(two_events(config.ctx.context())),
      summed(two_events(config.ctx.context())),
      last_requested(config.ctx.context(), {.timing = true}),
      last_uploaded(config.ctx.context(), {.timing = true}) {}

template <Curve C>
DigitPartitionedMsm<C>::DigitPartitionedMsm(const std::vector<DeviceTerms<C>>& terms, CopyBetween copy_between, const MsmConfig& config,
                                            unsigned width, const DeviceMsmLimits& limits)
    : copy_between_(std::move(copy_between)),
      config_(config),
      promised_bits_(scalar_range<C>(config.bitsize).bits),
      upload_cost_(upload_cost_of(terms)) {
    std::size_t count = 0;
    for (const DeviceTerms<C>& of_device : terms) count += of_device.scalars.size();
    const bool may_change_width = config.c == 0 && config.memory_budget != 0;
    std::vector<DeviceMsmJob<C>> jobs;
    std::vector<MsmConfig> configs;
    std::vector<MsmWork> works;
    for (std::size_t place = 0; place < terms.size(); ++place) {
        const Operand<AffinePoint<C>>& bases = terms[place].bases;
        jobs.push_back({.scalars = std::span<const Scalar>(),
                        .bases = std::span<const AffinePoint<C>>(),
                        .term_count = count,
                        .are_bases_in_montgomery_form = bases.is_on_device() || config.are_points_montgomery_form,
                        .width = may_change_width ? 0 : width,
                        .partition = static_cast<unsigned>(place),
                        .partition_count = static_cast<unsigned>(terms.size())});
        configs.push_back(config);
        configs[place].ctx = terms[place].context;
        works.push_back(work_of(jobs[place], configs[place], limits));
    }
    const DigitChoice choice = choose_shared_digits(works, config.memory_budget, upload_cost_);
    for (std::size_t place = 0; place < terms.size(); ++place) {
        const Operand<AffinePoint<C>>& bases = terms[place].bases;
        members_.push_back(std::make_unique<Member>(terms[place], jobs[place], MsmJobLayout(works[place], choice), configs[place]));
        do_threads_read_memory_ |= members_[place]->stager->is_staged(std::as_bytes(terms[place].scalars));
        if (!bases.is_on_device()) do_threads_read_memory_ |= members_[place]->stager->is_staged(std::as_bytes(bases.host()));
    }
}

template <Curve C>
JacobianPoint<C> DigitPartitionedMsm<C>::run() {
    try {
        sum_all();
    } catch (const std::bad_alloc&) {
        wait_for_all();
        throw Error(ErrorCategory::out_of_memory, "msm: the host has not enough memory to divide an MSM's digits among devices");
    } catch (...) {
        wait_for_all();
        throw;
    }
    learn_rates();
    require_promise();
    return join();
}

template <Curve C>
void DigitPartitionedMsm<C>::sum_all() {
    take_chunks(cut(), [this](const std::vector<MsmChunk>& chunks, bool are_smallest) { return reserve(chunks, are_smallest); });
    queue();
    for (const auto& member : members_) member->msm.stream().synchronize();
}

/// The chunks of one device, at the upload cost of all devices.
template <Curve C>
MsmCut DigitPartitionedMsm<C>::cut() const {
    MsmCut cut = members_[0]->msm.cut(upload_cost_);
    // Each device's slice of a chunk is rounded separately.
    cut.max_terms -= std::min(cut.max_terms, members_.size()) - 1;
    return cut;
}

/// Allocates memory for chunks about as large as these on every device.
template <Curve C>
bool DigitPartitionedMsm<C>::reserve(const std::vector<MsmChunk>& cut, bool are_smallest) {
    cut_slices(cut);
    for (const auto& member : members_) {
        if (member->msm.reserve(chunks_, are_smallest)) continue;
        for (const auto& other : members_) other->msm.release();
        return false;
    }
    return true;
}

/// Divides the terms of each device among the chunks, in equal proportions.
template <Curve C>
void DigitPartitionedMsm<C>::cut_slices(const std::vector<MsmChunk>& cut) {
    chunks_.clear();
    slices_.clear();
    const std::size_t all = cut.back().first_term + cut.back().term_count;
    std::size_t end = 0;
    for (const MsmChunk& chunk : cut) {
        ChunkSlices slices;
        std::size_t count = 0;
        for (const auto& member : members_) {
            slices.push_back(slice_of_chunk(member->terms.scalars.size(), chunk, all));
            count += slices.back().count;
        }
        if (count == 0) continue;
        chunks_.push_back({0, 1, end, count, false});
        slices_.push_back(std::move(slices));
        end += count;
    }
    chunks_.back().is_last = true;
}

template <Curve C>
void DigitPartitionedMsm<C>::queue() {
    for (const auto& member : members_) member->msm.prepare();
    // Earlier work of these streams may still write host operands, and the allocations are ordered on them.
    for (const auto& member : members_) member->msm.stream().synchronize();
    upload(0);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
        sum(i);
        if (i + 1 < chunks_.size()) upload(i + 1);
    }
    for (const auto& member : members_) member->msm.enqueue_readback();
}

/// Uploads a chunk to all devices, into the slot that the chunk before the previous one used.
template <Curve C>
void DigitPartitionedMsm<C>::upload(std::size_t i) {
    const auto threads = do_threads_read_memory_ ? static_cast<unsigned>(members_.size()) : 1;
    parallel_for(members_.size(), threads, [&](std::size_t place) { upload_own(place, i); });
    for (std::size_t place = 0; place < members_.size(); ++place) forward(place, i);
}

template <Curve C>
void DigitPartitionedMsm<C>::upload_own(std::size_t place, std::size_t i) {
    Member& own = *members_[place];
    const DeviceTerms<C>& terms = own.terms;
    const Slice& slice = slices_[i][place];
    const StreamView stream = own.stager->stream();
    const bool is_last = i + 1 == chunks_.size();
    stream.wait(own.summed[i % 2]);  // so it was forwarded, too
    if (is_last) own.last_requested.record(stream);
    if (slice.count != 0) {
        const unsigned threads = terms.context.host_threads();
        own.stager->copy(scalars_at(place, place, i), std::as_bytes(terms.scalars.subspan(slice.offset, slice.count)), threads);
        if (!terms.bases.is_on_device())
            own.stager->copy(bases_at(place, place, i), std::as_bytes(terms.bases.host().subspan(slice.offset, slice.count)), threads);
        own.bytes += slice.count * terms.uploaded_bytes();
    }
    if (is_last) own.last_uploaded.record(stream);
    if (slice.count != 0 && !terms.bases.is_on_device() && !config_.are_points_montgomery_form) {
        own.msm.enqueue_conversion(DeviceSpan<AffinePoint<C>>(bases_at(place, place, i), slice.count, terms.context.device()), stream);
    }
    own.uploaded[i % 2].record(stream);
}

/// Forwards a device's slice of a chunk to the others.
template <Curve C>
void DigitPartitionedMsm<C>::forward(std::size_t place, std::size_t i) {
    Member& own = *members_[place];
    const StreamView stream = own.exchange->stream();
    for (const auto& other : members_) stream.wait(other->summed[i % 2]);
    const Slice& slice = slices_[i][place];
    if (slice.count != 0) copy_to_others(place, i);
    own.forwarded[i % 2].record(stream);
}

/// Each device starts with its successor, so that no two devices copy to the same one at once.
template <Curve C>
void DigitPartitionedMsm<C>::copy_to_others(std::size_t place, std::size_t i) {
    Member& own = *members_[place];
    const Operand<AffinePoint<C>>& bases = own.terms.bases;
    const Slice& slice = slices_[i][place];
    const StreamView stream = own.exchange->stream();
    const auto copy = [&](std::size_t to, std::uint64_t to_pointer, std::uint64_t from_pointer, std::size_t bytes) {
        copy_between_(members_[to]->terms.member, to_pointer, own.terms.member, from_pointer, bytes, stream);
    };
    const std::size_t devices = members_.size();
    const std::size_t bases_bytes = slice.count * sizeof(AffinePoint<C>);
    if (bases.is_on_device()) {
        const std::uint64_t from = bases.device().subspan(slice.offset, slice.count).pointer();
        for (std::size_t to = place; to < place + devices; ++to) copy(to % devices, bases_at(to % devices, place, i), from, bases_bytes);
    }
    stream.wait(own.uploaded[i % 2]);
    for (std::size_t k = place + 1; k < place + devices; ++k) {
        const std::size_t to = k % devices;
        copy(to, scalars_at(to, place, i), scalars_at(place, place, i), slice.count * sizeof(Scalar));
        if (!bases.is_on_device()) copy(to, bases_at(to, place, i), bases_at(place, place, i), bases_bytes);
    }
}

template <Curve C>
void DigitPartitionedMsm<C>::sum(std::size_t i) {
    for (const auto& member : members_) {
        const StreamView stream = member->msm.stream();
        for (const auto& other : members_) stream.wait(other->forwarded[i % 2]);
        member->msm.enqueue_chunk(i);
        member->summed[i % 2].record(stream);
    }
}

template <Curve C>
void DigitPartitionedMsm<C>::learn_rates() {
    for (std::size_t place = 0; place < members_.size(); ++place) {
        Member& own = *members_[place];
        own.stagers->rate().learn(slices_.back()[place].count * own.terms.uploaded_bytes(),
                                  elapsed_milliseconds(own.last_requested, own.last_uploaded));
    }
}

template <Curve C>
void DigitPartitionedMsm<C>::wait_for_all() const {
    for (const auto& member : members_) {
        const SynchronizeOnExit wait_for_uploads(member->stager->stream());
        const SynchronizeOnExit exchange(member->exchange->stream());
        const SynchronizeOnExit sums(member->msm.stream());
    }
}

/// Every device checks all scalars, so the first one's findings are enough. \throws OversizedScalar
template <Curve C>
void DigitPartitionedMsm<C>::require_promise() const {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t lowest = none;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
        const std::size_t found = members_[0]->msm.first_oversized(i);
        std::size_t before = 0;  // the number of terms of the devices before
        for (std::size_t place = 0; found != no_scalar && place < members_.size(); ++place) {
            const std::size_t first = first_in_chunk(place, i);
            const Slice& slice = slices_[i][place];
            if (found >= first && found < first + slice.count) lowest = std::min(lowest, before + slice.offset + found - first);
            before += members_[place]->terms.scalars.size();
        }
    }
    if (lowest != none) throw_oversized_scalar(lowest, promised_bits_);
}

template <Curve C>
JacobianPoint<C> DigitPartitionedMsm<C>::join() const {
    const DeviceMsm<C>& any = members_.front()->msm;
    std::vector<HostXyzz<C>> sums(any.all_sums(), HostXyzz<C>::infinity());
    for (const auto& member : members_) {
        for (std::size_t i = 0; i < member->msm.sums().size(); ++i) sums[member->msm.first_sum() + i] += member->msm.sums()[i];
    }
    return store_jacobian<C>(combine_windows(std::span<const HostXyzz<C>>(sums), any.width(), any.sums_per_window()),
                             config_.are_points_montgomery_form);
}

/// The offset of a device's terms in a chunk.
template <Curve C>
std::size_t DigitPartitionedMsm<C>::first_in_chunk(std::size_t place, std::size_t i) const {
    std::size_t first = 0;
    for (std::size_t before = 0; before < place; ++before) first += slices_[i][before].count;
    return first;
}

template <Curve C>
std::optional<unsigned> digit_partition_width(std::size_t terms, std::size_t devices, const MsmConfig& config, MsmSpread spread) {
    // With fewer terms a device, the delay until terms reach all devices outweighs fuller buckets (measured on two H200s). Four H200s
    // are as fast or faster if they divide the terms: each then receives a quarter of them, not all.
    constexpr std::size_t min_terms_a_device = std::size_t{1} << 17;
    constexpr std::size_t max_devices = 3;
    if (devices < 2 || spread == MsmSpread::one_device || spread == MsmSpread::all_devices || terms > max_terms) return std::nullopt;
    const ScalarRange scalars = scalar_range<C>(config.bitsize);
    const DigitChoice choice =
        choose_digits(terms, scalars, 1, static_cast<unsigned>(config.c), {.partition_count = static_cast<unsigned>(devices)});
    if (spread == MsmSpread::digit_partition) return choice.width;
    // With fewer digits, forwarding a term takes longer than summing one device's digits of it.
    const MsmDigits digits = msm_digits(scalars, choice, 1);
    const bool is_faster = devices <= max_devices && digits.digit_count >= devices && terms / devices >= min_terms_a_device;
    return is_faster ? std::optional(choice.width) : std::nullopt;
}

#define CUPOOL_INSTANTIATE(C)              \
    template class DigitPartitionedMsm<C>; \
    template std::optional<unsigned> digit_partition_width<C>(std::size_t, std::size_t, const MsmConfig&, MsmSpread);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
