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
#include "scheduling/divide.hpp"

namespace cupool::detail {

/// The terms of an MSM that a member uploads from host memory, or whose bases it has prepared.
template <Curve C>
struct DeviceTerms {
    std::size_t member;  ///< index in the pool
    DeviceContext context;
    std::span<const Scalar> scalars;
    Operand<AffinePoint<C>> bases;  ///< of the scalars; on the device only in Montgomery form

    /// The bytes of a term that the host uploads.
    std::size_t uploaded_bytes() const { return sizeof(Scalar) + (bases.is_on_device() ? 0 : sizeof(AffinePoint<C>)); }
};

/// One MSM over several devices, each of which sums one digit partition of all terms: some windows, and parts of the windows at its ends.
///
/// Every device uploads its own scalars and bases, chunk by chunk, and forwards them to the others. Each term crosses the bus once, and
/// only terms travel between devices. Compared with devices that sum all windows of their own terms, the buckets are as full as on one
/// device, and each device has fewer of them to reduce.
///
/// One thread queues all work. Every event is recorded before a wait for it is queued, so that MSMs of several threads cannot deadlock.
template <Curve C>
class DigitPartitionedMsm {
public:
    /// Queues a copy between two members of the pool on a stream of the source's device.
    using CopyBetween = std::function<void(std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer,
                                           std::size_t bytes, StreamView stream)>;

    /// \param config  its ctx is ignored; results on the host
    /// \param width  bits of a digit. If config.c is 0 and config.memory_budget is too small for it, another width is chosen.
    DigitPartitionedMsm(const std::vector<DeviceTerms<C>>& terms, CopyBetween copy_between, const MsmConfig& config, unsigned width,
                        const DeviceMsmLimits& limits = {});

    /// \throws OversizedScalar with the index of the term, counted through the terms of all devices in order; and what cupool::msm()
    /// throws. No work of the MSM is in flight then.
    JacobianPoint<C> run();

    /// The bytes copied between the host and the device at a place, and the device memory that the MSM used there. A place is an index into
    /// the constructor's `terms`.
    std::uint64_t bytes(std::size_t place) const { return members_[place]->bytes + members_[place]->msm.bytes(); }
    std::uint64_t device_bytes(std::size_t place) const { return members_[place]->msm.device_bytes(); }

private:
    struct Member {
        Member(const DeviceTerms<C>& of_device, const DeviceMsmJob<C>& job, const MsmJobLayout& layout, const MsmConfig& config);

        DeviceTerms<C> terms;
        DeviceMsm<C> msm;
        std::shared_ptr<UploadStagers> stagers;
        std::shared_ptr<UploadStager> stager;    ///< uploads its operands
        std::shared_ptr<UploadStager> exchange;  ///< its stream forwards them
        // Events of the latest chunk in each of the two upload slots:
        std::array<Event, 2> uploaded;        ///< the device's own operands are in the slot
        std::array<Event, 2> forwarded;       ///< they are in the slots of all devices
        std::array<Event, 2> summed;          ///< this device no longer uses the slot
        Event last_requested, last_uploaded;  ///< begin and end of the last chunk's upload
        std::uint64_t bytes = 0;
    };
    /// The terms of each device in a chunk, as slices of the device's own terms.
    using ChunkSlices = std::vector<Slice>;

    void sum_all();
    MsmCut cut() const;
    bool reserve(const std::vector<MsmChunk>& cut, bool are_smallest);
    void cut_slices(const std::vector<MsmChunk>& cut);
    void queue();
    void upload(std::size_t i);
    void upload_own(std::size_t place, std::size_t i);
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
    unsigned promised_bits_;  // every scalar is below 2^promised_bits_
    UploadCost upload_cost_;
    std::vector<std::unique_ptr<Member>> members_;
    std::vector<MsmChunk> chunks_;
    std::vector<ChunkSlices> slices_;      // [chunk]
    bool do_threads_read_memory_ = false;  // some host memory is pageable, so host threads copy it into staging buffers
};

/// The digit width if so many devices should divide the digits of an MSM. nullopt if they should divide the terms: the scalars have too few
/// digits, or there are too few terms for forwarding to pay.
template <Curve C>
std::optional<unsigned> digit_partition_width(std::size_t terms, std::size_t devices, const MsmConfig& config, MsmSpread spread);

}  // namespace cupool::detail
