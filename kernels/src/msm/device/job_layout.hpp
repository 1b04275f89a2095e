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

/// Nanoseconds that it takes to bring a term to the device, and to hand it on: see ChunkCost.
struct FeedCost {
    double copy = 0;
    double forward = 0;
};

/// Nanoseconds in which a device sums one digit of a term.
double nanoseconds_a_digit(std::size_t coordinate_bytes);

/// Byte offsets into the one block of device memory that a job allocates.
struct MsmPlaces {
    std::size_t sums_for_host = 0;  ///< the sums of all MSMs' windows, or for the windows' bits
    std::size_t oversized = 0;      ///< a word for each chunk, right behind the sums: one copy brings both
    std::size_t bit_sums = 0;
    std::size_t carried_points = 0;
    std::size_t carried_starts = 0;
    std::array<std::size_t, 2> landing{};  ///< of operands: chunks take turns
    std::size_t sums = 0;                  ///< of buckets, which outlast a chunk
    std::size_t workspace = 0;
    std::size_t bytes = 0;  ///< the size of the block
};

/// The plans of a job's chunks with given digits, and the layout of the memory that they need. The
/// device follows it, and the choice of digits under a budget asks it: so both count the same bytes.
class MsmJobLayout {
public:
    /// The layout is empty until lay_out() is called.
    MsmJobLayout(const MsmWork& work, DigitChoice choice);

    /// How the job is to be cut up.
    MsmCut cut(FeedCost feed) const;

    /// Plans these chunks and lays out their memory.
    void lay_out(std::vector<MsmChunk> chunks);

    const MsmWork& work() const { return work_; }
    DigitChoice choice() const { return choice_; }
    const std::vector<MsmChunk>& chunks() const { return chunks_; }
    /// The plan of a chunk's terms.
    const MsmPlan& plan(std::size_t i) const { return plans_[plan_of_[i]].terms; }
    /// The plan that follows it of weight splitting.
    const std::optional<MsmPlan>& weight_split(std::size_t i) const { return plans_[plan_of_[i]].weight_split; }
    /// The most points that any plan leaves to another one in a row.
    std::uint32_t max_carried() const { return max_carried_; }
    const MsmPlaces& places() const { return places_; }
    std::size_t bytes() const { return places_.bytes; }

    /// Bytes that a chunk's operands take if they must be brought: multiples of the alignment.
    std::size_t bases_bytes(const MsmChunk& chunk) const;
    std::size_t scalars_bytes(const MsmChunk& chunk) const;

    /// Bytes of an XYZZ point.
    std::size_t sum_bytes() const { return 4 * work_.coordinate_bytes; }
    /// Bytes of the sums that are kept for the host until all MSMs are done.
    std::size_t host_sums_bytes() const { return work_.msm_count * sum_count() * sum_bytes(); }

    /// The windows that have something of the digit partition.
    WindowRange windows() const { return windows_of_partition(digits_.window_count, work_.partition, work_.partition_count); }
    unsigned window_count() const { return windows().count; }
    /// Of an MSM, with those that other devices sum.
    unsigned all_windows() const { return digits_.window_count; }
    /// Of the buckets' weights.
    unsigned weight_bits() const;
    /// Whether the sums of a window for each bit are joined on the device. Devices that share an MSM agree about it.
    bool joins_bit_sums() const { return work_.always_joins_bit_sums || work_.msm_count * digits_.window_count >= min_joined_windows; }
    unsigned sums_a_window() const { return joins_bit_sums() ? 1 : weight_bits(); }
    /// Of an MSM.
    unsigned sum_count() const { return window_count() * sums_a_window(); }

private:
    /// The plans of chunks that pose the same problem.
    struct ChunkPlans {
        ChunkPlans(const MsmProblem& of_problem, bool buckets_have_sums, unsigned low_bits);

        MsmProblem problem;
        bool adds_to_buckets;
        MsmPlan terms;
        std::optional<MsmPlan> weight_split;
    };

    ChunkCost chunk_cost(FeedCost feed) const;
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
    unsigned low_bits_;  // of the buckets' weights; 0 where no chunk splits them
    std::vector<MsmChunk> chunks_;
    std::vector<ChunkPlans> plans_;     // a chunk that is like the one before shares its plans
    std::vector<std::size_t> plan_of_;  // [chunk]
    std::uint32_t max_carried_ = 0;     // with infinity behind them
    std::uint32_t max_rows_ = 0;        // of a chunk
    MsmPlaces places_;
};

/// All that the plan that weighs buckets needs lies where the workspace of the plan before it did. \return how many bytes it takes
std::size_t place_weight_split(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base);

}  // namespace cupool::detail
