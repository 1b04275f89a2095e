#pragma once

#include <array>
#include <cupool/driver/event.hpp>
#include <cupool/pool/msm_spread.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "msm/device/device_msm.hpp"
#include "scheduling/shares.hpp"
#include "transfer/upload_stager.hpp"

namespace cupool::detail {

/// What a device has of an MSM's terms.
template <Curve C>
struct TermsOfDevice {
    std::size_t member;  ///< of the pool
    DeviceContext context;
    std::span<const Scalar> scalars;
    Operand<AffinePoint<C>> bases;  ///< of the scalars; on the device only in Montgomery form

    /// What crosses the bus for a term.
    std::size_t brought_bytes() const { return sizeof(Scalar) + (bases.is_on_device() ? 0 : sizeof(AffinePoint<C>)); }
};

/// One MSM over several devices, each of which sums a share of all terms' digits: some windows, and parts of those at the share's ends.
///
/// Every device brings the scalars and bases that it has, chunk by chunk, to its own memory and hands them on to the others. So each
/// term crosses the bus once, and nothing but terms goes from device to device. Against devices that have some of the terms each and sum
/// all windows of those, the buckets are as full as on one device, and each device has fewer of them to reduce.
///
/// All of it is queued by one thread. No queue waits for a mark that is made later than the wait is queued, so that MSMs that several
/// threads queue cannot wait for each other in a circle.
template <Curve C>
class MsmByWindows {
public:
    /// Queues a copy between two members of the pool on a stream of the one that it comes from.
    using CopyBetween = std::function<void(std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer,
                                           std::size_t bytes, StreamView stream)>;

    /// \param config  whose ctx is not looked at; results on the host
    /// \param width  bits of a digit. If config.c leaves it open, and config.memory_budget is too small
    /// for it, another width is chosen.
    MsmByWindows(const std::vector<TermsOfDevice<C>>& terms, CopyBetween copy_between, const MsmConfig& config, unsigned width,
                 const DeviceMsmLimits& limits = {});

    /// \throws OversizedScalar by its place in the MSM, where the devices' terms follow each other; and what cupool::msm() throws. Then no
    /// work of it is under way.
    JacobianPoint<C> run();

    /// What went between the host and the device at a place, and memory that it took there.
    std::uint64_t bytes(std::size_t place) const { return members_[place]->bytes + members_[place]->msm.bytes(); }
    std::uint64_t device_bytes(std::size_t place) const { return members_[place]->msm.device_bytes(); }

private:
    struct Member {
        Member(const TermsOfDevice<C>& of_device, const DeviceMsmJob<C>& job, const MsmJobLayout& layout, const MsmConfig& config);

        TermsOfDevice<C> terms;
        DeviceMsm<C> msm;
        std::shared_ptr<UploadStagers> feeds;
        std::shared_ptr<UploadStager> feed;      ///< brings its operands
        std::shared_ptr<UploadStager> exchange;  ///< whose stream hands them on
        // Marks of the last chunk in each of the two places for chunks:
        std::array<Event, 2> brought;    ///< the device's own operands are in it
        std::array<Event, 2> forwarded;  ///< and with all others
        std::array<Event, 2> summed;     ///< all of it is done with here
        Event last_asked, last_brought;  ///< of the last chunk
        std::uint64_t bytes = 0;
    };
    /// What each device has of a chunk, counted from its first term.
    using Stripe = std::vector<Share>;

    void sum_all();
    MsmCut cut() const;
    bool reserve(const std::vector<MsmChunk>& cut, bool are_smallest);
    void cut_stripes(const std::vector<MsmChunk>& cut);
    void queue();
    void bring(std::size_t i);
    void bring_own(std::size_t place, std::size_t i);
    void forward(std::size_t place, std::size_t i);
    void copy_to_others(std::size_t place, std::size_t i);
    void sum(std::size_t i);
    void learn_rates();
    void wait_for_all() const;
    void require_promise() const;
    JacobianPoint<C> join() const;

    std::size_t first_in_chunk(std::size_t place, std::size_t i) const;
    std::uint64_t scalars_at(std::size_t of, std::size_t place, std::size_t i) const {
        return members_[of]->msm.scalars_slot(i) + first_in_chunk(place, i) * sizeof(Scalar);
    }
    std::uint64_t bases_at(std::size_t of, std::size_t place, std::size_t i) const {
        return members_[of]->msm.bases_slot(i) + first_in_chunk(place, i) * sizeof(AffinePoint<C>);
    }

    CopyBetween copy_between_;
    MsmConfig config_;
    unsigned promised_bits_;  // what every scalar is below
    UploadCost upload_cost_;
    std::vector<std::unique_ptr<Member>> members_;
    std::vector<MsmChunk> chunks_;
    std::vector<Stripe> stripes_;          // [chunk]
    bool do_threads_read_memory_ = false;  // some host memory is ordinary, and passes through page-locked memory
};

/// How many bits the digits should have whose windows so many devices share; nothing where they had better share the terms: scalars have
/// too few digits, or there are so few terms that handing them on does not pay.
template <Curve C>
std::optional<unsigned> width_of_shared_windows(std::size_t terms, std::size_t devices, const MsmConfig& config, MsmSpread spread);

}  // namespace cupool::detail
