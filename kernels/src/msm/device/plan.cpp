#include "msm/device/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cupool::detail {

namespace {

/// An affine point has two coordinates, an XYZZ point four.
constexpr std::size_t affine_coordinates = 2;
constexpr std::size_t xyzz_coordinates = 4;

std::uint32_t divided_up(std::uint32_t value, std::uint32_t divisor) { return value / divisor + (value % divisor != 0); }

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t divisor) { return divided_up(value, divisor) * divisor; }

/// As few bins as leave about half a tile of terms in each, but no more than let a tile's terms of one bin be written together, which
/// counts for more than how long those of one bucket are then, unless bins have more than 512 buckets (measured on an H200); and no bin
/// larger than the sorting kernels' tables.
std::uint32_t choose_bin_shift(std::uint32_t row_terms, std::uint32_t bucket_count) {
    constexpr std::uint32_t max_bins = 256;
    constexpr std::uint32_t max_small_bins = 64;
    constexpr unsigned small_shift = 8;
    const auto bins = [bucket_count](std::uint32_t shift) { return divided_up(bucket_count, 1u << shift); };
    std::uint32_t shift = 0;
    while (bins(shift) > 1) ++shift;
    const auto are_too_large = [&] {
        if (1u << shift > largest_bin) return true;
        return row_terms / bins(shift) > bin_tile / 2 && bins(shift - 1) <= (shift - 1 <= small_shift ? max_small_bins : max_bins);
    };
    while (shift > 0 && are_too_large()) --shift;
    return shift;
}

/// Few enough that every multiprocessor has some, but not so few that clearing and adding up a block's counters costs more than counting.
std::uint32_t choose_counted_tile(const MsmProblem& problem) {
    const std::uint64_t scalars = std::uint64_t{problem.msm_count} * problem.scalar_count;
    const auto even = static_cast<std::uint32_t>(std::min<std::uint64_t>(scalars / (2 * problem.multiprocessors) + 1, bin_tile));
    return rounded_up(even, bin_block_size);
}

/// Pairwise rounds pay where there are enough pairs for every thread to share its inversion among many, and where a bucket's odd points
/// (half of one a round, on average) stay few beside the others. What another plan takes over is sorted and read once more, by halves of
/// weights even twice, so that rounds pay there until fewer are left (all measured on an H200).
std::uint32_t choose_rounds(const MsmKernelParams& params, BucketRemainder remainder, std::uint64_t resident_threads,
                            std::size_t coordinate_bytes) {
    constexpr std::uint32_t max_rounds = 8;
    const bool splits_weights = remainder == BucketRemainder::weight_split || params.carry_over.low_bits != 0;
    const std::uint64_t min_pairs = splits_weights ? 6 : coordinate_bytes <= 32 ? 12 : 8;  // a thread
    const std::uint64_t min_left = remainder == BucketRemainder::accumulated    ? 5
                                   : remainder == BucketRemainder::carried_over ? 2
                                                                                : 1;  // of a bucket
    const auto pays = [&](std::uint32_t rounds) {
        return std::uint64_t{params.rows.max_terms} * params.rows.count >> rounds >= resident_threads * min_pairs &&
               params.rows.max_terms >= (std::uint64_t{params.rows.bucket_count} << rounds) * min_left;
    };
    std::uint32_t rounds = 0;
    while (rounds < max_rounds && pays(rounds + 1)) ++rounds;
    return rounds;
}

/// Buckets of a row among which the points of most digits are spread.
std::uint32_t digit_buckets(const MsmKernelParams& params) {
    return params.digits.width == 0 ? params.rows.bucket_count : std::min(params.rows.bucket_count, 1u << (params.digits.width - 1));
}
/// The same of the last digits, which may be fewer.
std::uint32_t last_digit_buckets(const MsmKernelParams& params) {
    if (params.rows.last_copies == 1) return digit_buckets(params);
    return std::min(digit_buckets(params),
                    params.rows.last_copies << params.rows.last_copy_bits >> 1);  // values fill half of a copy or more
}

/// Points that a thread takes at least. A bucket of n points takes as long as adding the points of a share and then its n / size shares,
/// one after the other, which is soonest done with about sqrt(n) of them (measured on an H200, between 4 and 8); but the buckets of the
/// last digits are not to have so many shares that blocks join them.
std::uint32_t choose_min_share_size(const MsmKernelParams& params, std::uint64_t row_points) {
    constexpr double max_shares = 0.75 * large_bucket_intervals;
    const auto points = static_cast<double>(row_points);
    const double soonest = std::max(std::sqrt(points / digit_buckets(params)), points / last_digit_buckets(params) / max_shares);
    return static_cast<std::uint32_t>(std::clamp(soonest, 4.0, 8.0));
}

/// Points a thread: as many as let the threads fill the device a whole number of times, up to three where they have many, but no fewer
/// than are soonest joined and no more than 128. Odd points count as they are on average, and a little more.
std::uint32_t choose_share_size(const MsmKernelParams& params, std::uint64_t resident_blocks) {
    constexpr std::uint64_t many = 20;
    const std::uint64_t fewest = params.rows.max_terms >> params.rounds.count;
    const std::uint64_t row_points = (fewest + max_points(params, params.rounds.count)) / 2;
    const std::uint64_t points = row_points * params.rows.count;
    const std::uint64_t waves = std::clamp<std::uint64_t>(points / (resident_blocks * point_block_size * many), 1, 3);
    const std::uint64_t row_threads = std::max<std::uint64_t>(waves * resident_blocks / params.rows.count, 1) * point_block_size;
    const std::uint64_t even = (row_points + row_points / 64) / row_threads + 1;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(even, choose_min_share_size(params, row_points), 128));
}

/// How many rows the rounds work on at a time: what the budget allows, and about equally many each time.
std::uint32_t choose_rows_at_once(const MsmKernelParams& params, std::size_t coordinate_bytes, std::uint64_t rounds_budget) {
    if (params.rounds.count == 0) return params.rows.count;
    const std::uint64_t row_coordinates =
        std::uint64_t{max_points(params, 1)} * (affine_coordinates + 1) + std::uint64_t{max_points(params, 2)} * affine_coordinates;
    const std::uint64_t row_bytes = row_coordinates * coordinate_bytes;
    const auto most =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rounds_budget / std::max<std::uint64_t>(row_bytes, 1), 1, params.rows.count));
    return divided_up(params.rows.count, divided_up(params.rows.count, most));
}

void set_digit_offset(MsmKernelParams& params) {
    for (std::uint32_t digit = 0; digit <= params.digits.last; ++digit) {
        const std::uint64_t summand =
            digit == params.digits.last ? params.digits.last_offset : (1u << (digit_width(params, digit) - 1)) - 1;
        const std::uint32_t position = digit_position(params, digit);
        const std::uint64_t bits = summand << position % 32;  // the digits' summands do not overlap
        params.digits.offset[position / 32] |= static_cast<std::uint32_t>(bits);
        if (position / 32 + 1 < shifted_words) params.digits.offset[position / 32 + 1] |= static_cast<std::uint32_t>(bits >> 32);
    }
}

/// Of the buckets of a copy of the last digits' window: all their magnitudes are below 2^this.
std::uint32_t last_copy_bits(const MsmDigits& digits) { return static_cast<std::uint32_t>(std::bit_width(digits.largest_last)); }
std::uint32_t last_copies(const MsmDigits& digits) { return std::max(digits.largest >> last_copy_bits(digits), 1u); }

/// Where the last digits have a window by themselves, the copies of their buckets that it has room for. Buckets that are weighed by halves
/// have one copy: of those that have many points the rounds leave few.
void set_copies(MsmKernelParams& params, const MsmProblem& problem, const MsmDigits& digits) {
    const bool has_last = params.digits.first + params.digits.count - 1 == params.digits.last;
    const bool may_have_copies = has_last && problem.tables == 1 && !problem.splits_weights;
    params.rows.last_copy_bits = last_copy_bits(digits);
    params.rows.last_copies = may_have_copies ? last_copies(digits) : 1;
}

unsigned bits_for(std::uint32_t values) {
    unsigned bits = 0;
    while (std::uint64_t{1} << bits < values) ++bits;
    return bits;
}

/// As many quads as join the shares of most buckets soonest, those of the last digits, too: several where they are many, unless the device
/// is full with fewer.
std::uint32_t choose_lane_groups_a_bucket(const MsmKernelParams& params, unsigned multiprocessors) {
    constexpr std::uint32_t many_shares = 4;
    constexpr std::uint64_t resident_groups = 512 / lane_group_size;              // of a multiprocessor, as registers allow
    if (params.rows.bucket_count > params.accumulation.interval_count) return 1;  // quads join shares then: see joining_lane_groups
    if (params.accumulation.interval_count / last_digit_buckets(params) < many_shares) return 1;
    std::uint32_t quads = 4;
    const std::uint64_t all_buckets = std::uint64_t{params.rows.bucket_count} * params.rows.count;
    while (quads > 1 && all_buckets * quads > resident_groups * multiprocessors) quads /= 2;
    return quads;
}

/// Decides what follows the sort of a plan's rows, whose terms and buckets are known.
void set_steps(MsmPlan& plan, const MsmProblem& problem) {
    MsmKernelParams& params = plan.params;
    const std::uint64_t threads = std::uint64_t{problem.multiprocessors} * summing_blocks(problem.coordinate_bytes) * point_block_size;
    params.rounds.count = choose_rounds(params, problem.remainder, threads, problem.coordinate_bytes);
    params.sort.slot_count = max_points(params, first_level(params)) << first_level(params);
    params.accumulation.interval_size = choose_share_size(params, threads / point_block_size);
    const bool accumulates = params.rounds.count == 0 || problem.remainder == BucketRemainder::accumulated;
    params.accumulation.interval_count =
        accumulates ? divided_up(max_points(params, params.rounds.count), params.accumulation.interval_size) : 0;
    params.accumulation.lane_groups_a_bucket = choose_lane_groups_a_bucket(params, problem.multiprocessors);
    plan.rows_at_once = choose_rows_at_once(params, problem.coordinate_bytes, problem.rounds_budget);
}

/// Hands out parts of a device's memory, one after the other.
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

/// The highest limb of what scalars, or their parts, may be, and at which bit it begins.
struct LargestMagnitude {
    std::uint64_t head;
    unsigned position;

    unsigned bits() const { return position + static_cast<unsigned>(std::bit_width(head)); }
    /// Of the last digit: what the magnitude has at its place, and a carry.
    std::uint32_t of_last_digit(unsigned digit_position) const {
        return static_cast<std::uint32_t>(head >> (digit_position - position)) + 1;
    }
};

LargestMagnitude largest_magnitude(const ScalarRange& scalars, bool are_split) {
    return are_split ? LargestMagnitude{scalars.part_head, 64} : LargestMagnitude{scalars.order_head >> 1, 192};
}

/// How many digits of magnitudes below 2^bits are to have a bit less: so many that the last one has values for all buckets, or for as many
/// as can be with one digit of the whole width left. Only where all share one window, each with a table of its own: elsewhere digits are
/// whole windows apart.
unsigned narrow_digits(unsigned bits, unsigned width, unsigned digit_count, unsigned tables) {
    const unsigned spare_bits = digit_count * width - bits;
    if (tables < digit_count || digit_count <= 2 || spare_bits <= 1) return 0;
    return std::min(spare_bits - 1, digit_count - 2);
}

}  // namespace

MsmDigits msm_digits(const ScalarRange& scalars, DigitChoice choice, unsigned tables) {
    const unsigned width = choice.width;
    const std::uint32_t half = 1u << (width - 1);
    MsmDigits digits{};
    digits.terms_a_scalar = choice.terms_a_scalar();
    const LargestMagnitude largest = largest_magnitude(scalars, choice.are_scalars_split);
    const unsigned bits = scalars.spans_all() ? largest.bits() : scalars.bits;
    digits.digit_count = scalars.spans_all() ? divided_up(bits, width) : bits / width + 1;
    const unsigned narrow = narrow_digits(bits, width, digits.digit_count, tables);
    const unsigned last_position = (digits.digit_count - 1) * width - narrow;
    digits.first_narrow = narrow == 0 ? digits.digit_count : digits.digit_count - 1 - narrow;
    if (scalars.spans_all()) {
        digits.lowest_last = largest.of_last_digit(last_position);
        digits.largest_last = digits.lowest_last;
    } else {
        digits.largest_last = 1u << (bits - last_position);
    }
    digits.window_count = divided_up(digits.digit_count, tables);
    digits.half = half;
    digits.largest = std::max(half, digits.lowest_last);
    return digits;
}

unsigned doublings_to_next_table(const MsmDigits& digits, unsigned width, unsigned table) {
    const bool is_narrow = table >= digits.first_narrow;  // digits have a table each where any are narrow
    return width * digits.window_count - (is_narrow ? 1 : 0);
}

WindowRange windows_of_partition(unsigned window_count, unsigned share, unsigned partition_count) {
    const unsigned first = share * window_count / partition_count;
    return {first, divided_up((share + 1) * window_count, partition_count) - first};
}

namespace {

// Costs are in field products, and measured on an H200.
constexpr double split_cost = 2;  // of a scalar: its parts, and the image of its point

double split_costs(double scalars, const MsmDigits& digits) { return digits.terms_a_scalar == 1 ? 0 : split_cost * scalars; }

/// A bucket's shares are joined, and it is folded, which runs at a lower occupancy than summing terms; or, where it is weighed by halves,
/// it costs a few affine additions, and some ten kernels more begin and end.
constexpr double joining_cost = 30;
constexpr double folding_cost = 60;
double bucket_costs(const MsmDigits& digits, double rows, bool may_have_halves) {
    constexpr double halved_bucket_cost = 50;
    constexpr double halving_cost = 4.5e6;
    const double buckets = digits.largest * rows;
    const bool splits_weights =
        may_have_halves && buckets >= min_weight_split_buckets && choose_low_bits(digits, min_weight_split_buckets) != 0;
    return splits_weights ? halved_bucket_cost * buckets + halving_cost : (joining_cost + folding_cost) * buckets;
}

/// What else the folding of buckets takes: that of few as long as filling the device with them, and a second launch where a row has many.
double folding_waits(const MsmDigits& digits, double rows) {
    constexpr double min_folding_cost = 1.5e6;
    constexpr double second_folding_cost = 0.6e6;
    const double shortfall = std::max(min_folding_cost - folding_cost * digits.largest * rows, 0.0);
    return shortfall + (digits.largest <= reduction_tile ? 0 : second_folding_cost);
}

/// Where buckets have many points each, those of the last digits or all, the rest of the device waits for the blocks that join them.
double crowding_wait(double terms, const MsmDigits& digits) {
    constexpr double crowding_cost = 1.5e6;
    constexpr double many_points = 230;  // of a bucket that blocks join (large_bucket_intervals), as small values are more frequent
    const bool is_last_alone = digits.window_count == digits.digit_count;  // so that its window has room for copies
    const double last_points = terms / digits.largest_last / (is_last_alone ? last_copies(digits) : 1);
    const double points = terms * digits.digit_count / digits.window_count / digits.half;
    return std::max(last_points, points) > many_points ? crowding_cost : 0;
}

/// The sums for bits are added up by the host, or, of many windows, by the device.
double adding_wait(const MsmDigits& digits, double rows) {
    constexpr double addition_cost = 5e3;
    constexpr double weighing_cost = 0.6e6;
    if (rows >= min_joined_windows) return weighing_cost;
    return addition_cost * rows * sums_of_bits(static_cast<std::uint32_t>(std::bit_width(digits.largest)));
}

/// What adding takes where the device is full.
double work_cost(double scalars, const MsmDigits& digits, double rows) {
    return products_a_digit * digits.digit_count * digits.terms_a_scalar * scalars + split_costs(scalars, digits) +
           bucket_costs(digits, rows, true);
}

/// A share of one MSM's digits. Such are large: what small MSMs wait for is left out.
double partition_cost(std::size_t scalar_count, const MsmDigits& digits, unsigned partition_count) {
    // Shares of more terms are done in several chunks, each of which leaves points of every bucket: none is cheap then (measured on two).
    constexpr std::size_t max_terms_of_few_chunks = std::size_t{1} << 21;
    const auto scalars = static_cast<double>(scalar_count);
    unsigned max_windows = 0;
    for (unsigned share = 0; share < partition_count; ++share)
        max_windows = std::max(max_windows, windows_of_partition(digits.window_count, share, partition_count).count);
    // Blocks are dealt to windows evenly, so that those of a part of a window wait for the others (half of what it lacks, as measured).
    const double scalar_digits = static_cast<double>(digits.terms_a_scalar) * digits.digit_count;
    const double own_digits = (scalar_digits / partition_count + digits.terms_a_scalar * max_windows) / 2;
    return products_a_digit * own_digits * scalars + split_costs(scalars, digits) +
           bucket_costs(digits, max_windows, scalar_count <= max_terms_of_few_chunks);
}

}  // namespace

double msm_cost(std::size_t scalar_count, const MsmDigits& digits, CostScope of) {
    if (of.partition_count > 1) return partition_cost(scalar_count, digits, of.partition_count);
    const double scalars = static_cast<double>(scalar_count) * static_cast<double>(of.msm_count);
    const double rows = static_cast<double>(digits.window_count) * static_cast<double>(of.msm_count);
    const double terms_of_one = digits.terms_a_scalar * static_cast<double>(scalar_count);
    return work_cost(scalars, digits, rows) + folding_waits(digits, rows) + crowding_wait(terms_of_one, digits) + adding_wait(digits, rows);
}

namespace {

/// Of the digits that there may be, those with the least cost. \param cost_of  called as cost_of(digits)
template <class CostFunction>
DigitChoice cheapest_digits(const ScalarRange& scalars, unsigned tables, unsigned width, const CostFunction& cost_of) {
    DigitChoice best;
    double best_cost = std::numeric_limits<double>::infinity();
    for_each_digit_choice(scalars, tables, width, [&](const DigitChoice& choice) {
        const double cost = cost_of(msm_digits(scalars, choice, tables));
        if (cost >= best_cost) return;
        best = choice;
        best_cost = cost;
    });
    return best;
}

}  // namespace

DigitChoice choose_digits(std::size_t scalar_count, const ScalarRange& scalars, unsigned tables, unsigned width, CostScope of) {
    return cheapest_digits(scalars, tables, width, [&](const MsmDigits& digits) { return msm_cost(scalar_count, digits, of); });
}

unsigned choose_prepared_width(std::size_t scalar_count, const ScalarRange& scalars, unsigned tables) {
    const unsigned for_one = choose_digits(scalar_count, scalars, tables).width;
    if (msm_digits(scalars, {.width = for_one}, tables).window_count == 1) return for_one;
    // Several windows of wide digits gain one MSM up to a sixth, and cost each of a batch up to a third (measured on an H200).
    const auto work = [&](const MsmDigits& digits) { return work_cost(static_cast<double>(scalar_count), digits, digits.window_count); };
    return cheapest_digits(scalars, tables, 0, work).width;
}

namespace {

/// Which digits of which terms are summed here: of all digits in order, those of the first term's first digit first, a share.
void set_digits(MsmKernelParams& params, const MsmProblem& problem, const MsmDigits& digits) {
    const WindowRange windows = windows_of_partition(digits.window_count, problem.partition, problem.partition_count);
    const std::uint64_t all = std::uint64_t{digits.digit_count} * params.operands.term_count;
    const auto begin_of_share = [&](unsigned share) { return static_cast<std::uint64_t>(all * share / problem.partition_count); };
    params.digits.last = digits.digit_count - 1;
    params.digits.first = windows.first;
    params.digits.window_count = windows.count;
    params.digits.count = problem.partition_count == 1 ? digits.digit_count : windows.count;
    const std::uint64_t last = params.digits.first + params.digits.count - 1;
    params.digits.begin_of_first =
        static_cast<std::uint32_t>(begin_of_share(problem.partition) - std::uint64_t{params.digits.first} * params.operands.term_count);
    params.digits.end_of_last = static_cast<std::uint32_t>(begin_of_share(problem.partition + 1) - last * params.operands.term_count);
}

}  // namespace

MsmPlan make_msm_plan(const MsmProblem& problem) {
    MsmPlan plan{};
    MsmKernelParams& params = plan.params;
    const MsmDigits digits = msm_digits(problem.scalars, problem.choice, problem.tables);
    const bool are_split = problem.choice.are_scalars_split;
    params.operands.msm_count = problem.msm_count;
    params.operands.scalar_count = problem.scalar_count;
    params.operands.term_count = digits.terms_a_scalar * problem.scalar_count;
    params.operands.scalars_are_split = are_split ? 1 : 0;
    params.operands.first_image = are_split ? problem.base_count : carried_bit;
    params.digits.word_count = are_split ? scalar_part_words : shifted_words;
    params.sort.counted_tile = choose_counted_tile(problem);
    params.operands.scalar_bits = problem.scalars.bits;
    params.operands.scalars_are_centred = problem.scalars.spans_all() ? 1 : 0;
    params.digits.width = problem.choice.width;
    params.digits.first_narrow = digits.first_narrow;
    set_digits(params, problem, digits);
    params.rows.count = params.operands.msm_count * params.digits.window_count;
    params.rows.max_terms =
        params.operands.term_count * divided_up(params.digits.count, params.digits.window_count) + problem.carried_points;
    params.carry_over.has_points = problem.carried_points != 0 ? 1 : 0;
    params.digits.last_offset = digits.lowest_last;
    params.rows.bucket_count = digits.largest;
    params.rows.weight_bits = static_cast<std::uint32_t>(std::bit_width(digits.largest));
    set_copies(params, problem, digits);
    params.sort.bin_shift = choose_bin_shift(params.rows.max_terms, params.rows.bucket_count);
    params.sort.bin_count = divided_up(params.rows.bucket_count, 1u << params.sort.bin_shift);
    set_digit_offset(params);
    set_steps(plan, problem);
    return plan;
}

unsigned choose_low_bits(const MsmDigits& digits, std::uint64_t min_buckets) {
    constexpr std::uint64_t many_rows = 32;
    return digits.largest < min_buckets / many_rows ? 0 : bits_for(digits.largest) / 2;
}

MsmPlan make_weight_split_plan(const MsmKernelParams& terms, unsigned low_bits, MsmProblem problem) {
    problem.remainder = BucketRemainder::accumulated;
    MsmPlan plan{};
    MsmKernelParams& params = plan.params;
    params.operands.first_image = carried_bit;
    params.rows.last_copies = 1;
    params.carry_over.low_bits = low_bits;
    params.rows.weight_bits = terms.rows.weight_bits;
    params.rows.count = 2 * terms.rows.count;
    params.rows.max_terms = max_points(terms, terms.rounds.count);
    params.rows.bucket_count = std::max(1u << low_bits, terms.rows.bucket_count >> low_bits);
    params.sort.bin_shift = bits_for(params.rows.bucket_count);
    params.sort.bin_count = 1;
    set_steps(plan, problem);
    return plan;
}

std::uint32_t choose_pair_blocks(std::uint32_t round, std::uint32_t row_pairs, std::uint32_t rows, std::uint32_t resident_blocks,
                                 std::size_t coordinate_bytes) {
    // Few enough pairs a thread that blocks do not fall out of step for want of others, which costs most in the first round, many enough
    // that an inversion is a small part of the work.
    const std::uint64_t most = coordinate_bytes <= 32 ? 80 : round == 1 ? 200 : 320;
    const std::uint64_t pairs_a_wave = std::uint64_t{resident_blocks} * pair_block_size * most;
    const std::uint64_t waves = (std::uint64_t{row_pairs} * rows + pairs_a_wave - 1) / pairs_a_wave;
    const auto blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(waves * resident_blocks / rows, 1));
    return std::min(blocks, divided_up(row_pairs, pair_block_size * min_pairs_a_thread));
}

std::size_t place_msm_sums(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base) {
    MsmKernelParams& params = plan.params;
    Placement place(base);
    const std::uint64_t rows = params.rows.count;
    place(params.accumulation.buckets, rows * params.rows.bucket_count, xyzz_coordinates * coordinate_bytes);
    place(params.reduction.lists, reduction_list_offset(params, reduction_levels(params)), xyzz_coordinates * coordinate_bytes);
    return place.bytes();
}

std::size_t place_msm_workspace(MsmPlan& plan, std::size_t coordinate_bytes, std::uint64_t base) {
    MsmKernelParams& params = plan.params;
    Placement place(base);
    const std::uint64_t rows = params.rows.count;
    const std::uint64_t levels = params.rounds.count + 1 - first_level(params);
    const std::uint64_t added_rows = params.rounds.count == 0 ? 0 : plan.rows_at_once;
    const std::uint64_t shares = rows * params.accumulation.interval_count;
    constexpr std::size_t word = sizeof(std::uint32_t);
    const std::size_t affine_bytes = affine_coordinates * coordinate_bytes;
    const std::size_t xyzz_bytes = xyzz_coordinates * coordinate_bytes;
    place(params.accumulation.large_bucket_count, 1, word);  // from here on counters, see cleared_words()
    place(params.sort.bin_cursors, rows * params.sort.bin_count, word);
    place(params.sort.bucket_cursors, rows * params.rows.bucket_count, word);
    place(params.rounds.unpaired_bits, rows * indexed_pair_count(params) / word_bits, word);
    place(params.operands.images, params.operands.scalars_are_split ? params.operands.first_image : 0, affine_bytes);
    place(params.digits.shifted_scalars, std::uint64_t{params.digits.word_count} * params.operands.msm_count * params.operands.term_count,
          word);
    place(params.sort.bin_sizes, levels * rows * params.sort.bin_count, word);
    place(params.sort.bin_starts, rows * (params.sort.bin_count + 1), word);
    place(params.sort.binned_terms, rows * std::max(params.rows.max_terms, indexed_pair_count(params)), word);
    params.rounds.pair_indices = params.sort.binned_terms;  // those are in their slots when pairs are named
    place(params.sort.binned_buckets, rows * params.rows.max_terms, sizeof(std::uint16_t));
    place(params.sort.bucket_starts, levels * rows * (params.rows.bucket_count + 1), word);
    place(params.sort.slots, rows * params.sort.slot_count, word);
    place(params.rounds.odd_sums, added_rows * max_row_points(params, 1), affine_bytes);
    place(params.rounds.even_sums, added_rows * max_row_points(params, 2), affine_bytes);
    place(params.rounds.prefixes, added_rows * max_points(params, 1), coordinate_bytes);
    place(params.accumulation.large_buckets, shares / large_bucket_intervals + 1, word);
    place(params.accumulation.unfinished, shares, xyzz_bytes);
    place(params.accumulation.finished, shares, xyzz_bytes);
    return place.bytes();
}

}  // namespace cupool::detail
