#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "msm/device/chunks.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/plan.hpp"
#include "msm/device/thresholds.hpp"

namespace cupool::detail {

/// Estimated nanoseconds to upload a term, and to forward it to other devices: see ChunkCost.
struct UploadCost {
    double copy = 0;
    double forward = 0;
};

/// Estimated nanoseconds in which a device sums one digit of a term.
double nanoseconds_per_digit(std::size_t coordinate_bytes);

/// Byte offsets into the one block of device memory of a job.
struct MsmPlaces {
    std::size_t sums_for_host = 0;  ///< the sums of the windows of all MSMs, or their bit sums
    std::size_t oversized = 0;      ///< a word for each chunk, right behind the sums: one copy reads back both
    std::size_t bit_sums = 0;
    std::size_t carried_points = 0;
    std::size_t carried_starts = 0;
    std::array<std::size_t, 2> upload_slots{};  ///< for operands; chunks alternate
    std::size_t sums = 0;                       ///< of buckets, which outlive a chunk
    std::size_t workspace = 0;
    std::size_t bytes = 0;  ///< the size of the block
};

/// The plans of the chunks of a job with given digits, and the layout of the memory that they need. The
/// device follows it, and the choice of digits under a budget asks it: so both count the same bytes.
class MsmJobLayout {
public:
    /// The layout is empty until lay_out() is called.
    MsmJobLayout(const MsmWork& work, DigitChoice choice);

    /// How to cut the job into chunks.
    MsmCut cut(UploadCost upload) const;

    /// Plans these chunks and lays out their memory.
    void lay_out(std::vector<MsmChunk> chunks);

    const MsmWork& work() const { return work_; }
    DigitChoice choice() const { return choice_; }
    const std::vector<MsmChunk>& chunks() const { return chunks_; }
    /// The plan of the terms of a chunk.
    const MsmPlan& plan(std::size_t i) const { return plans_[plan_of_[i]].terms; }
    /// The plan that follows it, if buckets are reduced by weight splitting.
    const std::optional<MsmPlan>& weight_split(std::size_t i) const { return plans_[plan_of_[i]].weight_split; }
    /// The most points of one window instance that any plan leaves to another one.
    std::uint32_t max_carried() const { return max_carried_; }
    const MsmPlaces& places() const { return places_; }
    std::size_t bytes() const { return places_.bytes; }

    /// Bytes of the operands of a chunk that are uploaded: multiples of the alignment.
    std::size_t bases_bytes(const MsmChunk& chunk) const;
    std::size_t scalars_bytes(const MsmChunk& chunk) const;

    /// Bytes of an XYZZ point.
    std::size_t sum_bytes() const { return 4 * work_.coordinate_bytes; }
    /// Bytes of the sums that wait for the read-back until all MSMs are done.
    std::size_t host_sums_bytes() const { return work_.msm_count * sum_count() * sum_bytes(); }

    /// The windows that this digit partition has digits of.
    WindowRange windows() const { return windows_of_partition(digits_.window_count, work_.partition, work_.partition_count); }
    unsigned window_count() const { return windows().count; }
    /// The windows of an MSM, including those of other digit partitions.
    unsigned all_windows() const { return digits_.window_count; }
    /// Bits of the weights of buckets.
    unsigned weight_bits() const;
    /// Whether the device joins the bit sums of each window. Devices that share an MSM agree about it.
    bool joins_bit_sums() const { return work_.always_joins_bit_sums || work_.msm_count * digits_.window_count >= min_joined_windows; }
    unsigned sums_per_window() const { return joins_bit_sums() ? 1 : weight_bits(); }
    /// Sums of an MSM.
    unsigned sum_count() const { return window_count() * sums_per_window(); }

private:
    /// The plans of chunks with equal problems.
    struct ChunkPlans {
        ChunkPlans(const MsmProblem& of_problem, bool buckets_have_sums, unsigned low_bits);

        MsmProblem problem;
        bool adds_to_buckets;
        MsmPlan terms;
        std::optional<MsmPlan> weight_split;
    };

    ChunkCost chunk_cost(UploadCost upload) const;
    std::size_t max_msms_at_once() const;
    bool splits_weights(std::size_t msm_count) const;
    MsmProblem problem_of(const MsmChunk& chunk, std::uint32_t carried_points, BucketRemainder remainder) const;
    std::size_t base_count(const MsmChunk& chunk) const;
    void plan_chunks();
    void place();
    std::uint32_t max_buckets() const;
    std::size_t msms_of_bit_sums() const;

    MsmWork work_;
    DigitChoice choice_;
    MsmDigits digits_;
    unsigned low_bits_;  // of the weights of buckets; 0 if no chunk uses weight splitting
    std::vector<MsmChunk> chunks_;
    std::vector<ChunkPlans> plans_;     // a chunk with the same problem as the one before shares its plans
    std::vector<std::size_t> plan_of_;  // [chunk]
    std::uint32_t max_carried_ = 0;     // including infinity behind them
    std::uint32_t max_rows_ = 0;        // of one chunk
    MsmPlaces places_;
};

/// Places all memory of the plan for weight splitting where the workspace of the plan before it was. \return its size in bytes
std::size_t place_weight_split(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base);

}  // namespace cupool::detail
