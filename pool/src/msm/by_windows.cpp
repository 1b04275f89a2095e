#include "msm/by_windows.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "msm/device/budget.hpp"

namespace cupool::detail {

namespace {

/// What a device hands on leaves it at this rate (an H200, by NVLink).
constexpr double nanoseconds_a_forwarded_byte = 1.0 / 370;
/// Of an MSM whose windows are shared: places in it are multiplied in 64 bits.
constexpr std::size_t max_terms = std::size_t{1} << 32;

std::array<Event, 2> two_events(ContextView context) { return {Event(context), Event(context)}; }

/// Which of its own terms a device has in a chunk: the same fraction of them as the chunk is of all terms.
Share part_of_chunk(std::uint64_t own_terms, const MsmChunk& chunk, std::uint64_t all_terms) {
    const auto scaled = [=](std::uint64_t term) { return own_terms * term / all_terms; };
    const std::uint64_t first = scaled(chunk.first_term);
    return {first, scaled(chunk.first_term + chunk.term_count) - first};
}

/// What it takes to bring a term, where each device brings its part of the terms, and to hand it on to
/// the others. Bases that are there are handed on beside what is brought.
template <Curve C>
FeedCost feed_cost_of(const std::vector<TermsOfDevice<C>>& terms) {
    const auto devices = static_cast<double>(terms.size());
    const double handed_byte = nanoseconds_a_forwarded_byte * (devices - 1);
    FeedCost cost;
    for (const TermsOfDevice<C>& own : terms) {
        const auto brought = static_cast<double>(own.brought_bytes());
        const auto there = static_cast<double>(sizeof(Scalar) + sizeof(AffinePoint<C>)) - brought;
        const double brought_byte = own.context.template resource<OperandFeeds>()->rate().nanoseconds_a_byte();
        cost.copy = std::max({cost.copy, brought_byte * brought, handed_byte * there});
        cost.forward = std::max(cost.forward, handed_byte * brought);
    }
    return {cost.copy / devices, cost.forward / devices};
}

}  // namespace

template <Curve C>
MsmByWindows<C>::Member::Member(const TermsOfDevice<C>& of_device, const DeviceMsmJob<C>& job, const MsmJobLayout& layout,
                                const MsmConfig& config)
    : terms(of_device),
      msm(job, layout, config),
      feeds(config.ctx.resource<OperandFeeds>()),
      feed(feeds->take()),
      exchange(feeds->take()),
      brought(two_events(config.ctx.context())),
      forwarded(two_events(config.ctx.context())),
      summed(two_events(config.ctx.context())),
      last_asked(config.ctx.context(), {.timing = true}),
      last_brought(config.ctx.context(), {.timing = true}) {}

template <Curve C>
MsmByWindows<C>::MsmByWindows(const std::vector<TermsOfDevice<C>>& terms, CopyBetween copy_between, const MsmConfig& config, unsigned width,
                              const DeviceMsmLimits& limits)
    : copy_between_(std::move(copy_between)),
      config_(config),
      promised_bits_(scalar_range<C>(config.bitsize).bits),
      feed_cost_(feed_cost_of(terms)) {
    std::size_t count = 0;
    for (const TermsOfDevice<C>& of_device : terms) count += of_device.scalars.size();
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
    const DigitChoice choice = choose_shared_digits(works, config.memory_budget, feed_cost_);
    for (std::size_t place = 0; place < terms.size(); ++place) {
        const Operand<AffinePoint<C>>& bases = terms[place].bases;
        members_.push_back(std::make_unique<Member>(terms[place], jobs[place], MsmJobLayout(works[place], choice), configs[place]));
        do_threads_read_memory_ |= members_[place]->feed->is_staged(std::as_bytes(terms[place].scalars));
        if (!bases.is_on_device()) do_threads_read_memory_ |= members_[place]->feed->is_staged(std::as_bytes(bases.host()));
    }
}

template <Curve C>
JacobianPoint<C> MsmByWindows<C>::run() {
    try {
        sum_all();
    } catch (const std::bad_alloc&) {
        wait_for_all();
        throw Error(ErrorCategory::out_of_memory, "msm: the host has not enough memory to share an MSM's windows among devices");
    } catch (...) {
        wait_for_all();
        throw;
    }
    learn_rates();
    require_promise();
    return join();
}

template <Curve C>
void MsmByWindows<C>::sum_all() {
    take_chunks(cut(), [this](const std::vector<MsmChunk>& chunks, bool are_smallest) { return take_memory(chunks, are_smallest); });
    queue();
    for (const auto& member : members_) member->msm.stream().synchronize();
}

/// How one device would cut it, where each brings its part of the terms.
template <Curve C>
MsmCut MsmByWindows<C>::cut() const {
    MsmCut cut = members_[0]->msm.cut(feed_cost_);
    // Each device's part of a chunk is rounded by itself.
    cut.max_terms -= std::min(cut.max_terms, members_.size()) - 1;
    return cut;
}

/// For chunks about as large as these, on every device.
template <Curve C>
bool MsmByWindows<C>::take_memory(const std::vector<MsmChunk>& cut, bool are_smallest) {
    cut_stripes(cut);
    for (const auto& member : members_) {
        if (member->msm.take_memory(chunks_, are_smallest)) continue;
        for (const auto& other : members_) other->msm.give_memory_back();
        return false;
    }
    return true;
}

/// Lets every device have the same fraction of its terms in a chunk.
template <Curve C>
void MsmByWindows<C>::cut_stripes(const std::vector<MsmChunk>& cut) {
    chunks_.clear();
    stripes_.clear();
    const std::size_t all = cut.back().first_term + cut.back().term_count;
    std::size_t end = 0;
    for (const MsmChunk& chunk : cut) {
        Stripe stripe;
        std::size_t count = 0;
        for (const auto& member : members_) {
            stripe.push_back(part_of_chunk(member->terms.scalars.size(), chunk, all));
            count += stripe.back().count;
        }
        if (count == 0) continue;
        chunks_.push_back({0, 1, end, count, false});
        stripes_.push_back(std::move(stripe));
        end += count;
    }
    chunks_.back().is_last = true;
}

template <Curve C>
void MsmByWindows<C>::queue() {
    for (const auto& member : members_) member->msm.prepare();
    // Host memory may be what earlier work of a stream writes, and the memory that was allocated is ordered on it.
    for (const auto& member : members_) member->msm.stream().synchronize();
    bring(0);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
        sum(i);
        if (i + 1 < chunks_.size()) bring(i + 1);
    }
    for (const auto& member : members_) member->msm.queue_result();
}

/// Brings a chunk to all devices, into the place of the chunk before the last.
template <Curve C>
void MsmByWindows<C>::bring(std::size_t i) {
    const auto threads = do_threads_read_memory_ ? static_cast<unsigned>(members_.size()) : 1;
    parallel_for(members_.size(), threads, [&](std::size_t place) { bring_own(place, i); });
    for (std::size_t place = 0; place < members_.size(); ++place) forward(place, i);
}

template <Curve C>
void MsmByWindows<C>::bring_own(std::size_t place, std::size_t i) {
    Member& own = *members_[place];
    const TermsOfDevice<C>& terms = own.terms;
    const Share& share = stripes_[i][place];
    const StreamView stream = own.feed->stream();
    const bool is_last = i + 1 == chunks_.size();
    stream.wait(own.summed[i % 2]);  // and so handed on
    if (is_last) own.last_asked.record(stream);
    if (share.count != 0) {
        const unsigned threads = terms.context.host_threads();
        own.feed->copy(scalars_at(place, place, i), std::as_bytes(terms.scalars.subspan(share.offset, share.count)), threads);
        if (!terms.bases.is_on_device())
            own.feed->copy(bases_at(place, place, i), std::as_bytes(terms.bases.host().subspan(share.offset, share.count)), threads);
        own.bytes += share.count * terms.brought_bytes();
    }
    if (is_last) own.last_brought.record(stream);
    if (share.count != 0 && !terms.bases.is_on_device() && !config_.are_points_montgomery_form) {
        own.msm.queue_conversion(DeviceSpan<AffinePoint<C>>(bases_at(place, place, i), share.count, terms.context.device()), stream);
    }
    own.brought[i % 2].record(stream);
}

/// Hands a device's part of a chunk on to the others.
template <Curve C>
void MsmByWindows<C>::forward(std::size_t place, std::size_t i) {
    Member& own = *members_[place];
    const StreamView stream = own.exchange->stream();
    for (const auto& other : members_) stream.wait(other->summed[i % 2]);
    const Share& share = stripes_[i][place];
    if (share.count != 0) copy_to_others(place, i);
    own.forwarded[i % 2].record(stream);
}

/// Each begins with the one behind it, so that no two hand on to the same one at once.
template <Curve C>
void MsmByWindows<C>::copy_to_others(std::size_t place, std::size_t i) {
    Member& own = *members_[place];
    const Operand<AffinePoint<C>>& bases = own.terms.bases;
    const Share& share = stripes_[i][place];
    const StreamView stream = own.exchange->stream();
    const auto copy = [&](std::size_t to, std::uint64_t to_pointer, std::uint64_t from_pointer, std::size_t bytes) {
        copy_between_(members_[to]->terms.member, to_pointer, own.terms.member, from_pointer, bytes, stream);
    };
    const std::size_t devices = members_.size();
    const std::size_t bases_bytes = share.count * sizeof(AffinePoint<C>);
    if (bases.is_on_device()) {
        const std::uint64_t from = bases.device().subspan(share.offset, share.count).pointer();
        for (std::size_t to = place; to < place + devices; ++to) copy(to % devices, bases_at(to % devices, place, i), from, bases_bytes);
    }
    stream.wait(own.brought[i % 2]);
    for (std::size_t k = place + 1; k < place + devices; ++k) {
        const std::size_t to = k % devices;
        copy(to, scalars_at(to, place, i), scalars_at(place, place, i), share.count * sizeof(Scalar));
        if (!bases.is_on_device()) copy(to, bases_at(to, place, i), bases_at(place, place, i), bases_bytes);
    }
}

template <Curve C>
void MsmByWindows<C>::sum(std::size_t i) {
    for (const auto& member : members_) {
        const StreamView stream = member->msm.stream();
        for (const auto& other : members_) stream.wait(other->forwarded[i % 2]);
        member->msm.sum(i);
        member->summed[i % 2].record(stream);
    }
}

template <Curve C>
void MsmByWindows<C>::learn_rates() {
    for (std::size_t place = 0; place < members_.size(); ++place) {
        Member& own = *members_[place];
        own.feeds->rate().learn(stripes_.back()[place].count * own.terms.brought_bytes(),
                                elapsed_milliseconds(own.last_asked, own.last_brought));
    }
}

template <Curve C>
void MsmByWindows<C>::wait_for_all() const {
    for (const auto& member : members_) {
        const SynchronizeOnExit feed(member->feed->stream());
        const SynchronizeOnExit exchange(member->exchange->stream());
        const SynchronizeOnExit sums(member->msm.stream());
    }
}

/// All devices have looked at all scalars. \throws OversizedScalar
template <Curve C>
void MsmByWindows<C>::require_promise() const {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t lowest = none;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
        const std::size_t found = members_[0]->msm.first_oversized(i);
        std::size_t before = 0;  // terms of the devices before it
        for (std::size_t place = 0; found != no_scalar && place < members_.size(); ++place) {
            const std::size_t first = first_in_chunk(place, i);
            const Share& share = stripes_[i][place];
            if (found >= first && found < first + share.count) lowest = std::min(lowest, before + share.offset + found - first);
            before += members_[place]->terms.scalars.size();
        }
    }
    if (lowest != none) throw_oversized_scalar(lowest, promised_bits_);
}

template <Curve C>
JacobianPoint<C> MsmByWindows<C>::join() const {
    const DeviceMsm<C>& any = members_.front()->msm;
    std::vector<HostXyzz<C>> sums(any.all_sums(), HostXyzz<C>::infinity());
    for (const auto& member : members_) {
        for (std::size_t i = 0; i < member->msm.sums().size(); ++i) sums[member->msm.first_sum() + i] += member->msm.sums()[i];
    }
    return store_jacobian<C>(combine_windows(std::span<const HostXyzz<C>>(sums), any.width(), any.sums_a_window()),
                             config_.are_points_montgomery_form);
}

/// Where a device's terms begin in a chunk.
template <Curve C>
std::size_t MsmByWindows<C>::first_in_chunk(std::size_t place, std::size_t i) const {
    std::size_t first = 0;
    for (std::size_t before = 0; before < place; ++before) first += stripes_[i][before].count;
    return first;
}

template <Curve C>
std::optional<unsigned> width_of_shared_windows(std::size_t terms, std::size_t devices, const MsmConfig& config, MsmSpread spread) {
    // With fewer, what it takes until terms are with all devices counts for more than fuller buckets (measured on two H200s; four have not
    // run it).
    constexpr std::size_t min_terms_a_device = std::size_t{1} << 17;
    if (devices < 2 || spread == MsmSpread::one_device || spread == MsmSpread::all_devices || terms > max_terms) return std::nullopt;
    const ScalarRange scalars = scalar_range<C>(config.bitsize);
    const DigitChoice choice =
        choose_digits(terms, scalars, 1, static_cast<unsigned>(config.c), {.partition_count = static_cast<unsigned>(devices)});
    if (spread == MsmSpread::shared_windows) return choice.width;
    // With fewer digits it takes longer to hand a term on than to sum what a device has of it.
    const MsmDigits digits = msm_digits(scalars, choice, 1);
    const bool are_enough = digits.terms_a_scalar * digits.digit_count >= devices && terms / devices >= min_terms_a_device;
    return are_enough ? std::optional(choice.width) : std::nullopt;
}

#define CUPOOL_INSTANTIATE(C)       \
    template class MsmByWindows<C>; \
    template std::optional<unsigned> width_of_shared_windows<C>(std::size_t, std::size_t, const MsmConfig&, MsmSpread);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
CUPOOL_INSTANTIATE(Curve::bn254_g2)
CUPOOL_INSTANTIATE(Curve::bls12_381_g2)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
