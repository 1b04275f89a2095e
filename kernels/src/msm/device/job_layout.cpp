#include "msm/device/job_layout.hpp"

#include <algorithm>
#include <bit>

#include "msm/device/rounds.hpp"
#include "msm/device/workspace_layout.hpp"

namespace cupool::detail {

namespace {

/// Rows of blocks of a grid.
constexpr std::size_t max_rows = 65535;

/// Fixed cost of an extra chunk, in digit-equivalents per bucket: the remainders of each bucket are sorted and read again.
/// With few digits per device, rounds leave more of them (measured on an H200 with a half and a quarter of the digits).
constexpr double digits_a_bucket(unsigned partition_count) { return partition_count <= 2 ? 4 : 12; }
/// The rest of that cost: some twenty kernels begin and end.
constexpr double nanoseconds_of_kernels = 100e3;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

// Measured on an H200.
double nanoseconds_per_digit(std::size_t coordinate_bytes) {
    switch (coordinate_bytes) {
        case 32: return 0.17;
        case 48: return 0.33;
        case 64: return 0.6;
        default: return 1.3;
    }
}

MsmJobLayout::MsmJobLayout(const MsmWork& work, DigitChoice choice)
    : work_(work),
      choice_(choice),
      digits_(msm_digits(work.scalars, choice, work.tables)),
      low_bits_(choose_low_bits(digits_, work.limits.min_weight_split_buckets)) {}

MsmCut MsmJobLayout::cut(UploadCost upload) const {
    const std::size_t points_a_term = choice_.are_scalars_split ? 2 : work_.tables;
    const std::size_t max_terms = std::clamp<std::size_t>(work_.limits.max_chunk_terms, points_a_term, carried_bit) / points_a_term;
    return {.msm_count = work_.msm_count,
            .term_count = work_.term_count,
            .max_terms = std::min(max_terms, std::max(work_.term_count, terms_of_a_batch)),
            .max_msms = max_msms_at_once(),
            .cost = chunk_cost(upload),
            .min_terms = work_.limits.min_chunk_terms};
}

ChunkCost MsmJobLayout::chunk_cost(UploadCost upload) const {
    const double digit = nanoseconds_per_digit(work_.coordinate_bytes);
    return {.copy = upload.copy,
            .sum = digit * digits_.terms_a_scalar * digits_.digit_count / work_.partition_count,
            .start = nanoseconds_of_kernels + digit * digits_a_bucket(work_.partition_count) * digits_.largest * window_count(),
            .forward = upload.forward};
}

std::size_t MsmJobLayout::max_msms_at_once() const {
    return std::clamp<std::size_t>(max_rows / window_count(), 1, work_.max_joined_msms());
}

void MsmJobLayout::lay_out(std::vector<MsmChunk> chunks) {
    chunks_ = std::move(chunks);
    plan_chunks();
    place();
}

MsmJobLayout::ChunkPlans::ChunkPlans(const MsmProblem& of_problem, bool buckets_have_sums, unsigned low_bits)
    : problem(of_problem), adds_to_buckets(buckets_have_sums), terms(make_msm_plan(of_problem)) {
    terms.params.carry_over.adds_to_buckets = buckets_have_sums ? 1 : 0;
    if (leaves_sums(terms.params) && problem.remainder == BucketRemainder::weight_split)
        weight_split = make_weight_split_plan(terms.params, low_bits, problem);
}

void MsmJobLayout::plan_chunks() {
    plans_.clear();
    plan_of_.clear();
    max_carried_ = 0;
    max_rows_ = 0;
    std::uint32_t carried = 0;
    bool have_buckets_sums = false;
    for (const MsmChunk& chunk : chunks_) {
        if (chunk.is_first()) have_buckets_sums = false;
        const BucketRemainder remainder = !chunk.is_last                                          ? BucketRemainder::carried_over
                                          : !have_buckets_sums && splits_weights(chunk.msm_count) ? BucketRemainder::weight_split
                                                                                                  : BucketRemainder::accumulated;
        const MsmProblem problem = problem_of(chunk, carried, remainder);
        if (plans_.empty() || plans_.back().problem != problem || plans_.back().adds_to_buckets != have_buckets_sums)
            plans_.emplace_back(problem, have_buckets_sums, low_bits_);
        plan_of_.push_back(plans_.size() - 1);
        const MsmKernelParams& params = plans_.back().terms.params;
        const std::uint32_t left = leaves_sums(params) ? max_points(params, params.rounds.count) : 0;
        have_buckets_sums |= left == 0;
        carried = chunk.is_last ? 0 : left;
        if (left != 0) max_carried_ = std::max(max_carried_, max_row_points(params, params.rounds.count));
        max_rows_ = std::max(max_rows_, params.rows.count);
    }
}

/// \param carried_points the most that the chunk before may leave to one of its window instances
MsmProblem MsmJobLayout::problem_of(const MsmChunk& chunk, std::uint32_t carried_points, BucketRemainder remainder) const {
    return {.msm_count = static_cast<std::uint32_t>(chunk.msm_count),
            .scalar_count = static_cast<std::uint32_t>(chunk.term_count),
            .carried_points = carried_points,
            .remainder = remainder,
            .scalars = work_.scalars,
            .choice = choice_,
            .base_count = static_cast<std::uint32_t>(base_count(chunk)),
            .tables = work_.tables,
            .splits_weights = splits_weights(chunk.msm_count),
            .partition = work_.partition,
            .partition_count = work_.partition_count,
            .multiprocessors = work_.multiprocessors,
            .rounds_budget = work_.rounds_budget,
            .coordinate_bytes = work_.coordinate_bytes};
}

/// Whether the buckets of `msm_count` MSMs are reduced by weight splitting, unless they hold sums already.
bool MsmJobLayout::splits_weights(std::size_t msm_count) const {
    const std::size_t rows = msm_count * window_count();
    return low_bits_ != 0 && 2 * rows <= max_rows && rows * digits_.largest >= work_.limits.min_weight_split_buckets;
}

/// Bases of a chunk in one table.
std::size_t MsmJobLayout::base_count(const MsmChunk& chunk) const {
    return (work_.have_own_bases ? chunk.msm_count : 1) * chunk.term_count;
}

std::size_t MsmJobLayout::bases_bytes(const MsmChunk& chunk) const {
    return work_.uploads_bases ? aligned(base_count(chunk) * 2 * work_.coordinate_bytes) : 0;
}

std::size_t MsmJobLayout::scalars_bytes(const MsmChunk& chunk) const {
    return work_.uploads_scalars ? aligned(chunk.msm_count * chunk.term_count * sizeof(Scalar)) : 0;
}

void MsmJobLayout::place() {
    std::size_t end = 0;
    const auto take = [&end](std::size_t bytes) {
        const std::size_t begin = end;
        end += aligned(bytes);
        return begin;
    };
    places_ = {};
    places_.sums_for_host = take(host_sums_bytes() + chunks_.size() * sizeof(std::uint32_t));
    places_.oversized = places_.sums_for_host + host_sums_bytes();
    places_.bit_sums = joins_bit_sums() ? take(msms_of_bit_sums() * window_count() * weight_bits() * sum_bytes()) : places_.sums_for_host;
    if (max_carried_ != 0) {
        places_.carried_points = take(std::size_t{max_rows_} * max_carried_ * 2 * work_.coordinate_bytes);
        places_.carried_starts = take(std::size_t{max_rows_} * (max_buckets() + 1) * sizeof(std::uint32_t));
    }
    std::array<std::size_t, 2> slots{};
    std::size_t sums = 0;
    std::size_t workspace = 0;
    for (std::size_t i = 0; i < chunks_.size(); ++i)
        slots[i % 2] = std::max(slots[i % 2], bases_bytes(chunks_[i]) + scalars_bytes(chunks_[i]));
    for (ChunkPlans plans : plans_) {
        if (!leaves_sums(plans.terms.params)) sums = std::max(sums, place_msm_sums(plans.terms, work_.coordinate_bytes, 0));
        workspace = std::max(workspace, place_msm_workspace(plans.terms, work_.coordinate_bytes, 0));
        if (plans.weight_split) workspace = std::max(workspace, place_weight_split(*plans.weight_split, work_.coordinate_bytes, 0));
    }
    for (std::size_t i = 0; i < slots.size(); ++i) places_.upload_slots[i] = take(slots[i]);
    places_.sums = take(sums);
    places_.workspace = take(workspace);
    places_.bytes = end;
}

std::uint32_t MsmJobLayout::max_buckets() const {
    std::uint32_t most = 0;
    for (const ChunkPlans& plans : plans_) most = std::max(most, plans.terms.params.rows.bucket_count);
    return most;
}

/// The number of MSMs whose bit sums are kept at a time: those of a chunk if the device joins them, otherwise all.
std::size_t MsmJobLayout::msms_of_bit_sums() const {
    if (!joins_bit_sums()) return work_.msm_count;
    std::size_t most = 0;
    for (const MsmChunk& chunk : chunks_) most = std::max(most, chunk.msm_count);
    return most;
}

unsigned MsmJobLayout::weight_bits() const { return static_cast<unsigned>(std::bit_width(digits_.largest)); }

std::size_t place_weight_split(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base) {
    const std::size_t sums = place_msm_sums(plan, coordinate_bytes, base);
    return sums + place_msm_workspace(plan, coordinate_bytes, base + sums);
}

}  // namespace cupool::detail
