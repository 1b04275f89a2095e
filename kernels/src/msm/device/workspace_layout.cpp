#include "msm/device/workspace_layout.hpp"

#include <algorithm>

#include "msm/device/bucket_reduction.hpp"
#include "msm/device/rounds.hpp"

namespace cupool::detail {

namespace {

constexpr std::size_t word = sizeof(std::uint32_t);

/// Hands out device memory, one array after the other.
class Placement {
public:
    explicit Placement(std::uint64_t base) : base_(base), end_(base) {}

    template <class T>
    void operator()(T*& pointer, std::uint64_t count, std::size_t element_bytes) {
        constexpr std::uint64_t alignment = 256;
        pointer = reinterpret_cast<T*>(end_);  // NOLINT(performance-no-int-to-ptr): a device address, never followed here
        end_ += (count * element_bytes + alignment - 1) / alignment * alignment;
    }
    std::size_t bytes() const { return end_ - base_; }

private:
    std::uint64_t base_;
    std::uint64_t end_;
};

/// The order matters: see cleared_words().
void place_counters(MsmKernelParams& params, Placement& place) {
    const std::uint64_t rows = params.rows.count;
    place(params.accumulation.large_bucket_count, 1, word);
    place(params.sort.bin_cursors, rows * params.sort.bin_count, word);
    place(params.sort.bucket_cursors, rows * params.rows.bucket_count, word);
    place(params.rounds.unpaired_bits, rows * indexed_pair_count(params) / word_bits, word);
}

void place_sort(MsmKernelParams& params, std::size_t coordinate_bytes, Placement& place) {
    const std::uint64_t rows = params.rows.count;
    const std::uint64_t levels = params.rounds.count + 1 - first_level(params);
    const std::uint64_t terms = std::uint64_t{params.operands.msm_count} * params.operands.term_count;
    place(params.operands.images, params.operands.scalars_are_split ? params.operands.first_image : 0,
          affine_coordinates * coordinate_bytes);
    place(params.digits.shifted_scalars, params.digits.word_count * terms, word);
    place(params.sort.bin_sizes, levels * rows * params.sort.bin_count, word);
    place(params.sort.bin_starts, rows * (params.sort.bin_count + 1), word);
    place(params.sort.binned_terms, rows * std::max(params.rows.max_terms, indexed_pair_count(params)), word);
    params.rounds.pair_indices = params.sort.binned_terms;  // when pairs are indexed, terms are in their slots already
    place(params.sort.binned_buckets, rows * params.rows.max_terms, sizeof(std::uint16_t));
    place(params.sort.bucket_starts, levels * rows * (params.rows.bucket_count + 1), word);
    place(params.sort.slots, rows * params.sort.slot_count, word);
}

void place_rounds(MsmKernelParams& params, std::uint64_t rows, std::size_t coordinate_bytes, Placement& place) {
    const std::size_t affine_bytes = affine_coordinates * coordinate_bytes;
    place(params.rounds.odd_sums, rows * max_row_points(params, 1), affine_bytes);
    place(params.rounds.even_sums, rows * max_row_points(params, 2), affine_bytes);
    place(params.rounds.prefixes, rows * max_points(params, 1), coordinate_bytes);
}

void place_accumulation(MsmKernelParams& params, std::size_t coordinate_bytes, Placement& place) {
    const std::uint64_t intervals = std::uint64_t{params.rows.count} * params.accumulation.interval_count;
    place(params.accumulation.large_buckets, intervals / large_bucket_intervals + 1, word);
    place(params.accumulation.unfinished, intervals, xyzz_coordinates * coordinate_bytes);
    place(params.accumulation.finished, intervals, xyzz_coordinates * coordinate_bytes);
}

}  // namespace

std::size_t place_msm_sums(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base) {
    MsmKernelParams& params = plan.params;
    Placement place(base);
    const std::uint64_t buckets = std::uint64_t{params.rows.count} * params.rows.bucket_count;
    place(params.accumulation.buckets, buckets, xyzz_coordinates * coordinate_bytes);
    place(params.reduction.lists, reduction_list_offset(params, reduction_levels(params)), xyzz_coordinates * coordinate_bytes);
    return place.bytes();
}

std::size_t place_msm_workspace(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base) {
    MsmKernelParams& params = plan.params;
    Placement place(base);
    place_counters(params, place);
    place_sort(params, coordinate_bytes, place);
    place_rounds(params, params.rounds.count == 0 ? 0 : plan.rows_at_once, coordinate_bytes, place);
    place_accumulation(params, coordinate_bytes, place);
    return place.bytes();
}

std::uint64_t cleared_words(const MsmKernelParams& params) {
    const std::uint64_t unpaired_words = std::uint64_t{params.rows.count} * (indexed_pair_count(params) / word_bits);
    return static_cast<std::uint64_t>(params.rounds.unpaired_bits - params.accumulation.large_bucket_count) + unpaired_words;
}

}  // namespace cupool::detail
