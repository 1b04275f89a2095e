#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/msm.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "endomorphism.hpp"
#include "host_curve.hpp"
#include "msm_kernels.hpp"
#include "msm_plan.hpp"
#include "msm_portions.hpp"
#include "msm_results.hpp"
#include "operand_feed.hpp"
#include "oversized_scalar.hpp"
#include "parallel_for.hpp"
#include "result_landing.hpp"
#include "synchronize_on_exit.hpp"
#include "window_sums.hpp"

namespace cupool::detail {

/// Equal MSMs on one device.
template <Curve C>
struct DeviceMsmJob {
    Operand<Scalar> scalars;        ///< of each MSM those of its terms, `scalars_stride` behind those of the MSM before it
    Operand<AffinePoint<C>> bases;  ///< [table][term], or [msm][term] where each MSM has its own
    std::size_t msm_count = 1;
    std::size_t term_count = 0;      ///< of each MSM, at least 1: a scalar and a point each
    std::size_t scalars_stride = 0;  ///< from the first scalar of one MSM to that of the next; 0 where there are none between
    std::size_t table_stride = 0;    ///< from one table of bases to the next
    bool have_own_bases = false;     ///< there is a run of bases for each MSM
    bool are_bases_in_montgomery_form = false;
    unsigned tables = 1;  ///< of prepared multiples: bases that lie on the device, in Montgomery form
    unsigned width = 0;   ///< bits of a digit; 0 chooses by size
    /// Where others sum the rest of one MSM in one table: which of so many equal shares of its terms' digits is summed here.
    unsigned share = 0;
    unsigned share_count = 1;
};

/// From where on copies are hidden behind work, how much is done together, and from where on buckets are weighed by halves.
struct DeviceMsmLimits {
    /// Copies of fewer bytes are not worth a stream of their own.
    std::size_t least_fed_bytes = std::size_t{1} << 20;
    std::size_t least_portion_terms = MsmCut{}.least_terms;
    /// With those of all tables, and with images: a term's index shares 32 bits with its sign and carried_bit.
    std::size_t most_portion_terms = carried_bit;
    /// MSMs of a job that are done with one allocation, which holds the sums of all their rows.
    std::size_t most_msms_of_a_run = 8192;
    /// Of all rows that are summed together.
    std::uint64_t least_halved_buckets = detail::least_halved_buckets;
};

inline constexpr std::uint32_t no_scalar = std::numeric_limits<std::uint32_t>::max();
inline constexpr unsigned block_size = 256;
/// Small MSMs are done so many at a time as make up this many terms: enough to fill the device.
inline constexpr std::size_t terms_of_a_batch = std::size_t{1} << 21;
/// Blocks of a copying kernel for each multiprocessor.
inline constexpr unsigned copying_blocks = 8;
/// A grid's rows of blocks.
inline constexpr std::size_t most_rows = 65535;

/// What decides how an MSM is cut into portions, beside the rate of copies: nanoseconds to sum what one digit makes of a term (measured on
/// an H200).
constexpr double nanoseconds_a_digit(std::size_t coordinate_bytes) {
    switch (coordinate_bytes) {
        case 32: return 0.17;
        case 48: return 0.33;
        case 64: return 0.6;
        default: return 1.3;
    }
}
/// One portion more leaves points that are sorted and read once more: for each bucket it costs as much as so many digits. Of a small share
/// of all digits, rounds leave more (measured on an H200 with a half and a quarter).
constexpr double digits_a_bucket(unsigned share_count) { return share_count <= 2 ? 4 : 12; }
/// And some twenty kernels begin and end.
inline constexpr double nanoseconds_of_kernels = 100e3;

template <Curve C>
std::size_t stride_of(const DeviceMsmJob<C>& job) {
    return job.scalars_stride != 0 ? job.scalars_stride : job.term_count;
}

/// The MSMs of one job, in as many portions as copying and the device's memory ask for.
///
/// run() does all of it. For whoever brings the operands of one MSM's portions to their landing himself, and gives the job empty spans of
/// host memory for them, there are its steps: take_memory(), prepare(), for each portion sum(), queue_result(), and sums() when
/// stream() is done. He waits for stream() also where something fails.
template <Curve C>
class DeviceMsm {
public:
    DeviceMsm(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmLimits& limits)
        : job_(job),
          config_(config),
          limits_(limits),
          stream_(config.ctx.stream()),
          multiprocessors_(static_cast<unsigned>(config.ctx.context().device().multiprocessor_count())),
          device_memory_(config.ctx.context().device().total_memory()),
          scalars_(scalar_range<C>(config.bitsize)),
          choice_(choose_digits(job.term_count, scalars_, job.tables, job.width,
                                {.share_count = job.share_count, .msm_count = msms_of_a_run()})),
          digits_(msm_digits(scalars_, choice_, job.tables)),
          low_bits_(choose_low_bits(digits_, limits.least_halved_buckets)),
          kernels_(config.ctx.resource<MsmKernels<C>>()),
          feeds_(config.ctx.resource<OperandFeeds>()),
          landings_(config.ctx.resource<ResultLandings>()) {}

    /// Returns when the results are there, or on the device with config.is_async, when the work is queued. Where it throws none is under
    /// way.
    void run(const MsmResults<C>& results) {
        try {
            queue(results);
        } catch (...) {
            const SynchronizeOnExit wait_for_work(stream_);
            throw;
        }
    }

    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t device_bytes() const { return memory_.size(); }
    StreamView stream() const { return stream_; }

    /// How the job is to be cut up. \param copy, hand_on  nanoseconds a term: see PortionCost
    MsmCut cut(double copy, double hand_on = 0) const {
        const std::size_t points_a_term = choice_.are_scalars_split ? 2 : job_.tables;
        const std::size_t most_terms = std::clamp<std::size_t>(limits_.most_portion_terms, points_a_term, carried_bit) / points_a_term;
        return {.msm_count = job_.msm_count,
                .term_count = job_.term_count,
                .most_terms = std::min(most_terms, std::max(job_.term_count, terms_of_a_batch)),
                .most_msms = most_msms_at_once(),
                .cost = portion_cost(copy, hand_on),
                .least_terms = limits_.least_portion_terms};
    }

    /// Plans these portions and takes memory for them. \return whether the device and the budget have so much
    /// \throws Error invalid_argument, out_of_memory  where they have not, and portions cannot be smaller
    bool take_memory(std::vector<MsmPortion> portions, bool are_smallest) {
        portions_ = std::move(portions);
        plan_portions();
        const std::size_t bytes = place();
        if (config_.memory_budget != 0 && bytes > config_.memory_budget) {
            if (are_smallest) throw_budget_too_small(bytes);
            return false;
        }
        auto memory = DeviceBuffer<std::byte>::try_allocate(bytes, config_.ctx);
        if (!memory) {
            if (memory.error().category() != ErrorCategory::out_of_memory || are_smallest) throw memory.error();
            return false;
        }
        memory_ = std::move(memory).value();
        return true;
    }

    /// Gives back what take_memory() took.
    void give_memory_back() { memory_ = {}; }

    /// Loads the kernels that are missing, and queues what comes before the first portion.
    void prepare() {
        kernels_->load(needed_steps(), config_.ctx.host_threads());
        fill_bytes_async(oversized_span(), 0xff, stream_);
    }

    /// Where a portion's bases and scalars land, if they must be brought.
    std::uint64_t bases_landing(std::size_t i) const { return address(landing_at_[i % 2]); }
    std::uint64_t scalars_landing(std::size_t i) const { return bases_landing(i) + bases_bytes(portions_[i]); }

    /// Queues bringing bases on the device into Montgomery form, where they lie.
    void queue_conversion(DeviceSpan<AffinePoint<C>> bases, StreamView stream) const { queue_conversion(bases, bases, stream); }

    /// Queues the summing of a portion whose operands are there.
    void sum(std::size_t i) const {
        const MsmPortion& portion = portions_[i];
        MsmShape shape = shapes_[i];
        MsmPlan& plan = shape.plan;
        place_msm_sums(shape, sizeof(BaseFieldElement<C>), address(sums_at_));
        place_msm_workspace(shape, sizeof(BaseFieldElement<C>), address(workspace_at_));
        plan.bit_sums = as_pointer<void>(address_of_bit_sums(portion));
        plan.first_oversized_scalar = as_pointer<std::uint32_t>(address(oversized_at_) + i * sizeof(std::uint32_t));
        plan.points = as_pointer<void>(brings_bases() ? bases_landing(i) : bases_of(portion).device().pointer());
        plan.scalars = as_pointer<void>(address_of_scalars(i));
        plan.table_stride = static_cast<std::uint32_t>(job_.table_stride);
        plan.bases_stride = job_.have_own_bases ? static_cast<std::uint32_t>(job_.term_count) : 0;
        plan.scalars_in_montgomery_form = config_.are_scalars_montgomery_form;
        place_carried(plan);
        if (plan.scalars_are_split) queue_images(plan);
        kernels_->sort->sort(plan, stream_);
        sum_buckets(shape);
        if (!portion.is_last) return;
        if (leaves_sums(plan)) {
            sum_halves(i, plan);
        } else {
            fold_buckets(plan);
        }
        if (weighs_windows()) weigh_windows(portion);
    }

    /// Queues the copying of the windows' sums, and of what was found out about scalars, to the host.
    void queue_result() { queue_landing(sums_for_host_at_); }

    /// Of the windows that have something of the share, [msm][window][sum], for combine_windows(): what queue_result() has copied, when the
    /// stream is done.
    std::span<const HostXyzz<C>> sums() const {
        return {reinterpret_cast<const HostXyzz<C>*>(landed_.data()), job_.msm_count * sum_count()};
    }
    /// The number of the first of them among those of all windows.
    unsigned first_sum() const { return windows().first * sums_a_window(); }
    /// Bits of a digit.
    unsigned width() const { return choice_.width; }
    /// The number of all an MSM's sums, of which others may have some.
    unsigned all_sums() const { return digits_.window_count * sums_a_window(); }
    unsigned sums_a_window() const { return weighs_windows() ? 1 : weight_bits(); }
    /// Of a portion, likewise: the lowest place in it of a scalar that breaks its promise; else no_scalar.
    std::uint32_t first_oversized(std::size_t portion) const {
        return reinterpret_cast<const std::uint32_t*>(landed_.last(oversized_span().size_bytes()).data())[portion];
    }

private:
    void queue(const MsmResults<C>& results) {
        take_portions(
            cut(feeds_->rate().nanoseconds_a_byte() * static_cast<double>(copied_bytes_a_term())),
            [this](std::vector<MsmPortion> portions, bool are_smallest) { return take_memory(std::move(portions), are_smallest); });
        prepare();
        if (job_.msm_count * job_.term_count * copied_bytes_a_term() < limits_.least_fed_bytes) {
            sum_portions();
        } else {
            sum_fed_portions();
        }
        if (results.is_on_device()) {
            finish_on_device(results.device());
        } else {
            finish_on_host(results.host());
        }
    }

    bool brings_bases() const { return !job_.bases.is_on_device() || !job_.are_bases_in_montgomery_form; }
    std::size_t copied_bytes_a_term() const {
        return (job_.scalars.is_on_device() ? 0 : sizeof(Scalar)) + (job_.bases.is_on_device() ? 0 : sizeof(AffinePoint<C>));
    }
    PortionCost portion_cost(double copy, double hand_on) const {
        const double digit = nanoseconds_a_digit(sizeof(BaseFieldElement<C>));
        return {.copy = copy,
                .sum = digit * digits_.terms_a_scalar * digits_.digit_count / job_.share_count,
                .start = nanoseconds_of_kernels + digit * digits_a_bucket(job_.share_count) * digits_.largest * window_count(),
                .hand_on = hand_on};
    }

    /// \param carried_points  that the portion before it may leave to a row of it
    MsmProblem problem_of(const MsmPortion& portion, std::uint32_t carried_points, LeftTo left_to) const {
        return {.msm_count = static_cast<std::uint32_t>(portion.msm_count),
                .scalar_count = static_cast<std::uint32_t>(portion.term_count),
                .carried_points = carried_points,
                .left_to = left_to,
                .scalars = scalars_,
                .choice = choice_,
                .base_count = static_cast<std::uint32_t>(base_count(portion)),
                .tables = job_.tables,
                .has_halves = has_halves(portion.msm_count),
                .share = job_.share,
                .share_count = job_.share_count,
                .multiprocessors = multiprocessors_,
                .rounds_budget = device_memory_ / 8,
                .coordinate_bytes = sizeof(BaseFieldElement<C>)};
    }

    typename MsmKernels<C>::Steps needed_steps() const {
        typename MsmKernels<C>::Steps steps{.windows = weighs_windows(),
                                            .bases = !job_.are_bases_in_montgomery_form || choice_.are_scalars_split};
        const auto need = [&steps](const MsmShape& shape) { (shape.plan.rounds == 0 ? steps.slots : steps.pairs) = true; };
        for (const MsmShape& shape : shapes_) need(shape);
        for (const auto& shape : halves_) {
            if (shape) need(*shape);
        }
        return steps;
    }

    void plan_portions() {
        shapes_.clear();
        halves_.clear();
        most_carried_ = 0;
        most_rows_ = 0;
        std::uint32_t carried = 0;
        bool have_buckets_sums = false;
        for (const MsmPortion& portion : portions_) {
            if (portion.is_first()) have_buckets_sums = false;
            const LeftTo left_to = !portion.is_last                                      ? LeftTo::portion
                                   : !have_buckets_sums && has_halves(portion.msm_count) ? LeftTo::halves
                                                                                         : LeftTo::nobody;
            const MsmProblem problem = problem_of(portion, carried, left_to);
            shapes_.push_back(make_msm_shape(problem));
            MsmPlan& plan = shapes_.back().plan;
            plan.adds_to_buckets = have_buckets_sums ? 1 : 0;
            const std::uint32_t left = leaves_sums(plan) ? most_points(plan, plan.rounds) : 0;
            halves_.push_back(left != 0 && portion.is_last ? std::optional(make_halves_shape(plan, low_bits_, problem)) : std::nullopt);
            have_buckets_sums |= left == 0;
            carried = portion.is_last ? 0 : left;
            if (left != 0) most_carried_ = std::max(most_carried_, most_row_points(plan, plan.rounds));
            most_rows_ = std::max(most_rows_, plan.row_count);
        }
    }

    /// Whether the buckets of so many MSMs are weighed by halves, unless they have sums already.
    bool has_halves(std::size_t msm_count) const {
        const std::size_t rows = msm_count * window_count();
        return low_bits_ != 0 && 2 * rows <= most_rows && rows * digits_.largest >= limits_.least_halved_buckets;
    }

    /// Of a portion, in a table.
    std::size_t base_count(const MsmPortion& portion) const { return (job_.have_own_bases ? portion.msm_count : 1) * portion.term_count; }
    /// The bytes that a portion's operands take where they must be brought; multiples of the workspace's alignment.
    std::size_t bases_bytes(const MsmPortion& portion) const {
        return brings_bases() ? aligned(base_count(portion) * sizeof(AffinePoint<C>)) : 0;
    }
    std::size_t scalars_bytes(const MsmPortion& portion) const {
        return job_.scalars.is_on_device() ? 0 : aligned(portion.msm_count * portion.term_count * sizeof(Scalar));
    }
    static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

    /// MSMs that are done together, if rows of blocks allow.
    std::size_t msms_of_a_run() const {
        // Bases of several MSMs are brought in one run only where each MSM has its own, or they are there.
        if (brings_bases() && !job_.have_own_bases) return 1;
        // Scalars are summed where they are found, so in one run.
        if (job_.scalars.is_on_device() && stride_of(job_) != job_.term_count) return 1;
        return std::clamp<std::size_t>(terms_of_a_batch / job_.term_count, 1, job_.msm_count);
    }
    std::size_t most_msms_at_once() const { return std::clamp<std::size_t>(most_rows / window_count(), 1, msms_of_a_run()); }

    [[noreturn]] void throw_budget_too_small(std::size_t bytes) const {
        std::size_t terms = 0;
        for (const MsmPortion& portion : portions_) terms = std::max(terms, portion.msm_count * portion.term_count);
        throw Error(ErrorCategory::invalid_argument, "msm: memory_budget is " + std::to_string(config_.memory_budget) +
                                                         " bytes, but even " + std::to_string(terms) + " terms at a time take " +
                                                         std::to_string(bytes) +
                                                         " on the device; raise memory_budget, or set it to 0 for no limit");
    }

    /// Decides where everything lies in the memory. \return how many bytes it takes
    std::size_t place() {
        std::size_t end = 0;
        const auto take = [&end](std::size_t bytes) {
            const std::size_t begin = end;
            end += aligned(bytes);
            return begin;
        };
        const std::size_t sums_for_host = job_.msm_count * sum_count() * sizeof(HostXyzz<C>);
        sums_for_host_at_ = take(sums_for_host + portions_.size() * sizeof(std::uint32_t));
        oversized_at_ = sums_for_host_at_ + sums_for_host;
        bit_sums_at_ =
            weighs_windows() ? take(msms_of_bit_sums() * window_count() * weight_bits() * sizeof(HostXyzz<C>)) : sums_for_host_at_;
        if (most_carried_ != 0) {
            carried_points_at_ = take(std::size_t{most_rows_} * most_carried_ * sizeof(AffinePoint<C>));
            carried_starts_at_ = take(std::size_t{most_rows_} * (most_buckets() + 1) * sizeof(std::uint32_t));
        }
        std::array<std::size_t, 2> landing{};
        std::size_t sums = 0;
        std::size_t workspace = 0;
        for (std::size_t i = 0; i < portions_.size(); ++i) {
            MsmShape shape = shapes_[i];
            landing[i % 2] = std::max(landing[i % 2], bases_bytes(portions_[i]) + scalars_bytes(portions_[i]));
            if (!leaves_sums(shape.plan)) sums = std::max(sums, place_msm_sums(shape, sizeof(BaseFieldElement<C>), 0));
            workspace = std::max(workspace, place_msm_workspace(shape, sizeof(BaseFieldElement<C>), 0));
            if (halves_[i]) workspace = std::max(workspace, place_halves(*halves_[i], 0));
        }
        for (std::size_t i = 0; i < landing.size(); ++i) landing_at_[i] = take(landing[i]);
        sums_at_ = take(sums);
        workspace_at_ = take(workspace);
        return end;
    }

    /// All that the plan that weighs buckets needs lies where the workspace of the plan before it did. \return how many bytes it takes
    static std::size_t place_halves(MsmShape& shape, std::uint64_t base) {
        const std::size_t sums = place_msm_sums(shape, sizeof(BaseFieldElement<C>), base);
        return sums + place_msm_workspace(shape, sizeof(BaseFieldElement<C>), base + sums);
    }

    void place_carried(MsmPlan& plan) const {
        plan.most_carried = most_carried_;
        plan.carried_points = as_pointer<void>(address(carried_points_at_));
        plan.carried_starts = as_pointer<std::uint32_t>(address(carried_starts_at_));
    }

    std::uint32_t most_buckets() const {
        std::uint32_t most = 0;
        for (const MsmShape& shape : shapes_) most = std::max(most, shape.plan.bucket_count);
        return most;
    }

    std::uint64_t address(std::size_t offset) const { return memory_.span().pointer() + offset; }
    std::uint64_t address_of_bit_sums(const MsmPortion& portion) const {
        const std::size_t first = weighs_windows() ? 0 : portion.first_msm * window_count() * weight_bits();
        return address(bit_sums_at_) + first * sizeof(HostXyzz<C>);
    }
    /// Of how many MSMs there are sums for each bit at a time: where windows are weighed on the device, those of a portion.
    std::size_t msms_of_bit_sums() const {
        if (!weighs_windows()) return job_.msm_count;
        std::size_t most = 0;
        for (const MsmPortion& portion : portions_) most = std::max(most, portion.msm_count);
        return most;
    }

    /// Brings and sums one portion after the other.
    void sum_portions() {
        const auto copy = [this](std::uint64_t to, const HostRuns& from) { copy_runs_async(to, from, stream_); };
        for (std::size_t i = 0; i < portions_.size(); ++i) {
            copy_operands(i, copy);
            convert_bases(i, stream_);
            sum(i);
        }
    }

    /// Brings each portion while the one before it is summed, into the place of the one before that.
    void sum_fed_portions() {
        const auto feed = feeds_->take();
        const SynchronizeOnExit wait_for_copies(feed->stream());
        // Host memory may be what earlier work of the stream writes, and the memory that was allocated is ordered on it.
        stream_.synchronize();
        const auto copy = [&](std::uint64_t to, const HostRuns& from) { feed->copy(to, from, config_.ctx.host_threads()); };
        constexpr EventOptions timed{.timing = true};
        Event last_asked(stream_.context(), timed);
        Event last_copied(stream_.context(), timed);
        std::array<Event, 2> brought{Event(stream_.context()), Event(stream_.context())};
        std::array<Event, 2> summed{Event(stream_.context()), Event(stream_.context())};
        const auto bring = [&](std::size_t i) {
            const bool is_last = i + 1 == portions_.size();
            const std::uint64_t earlier_bytes = bytes_;
            if (is_last) last_asked.record(feed->stream());
            copy_operands(i, copy);
            if (is_last) last_copied.record(feed->stream());
            convert_bases(i, feed->stream());
            brought[i % 2].record(feed->stream());
            return bytes_ - earlier_bytes;
        };
        std::uint64_t last_bytes = bring(0);
        for (std::size_t i = 0; i < portions_.size(); ++i) {
            stream_.wait(brought[i % 2]);
            sum(i);
            summed[i % 2].record(stream_);
            if (i + 1 == portions_.size()) break;
            // The next one's place is that of the one before this, if there was one: a mark not made yet is not waited for.
            feed->stream().wait(summed[(i + 1) % 2]);
            last_bytes = bring(i + 1);
        }
        last_copied.synchronize();
        feeds_->rate().learn(last_bytes, elapsed_milliseconds(last_asked, last_copied));
    }

    /// \param copy  called as copy(to, runs) for host memory
    template <class Copy>
    void copy_operands(std::size_t i, const Copy& copy) {
        const MsmPortion& portion = portions_[i];
        if (!job_.scalars.is_on_device()) copy_counted(scalars_landing(i), host_scalars_of(portion), copy);
        if (!job_.bases.is_on_device()) copy_counted(bases_landing(i), std::as_bytes(bases_of(portion).host()), copy);
    }

    /// Into Montgomery form, where they are not in that.
    void convert_bases(std::size_t i, StreamView stream) {
        if (job_.are_bases_in_montgomery_form) return;
        const Operand<AffinePoint<C>> bases = bases_of(portions_[i]);
        const DeviceSpan<AffinePoint<C>> there(bases_landing(i), bases.size(), config_.ctx.device());
        queue_conversion(bases.is_on_device() ? bases.device() : DeviceSpan<const AffinePoint<C>>(there), there, stream);
    }

    void queue_conversion(DeviceSpan<const AffinePoint<C>> from, DeviceSpan<AffinePoint<C>> to, StreamView stream) const {
        kernels_->bases->points_to_montgomery_form.launch({blocks_for(from.size(), change_block_size), change_block_size}, stream, from, to,
                                                          static_cast<std::uint32_t>(from.size()));
    }

    void queue_images(const MsmPlan& plan) const {
        const std::size_t count = plan.first_image;
        const DeviceSpan<const AffinePoint<C>> points(reinterpret_cast<std::uint64_t>(plan.points), count, config_.ctx.device());
        const DeviceSpan<AffinePoint<C>> images(reinterpret_cast<std::uint64_t>(plan.images), count, config_.ctx.device());
        kernels_->bases->map_points.launch({blocks_for(count, change_block_size), change_block_size}, stream_, points, images,
                                           plan.first_image, store(endomorphism_factor<C>(), true));
    }

    template <class Copy>
    void copy_counted(std::uint64_t to, const HostRuns& from, const Copy& copy) {
        copy(to, from);
        bytes_ += from.size_bytes();
    }

    std::size_t first_scalar_of(const MsmPortion& portion) const { return portion.first_msm * stride_of(job_) + portion.first_term; }
    HostRuns host_scalars_of(const MsmPortion& portion) const {
        const std::span<const Scalar> scalars = job_.scalars.host().subspan(first_scalar_of(portion));
        if (stride_of(job_) == job_.term_count) return std::as_bytes(scalars.first(portion.msm_count * portion.term_count));
        return {std::as_bytes(scalars.first(portion.term_count)), portion.msm_count, stride_of(job_) * sizeof(Scalar)};
    }
    std::uint64_t address_of_scalars(std::size_t i) const {
        return job_.scalars.is_on_device() ? job_.scalars.device().pointer() + first_scalar_of(portions_[i]) * sizeof(Scalar)
                                           : scalars_landing(i);
    }
    /// Of the first table; the others lie at equal distances behind it.
    Operand<AffinePoint<C>> bases_of(const MsmPortion& portion) const {
        if (!job_.have_own_bases) return job_.bases.subspan(portion.first_term, portion.term_count);
        return job_.bases.subspan(portion.first_msm * job_.term_count + portion.first_term, portion.msm_count * portion.term_count);
    }

    /// Sums each bucket, of terms that are sorted, or as far as rounds do where another plan takes over.
    void sum_buckets(MsmShape& shape) const {
        MsmPlan& plan = shape.plan;
        for (std::uint32_t row = 0; row < plan.row_count; row += shape.rows_at_once) {
            plan.first_row = row;
            const std::uint32_t rows = std::min(shape.rows_at_once, plan.row_count - row);
            add_pairs(plan, rows);
            if (leaves_sums(plan)) {
                carry_sums(plan, rows);
            } else {
                accumulate(plan, rows);
            }
        }
        if (!leaves_sums(plan)) join_buckets(plan);
    }

    /// Weighs what the rounds of a portion's plan have left of the buckets, by halves of their weights.
    void sum_halves(std::size_t i, const MsmPlan& terms) const {
        MsmShape shape = *halves_[i];
        MsmPlan& plan = shape.plan;
        place_halves(shape, address(workspace_at_));
        place_carried(plan);
        plan.points = terms.points;  // none of its terms is one of these, but where there is no term any point is read
        plan.bit_sums = terms.bit_sums;
        kernels_->sort->sort_halves(terms, plan, stream_);
        sum_buckets(shape);
        fold_buckets(plan);
    }

    /// Does the rounds of pairwise addition in `rows` rows from plan.first_row.
    void add_pairs(const MsmPlan& plan, std::uint32_t rows) const {
        for (std::uint32_t round = 1; round <= plan.rounds; ++round) {
            const std::uint32_t blocks = choose_pair_blocks(
                round, most_points(plan, round), rows, multiprocessors_ * kernels_->pairs->resident_blocks, sizeof(BaseFieldElement<C>));
            const LaunchShape pairs{{blocks, rows}, pair_block_size};
            if (round == 1) {
                kernels_->pairs->add_first_pairs.launch(pairs, stream_, plan);
            } else {
                kernels_->pairs->add_pairs.launch(pairs, stream_, plan, round);
            }
        }
    }

    void carry_sums(const MsmPlan& plan, std::uint32_t rows) const {
        const std::uint32_t blocks = blocks_for(copying_blocks * multiprocessors_, rows);
        kernels_->pairs->carry_sums.launch({{blocks, rows}, point_block_size}, stream_, plan);
    }

    /// Sums what is left of each bucket, but for those that join_buckets must complete.
    void accumulate(const MsmPlan& plan, std::uint32_t rows) const {
        const LaunchShape shares{{blocks_for(plan.share_count, point_block_size), rows}, point_block_size};
        if (plan.rounds == 0) {
            kernels_->slots->accumulate_slots.launch(shares, stream_, plan);
        } else {
            kernels_->sums->accumulate_sums.launch(shares, stream_, plan);
        }
    }

    LaunchShape quads_over_rows(const MsmPlan& plan, std::size_t quads) const {
        return {{blocks_for(quads * quad_size, sum_block_size), plan.row_count}, sum_block_size};
    }

    void join_buckets(const MsmPlan& plan) const {
        kernels_->join->join_buckets.launch(quads_over_rows(plan, joining_quads(plan)), stream_, plan);
        kernels_->join->join_large_buckets.launch({multiprocessors_, large_sum_block_size}, stream_, plan);
    }

    void fold_buckets(const MsmPlan& plan) const {
        for (std::uint32_t level = 0; level < fold_levels(plan); ++level) {
            const unsigned blocks = fold_lists(level) * fold_places(plan, level + 1);
            kernels_->rows->fold_buckets.launch({{blocks, plan.row_count}, fold_block_size(plan, level)}, stream_, plan, level);
        }
    }

    /// Whether the sums of a window for each bit are joined on the device. Devices that share an MSM agree about it.
    bool weighs_windows() const { return config_.are_results_on_device || job_.msm_count * digits_.window_count >= least_weighed_windows; }
    void weigh_windows(const MsmPortion& portion) const {
        const std::size_t windows = portion.msm_count * window_count();
        const DeviceSpan<const std::byte> of_bits(address_of_bit_sums(portion), windows * weight_bits() * sizeof(HostXyzz<C>),
                                                  config_.ctx.device());
        const LaunchShape quads{blocks_for(windows * quad_size, sum_block_size), sum_block_size};
        kernels_->windows->weigh_windows.launch(quads, stream_, of_bits, window_sums(portion.first_msm, portion.msm_count),
                                                static_cast<std::uint32_t>(windows), weight_bits());
    }
    DeviceSpan<std::byte> window_sums(std::size_t first_msm, std::size_t msm_count) const {
        const std::size_t msm_bytes = window_count() * sizeof(HostXyzz<C>);
        return {address(sums_for_host_at_) + first_msm * msm_bytes, msm_count * msm_bytes, config_.ctx.device()};
    }

    WindowRange windows() const { return windows_of_share(digits_.window_count, job_.share, job_.share_count); }
    unsigned window_count() const { return windows().count; }
    /// Of the buckets' weights.
    unsigned weight_bits() const { return static_cast<unsigned>(std::bit_width(digits_.largest)); }
    /// Of an MSM.
    unsigned sum_count() const { return window_count() * sums_a_window(); }

    void finish_on_device(DeviceSpan<JacobianPoint<C>> results) {
        if (!scalars_.spans_all() && !config_.is_async) check_promise();
        const LaunchShape quads{blocks_for(job_.msm_count * quad_size, sum_block_size), sum_block_size};
        kernels_->windows->join_windows.launch(quads, stream_, DeviceSpan<const std::byte>(window_sums(0, job_.msm_count)), results,
                                               static_cast<std::uint32_t>(job_.msm_count), window_count(), choice_.width,
                                               config_.are_points_montgomery_form);
        if (!config_.is_async) stream_.synchronize();
    }

    void finish_on_host(std::span<JacobianPoint<C>> results) {
        queue_result();
        stream_.synchronize();
        require_promise();
        parallel_for(results.size(), results.size() < 8 ? 1 : config_.ctx.host_threads(), [&](std::size_t msm) {
            const auto own = sums().subspan(msm * sum_count(), sum_count());
            results[msm] = store_jacobian<C>(combine_windows(own, choice_.width, sums_a_window()), config_.are_points_montgomery_form);
        });
    }

    /// Queues the copying of what lies from `begin` on, up to what was found out about scalars, to the host.
    void queue_landing(std::size_t begin) {
        const DeviceSpan<const std::byte> there(address(begin), oversized_at_ + oversized_span().size_bytes() - begin,
                                                config_.ctx.device());
        if (landing_ == nullptr) landing_ = landings_->take();
        const std::span<std::byte> here = landing_->memory(there.size(), ordinary_landing_);
        copy_async(here, there, stream_);
        landed_ = here;
        bytes_ += there.size();
    }

    /// Waits for the work given so far.
    void check_promise() {
        queue_landing(oversized_at_);
        stream_.synchronize();
        require_promise();
    }

    /// \throws OversizedScalar where a scalar is not what was promised
    void require_promise() const {
        for (std::size_t i = 0; i < portions_.size(); ++i) {
            if (first_oversized(i) == no_scalar) continue;
            const std::size_t terms = portions_[i].term_count;
            const std::size_t place = first_oversized(i) / terms * stride_of(job_) + first_oversized(i) % terms;
            throw_oversized_scalar(first_scalar_of(portions_[i]) + place, scalars_.bits);
        }
    }

    template <class T>
    static T* as_pointer(std::uint64_t address) {
        return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): a device address, never followed here
    }
    DeviceSpan<std::uint32_t> oversized_span() const { return {address(oversized_at_), portions_.size(), config_.ctx.device()}; }

    DeviceMsmJob<C> job_;
    MsmConfig config_;
    DeviceMsmLimits limits_;
    StreamView stream_;
    unsigned multiprocessors_;
    std::uint64_t device_memory_;
    ScalarRange scalars_;
    DigitChoice choice_;
    MsmDigits digits_;
    unsigned low_bits_;  // of the buckets' weights; 0 where no portion weighs them by halves
    std::shared_ptr<MsmKernels<C>> kernels_;
    std::shared_ptr<OperandFeeds> feeds_;
    std::shared_ptr<ResultLandings> landings_;
    std::vector<MsmPortion> portions_;
    std::vector<MsmShape> shapes_;                 // [portion]
    std::vector<std::optional<MsmShape>> halves_;  // [portion]: what takes over from its plan, where it is the last of its MSMs
    std::uint32_t most_carried_ = 0;               // points of a row that any plan leaves to another one, and infinity behind them
    std::uint32_t most_rows_ = 0;                  // of a portion
    // Where in the memory everything begins.
    std::size_t sums_for_host_at_ = 0;  // of windows, or for their bits; behind them what was found out about scalars
    std::size_t oversized_at_ = 0;
    std::size_t bit_sums_at_ = 0;
    std::size_t carried_points_at_ = 0;
    std::size_t carried_starts_at_ = 0;
    std::array<std::size_t, 2> landing_at_{};
    std::size_t sums_at_ = 0;
    std::size_t workspace_at_ = 0;
    DeviceBuffer<std::byte> memory_;
    // What is copied from the device outlives run(), which waits for its copies when it fails, too.
    std::shared_ptr<ResultLanding> landing_;
    std::vector<std::byte> ordinary_landing_;
    std::span<const std::byte> landed_;
    std::uint64_t bytes_ = 0;
};

extern template class DeviceMsm<Curve::bn254>;
extern template class DeviceMsm<Curve::bls12_381>;
extern template class DeviceMsm<Curve::bls12_377>;
extern template class DeviceMsm<Curve::bn254_g2>;
extern template class DeviceMsm<Curve::bls12_381_g2>;

}  // namespace cupool::detail
