#pragma once

#include <algorithm>
#include <array>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/msm.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "curve/endomorphism.hpp"
#include "curve/host_curve.hpp"
#include "msm/device/bucket_reduction.hpp"
#include "msm/device/chunks.hpp"
#include "msm/device/job_layout.hpp"
#include "msm/device/kernels.hpp"
#include "msm/device/launch_heuristics.hpp"
#include "msm/device/plan.hpp"
#include "msm/device/thresholds.hpp"
#include "msm/device/workspace_layout.hpp"
#include "msm/oversized_scalar.hpp"
#include "msm/results.hpp"
#include "msm/window_sums.hpp"
#include "support/parallel_for.hpp"
#include "transfer/operand_feed.hpp"
#include "transfer/result_landing.hpp"
#include "transfer/synchronize_on_exit.hpp"

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
    /// Where others sum the rest of one MSM in one table: the digit partition that is summed here.
    unsigned partition = 0;
    unsigned partition_count = 1;
};

inline constexpr std::uint32_t no_scalar = std::numeric_limits<std::uint32_t>::max();
inline constexpr unsigned block_size = 256;
/// Blocks of a copying kernel for each multiprocessor.
inline constexpr unsigned copying_blocks = 8;

template <Curve C>
std::size_t stride_of(const DeviceMsmJob<C>& job) {
    return job.scalars_stride != 0 ? job.scalars_stride : job.term_count;
}

/// Bytes of a term that are copied to the device.
template <Curve C>
std::size_t copied_bytes_a_term(const DeviceMsmJob<C>& job) {
    return (job.scalars.is_on_device() ? 0 : sizeof(Scalar)) + (job.bases.is_on_device() ? 0 : sizeof(AffinePoint<C>));
}

/// \param config  whose ctx is the device that does the work
template <Curve C>
MsmWork work_of(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmLimits& limits) {
    static_assert(sizeof(AffinePoint<C>) == 2 * sizeof(BaseFieldElement<C>) && sizeof(HostXyzz<C>) == 4 * sizeof(BaseFieldElement<C>));
    const Device device = config.ctx.context().device();
    const bool brings_bases = !job.bases.is_on_device() || !job.are_bases_in_montgomery_form;
    return {.msm_count = job.msm_count,
            .term_count = job.term_count,
            .have_own_bases = job.have_own_bases,
            .brings_bases = brings_bases,
            .brings_scalars = !job.scalars.is_on_device(),
            // Bases of several MSMs are brought in one run only where each MSM has its own, or they are there. Scalars on the device are
            // summed where they are found, so in one run.
            .can_join_msms = (!brings_bases || job.have_own_bases) && (!job.scalars.is_on_device() || stride_of(job) == job.term_count),
            .always_joins_bit_sums = config.are_results_on_device,
            .tables = job.tables,
            .width = job.width,
            .partition = job.partition,
            .partition_count = job.partition_count,
            .scalars = scalar_range<C>(config.bitsize),
            .coordinate_bytes = sizeof(BaseFieldElement<C>),
            .multiprocessors = static_cast<unsigned>(device.multiprocessor_count()),
            .rounds_budget = device.total_memory() / 8,
            .limits = limits};
}

/// The MSMs of one job, in as many chunks as copying and the device's memory ask for.
///
/// run() does all of it. For whoever brings the operands of one MSM's chunks to their landing himself, and gives the job empty spans of
/// host memory for them, there are its steps: take_memory(), prepare(), for each chunk sum(), queue_result(), and sums() when
/// stream() is done. He waits for stream() also where something fails.
template <Curve C>
class DeviceMsm {
public:
    /// \param layout  of the job's work_of(), with the digits that were chosen for it
    DeviceMsm(const DeviceMsmJob<C>& job, MsmJobLayout layout, const MsmConfig& config)
        : job_(job),
          config_(config),
          stream_(config.ctx.stream()),
          layout_(std::move(layout)),
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

    /// How the job is to be cut up.
    MsmCut cut(FeedCost feed) const { return layout_.cut(feed); }

    /// Plans these chunks and takes memory for them. \return whether the device and the budget have so much
    /// \throws Error invalid_argument, out_of_memory  where they have not, and chunks cannot be smaller
    bool take_memory(std::vector<MsmChunk> chunks, bool are_smallest) {
        layout_.lay_out(std::move(chunks));
        const std::size_t bytes = layout_.bytes();
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

    /// Loads the kernels that are missing, and queues what comes before the first chunk.
    void prepare() {
        kernels_->load(needed_steps(), config_.ctx.host_threads());
        fill_bytes_async(oversized_span(), 0xff, stream_);
    }

    /// Where a chunk's bases and scalars land, if they must be brought.
    std::uint64_t bases_landing(std::size_t i) const { return address(layout_.places().landing[i % 2]); }
    std::uint64_t scalars_landing(std::size_t i) const { return bases_landing(i) + layout_.bases_bytes(chunk(i)); }

    /// Queues bringing bases on the device into Montgomery form, where they lie.
    void queue_conversion(DeviceSpan<AffinePoint<C>> bases, StreamView stream) const { queue_conversion(bases, bases, stream); }

    /// Queues the summing of a chunk whose operands are there.
    void sum(std::size_t i) const {
        const MsmChunk& own = chunk(i);
        MsmPlan plan = layout_.plan(i);
        MsmKernelParams& params = plan.params;
        place_msm_sums(plan, sizeof(BaseFieldElement<C>), address(layout_.places().sums));
        place_msm_workspace(plan, sizeof(BaseFieldElement<C>), address(layout_.places().workspace));
        params.reduction.bit_sums = as_pointer<void>(address_of_bit_sums(own));
        params.operands.first_oversized_scalar = as_pointer<std::uint32_t>(address(layout_.places().oversized) + i * sizeof(std::uint32_t));
        params.operands.points = as_pointer<void>(layout_.work().brings_bases ? bases_landing(i) : bases_of(own).device().pointer());
        params.operands.scalars = as_pointer<void>(address_of_scalars(i));
        params.operands.table_stride = static_cast<std::uint32_t>(job_.table_stride);
        params.operands.bases_stride = job_.have_own_bases ? static_cast<std::uint32_t>(job_.term_count) : 0;
        params.operands.scalars_in_montgomery_form = config_.are_scalars_montgomery_form;
        place_carried(params);
        if (params.operands.scalars_are_split) queue_images(params);
        kernels_->sort->sort(params, stream_);
        sum_buckets(plan);
        if (!own.is_last) return;
        if (leaves_sums(params)) {
            sum_weight_split(i, params);
        } else {
            reduce_buckets(params);
        }
        if (layout_.joins_bit_sums()) join_bit_sums(own);
    }

    /// Queues the copying of the windows' sums, and of what was found out about scalars, to the host.
    void queue_result() { queue_landing(layout_.places().sums_for_host); }

    /// Of the windows that have something of the digit partition, [msm][window][sum], for combine_windows(): what queue_result() has
    /// copied, when the stream is done.
    std::span<const HostXyzz<C>> sums() const {
        return {reinterpret_cast<const HostXyzz<C>*>(landed_.data()), job_.msm_count * layout_.sum_count()};
    }
    /// The number of the first of them among those of all windows.
    unsigned first_sum() const { return layout_.windows().first * sums_a_window(); }
    /// Bits of a digit.
    unsigned width() const { return layout_.choice().width; }
    /// The number of all an MSM's sums, of which others may have some.
    unsigned all_sums() const { return layout_.all_windows() * sums_a_window(); }
    unsigned sums_a_window() const { return layout_.sums_a_window(); }
    /// Of a chunk, likewise: the lowest place in it of a scalar that breaks its promise; else no_scalar.
    std::uint32_t first_oversized(std::size_t chunk) const {
        return reinterpret_cast<const std::uint32_t*>(landed_.last(oversized_span().size_bytes()).data())[chunk];
    }

private:
    void queue(const MsmResults<C>& results) {
        take_chunks(cut({feeds_->rate().nanoseconds_a_byte() * static_cast<double>(copied_bytes_a_term(job_))}),
                    [this](std::vector<MsmChunk> chunks, bool are_smallest) { return take_memory(std::move(chunks), are_smallest); });
        prepare();
        if (job_.msm_count * job_.term_count * copied_bytes_a_term(job_) < layout_.work().limits.min_fed_bytes) {
            sum_chunks();
        } else {
            sum_fed_chunks();
        }
        if (results.is_on_device()) {
            finish_on_device(results.device());
        } else {
            finish_on_host(results.host());
        }
    }

    const MsmChunk& chunk(std::size_t i) const { return layout_.chunks()[i]; }
    std::size_t chunk_count() const { return layout_.chunks().size(); }
    unsigned multiprocessors() const { return layout_.work().multiprocessors; }

    typename MsmKernels<C>::Steps needed_steps() const {
        typename MsmKernels<C>::Steps steps{.windows = layout_.joins_bit_sums(),
                                            .bases = !job_.are_bases_in_montgomery_form || layout_.choice().are_scalars_split};
        const auto need = [&steps](const MsmPlan& plan) { (plan.params.rounds.count == 0 ? steps.slots : steps.pairs) = true; };
        for (std::size_t i = 0; i < chunk_count(); ++i) {
            need(layout_.plan(i));
            if (layout_.weight_split(i)) need(*layout_.weight_split(i));
        }
        return steps;
    }

    [[noreturn]] void throw_budget_too_small(std::size_t bytes) const {
        std::size_t terms = 0;
        for (const MsmChunk& chunk : layout_.chunks()) terms = std::max(terms, chunk.msm_count * chunk.term_count);
        throw Error(ErrorCategory::invalid_argument, "msm: memory_budget is " + std::to_string(config_.memory_budget) +
                                                         " bytes, but even " + std::to_string(terms) + " terms at a time take " +
                                                         std::to_string(bytes) +
                                                         " on the device; raise memory_budget, or set it to 0 for no limit");
    }

    void place_carried(MsmKernelParams& params) const {
        params.carry_over.max_points = layout_.max_carried();
        params.carry_over.points = as_pointer<void>(address(layout_.places().carried_points));
        params.carry_over.starts = as_pointer<std::uint32_t>(address(layout_.places().carried_starts));
    }

    std::uint64_t address(std::size_t offset) const { return memory_.span().pointer() + offset; }
    std::uint64_t address_of_bit_sums(const MsmChunk& chunk) const {
        const std::size_t first = layout_.joins_bit_sums() ? 0 : chunk.first_msm * layout_.window_count() * layout_.weight_bits();
        return address(layout_.places().bit_sums) + first * sizeof(HostXyzz<C>);
    }
    /// Brings and sums one chunk after the other.
    void sum_chunks() {
        const auto copy = [this](std::uint64_t to, const HostRuns& from) { copy_runs_async(to, from, stream_); };
        for (std::size_t i = 0; i < chunk_count(); ++i) {
            copy_operands(i, copy);
            convert_bases(i, stream_);
            sum(i);
        }
    }

    /// Brings each chunk while the one before it is summed, into the place of the one before that.
    void sum_fed_chunks() {
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
            const bool is_last = i + 1 == chunk_count();
            const std::uint64_t earlier_bytes = bytes_;
            if (is_last) last_asked.record(feed->stream());
            copy_operands(i, copy);
            if (is_last) last_copied.record(feed->stream());
            convert_bases(i, feed->stream());
            brought[i % 2].record(feed->stream());
            return bytes_ - earlier_bytes;
        };
        std::uint64_t last_bytes = bring(0);
        for (std::size_t i = 0; i < chunk_count(); ++i) {
            stream_.wait(brought[i % 2]);
            sum(i);
            summed[i % 2].record(stream_);
            if (i + 1 == chunk_count()) break;
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
        if (!job_.scalars.is_on_device()) copy_counted(scalars_landing(i), host_scalars_of(chunk(i)), copy);
        if (!job_.bases.is_on_device()) copy_counted(bases_landing(i), std::as_bytes(bases_of(chunk(i)).host()), copy);
    }

    /// Into Montgomery form, where they are not in that.
    void convert_bases(std::size_t i, StreamView stream) {
        if (job_.are_bases_in_montgomery_form) return;
        const Operand<AffinePoint<C>> bases = bases_of(chunk(i));
        const DeviceSpan<AffinePoint<C>> there(bases_landing(i), bases.size(), config_.ctx.device());
        queue_conversion(bases.is_on_device() ? bases.device() : DeviceSpan<const AffinePoint<C>>(there), there, stream);
    }

    void queue_conversion(DeviceSpan<const AffinePoint<C>> from, DeviceSpan<AffinePoint<C>> to, StreamView stream) const {
        kernels_->bases->points_to_montgomery_form.launch({blocks_for(from.size(), change_block_size), change_block_size}, stream, from, to,
                                                          static_cast<std::uint32_t>(from.size()));
    }

    void queue_images(const MsmKernelParams& params) const {
        const std::size_t count = params.operands.first_image;
        const DeviceSpan<const AffinePoint<C>> points(reinterpret_cast<std::uint64_t>(params.operands.points), count, config_.ctx.device());
        const DeviceSpan<AffinePoint<C>> images(reinterpret_cast<std::uint64_t>(params.operands.images), count, config_.ctx.device());
        kernels_->bases->map_points.launch({blocks_for(count, change_block_size), change_block_size}, stream_, points, images,
                                           params.operands.first_image, store(endomorphism_factor<C>(), true));
    }

    template <class Copy>
    void copy_counted(std::uint64_t to, const HostRuns& from, const Copy& copy) {
        copy(to, from);
        bytes_ += from.size_bytes();
    }

    std::size_t first_scalar_of(const MsmChunk& chunk) const { return chunk.first_msm * stride_of(job_) + chunk.first_term; }
    HostRuns host_scalars_of(const MsmChunk& chunk) const {
        const std::span<const Scalar> scalars = job_.scalars.host().subspan(first_scalar_of(chunk));
        if (stride_of(job_) == job_.term_count) return std::as_bytes(scalars.first(chunk.msm_count * chunk.term_count));
        return {std::as_bytes(scalars.first(chunk.term_count)), chunk.msm_count, stride_of(job_) * sizeof(Scalar)};
    }
    std::uint64_t address_of_scalars(std::size_t i) const {
        return job_.scalars.is_on_device() ? job_.scalars.device().pointer() + first_scalar_of(chunk(i)) * sizeof(Scalar)
                                           : scalars_landing(i);
    }
    /// Of the first table; the others lie at equal distances behind it.
    Operand<AffinePoint<C>> bases_of(const MsmChunk& chunk) const {
        if (!job_.have_own_bases) return job_.bases.subspan(chunk.first_term, chunk.term_count);
        return job_.bases.subspan(chunk.first_msm * job_.term_count + chunk.first_term, chunk.msm_count * chunk.term_count);
    }

    /// Sums each bucket, of terms that are sorted, or as far as rounds do where another plan takes over.
    void sum_buckets(MsmPlan& plan) const {
        MsmKernelParams& params = plan.params;
        for (std::uint32_t row = 0; row < params.rows.count; row += plan.rows_at_once) {
            params.rows.first = row;
            const std::uint32_t rows = std::min(plan.rows_at_once, params.rows.count - row);
            add_pairs(params, rows);
            if (leaves_sums(params)) {
                carry_sums(params, rows);
            } else {
                accumulate(params, rows);
            }
        }
        if (!leaves_sums(params)) join_buckets(params);
    }

    /// Weight splitting: sums the bucket remainders that the rounds of a chunk left.
    void sum_weight_split(std::size_t i, const MsmKernelParams& terms) const {
        MsmPlan plan = *layout_.weight_split(i);
        MsmKernelParams& params = plan.params;
        place_weight_split(plan, sizeof(BaseFieldElement<C>), address(layout_.places().workspace));
        place_carried(params);
        params.operands.points = terms.operands.points;  // none of its terms is one of these, but where there is no term any point is read
        params.reduction.bit_sums = terms.reduction.bit_sums;
        kernels_->sort->sort_split_weights(terms, params, stream_);
        sum_buckets(plan);
        reduce_buckets(params);
    }

    /// Does the rounds of batched-affine addition in `rows` rows from plan.first_row.
    void add_pairs(const MsmKernelParams& params, std::uint32_t rows) const {
        for (std::uint32_t round = 1; round <= params.rounds.count; ++round) {
            const std::uint32_t blocks = choose_pair_blocks(
                round, max_points(params, round), rows, multiprocessors() * kernels_->pairs->resident_blocks, sizeof(BaseFieldElement<C>));
            const LaunchShape pairs{{blocks, rows}, pair_block_size};
            if (round == 1) {
                kernels_->pairs->add_first_pairs.launch(pairs, stream_, params);
            } else {
                kernels_->pairs->add_pairs.launch(pairs, stream_, params, round);
            }
        }
    }

    void carry_sums(const MsmKernelParams& params, std::uint32_t rows) const {
        const std::uint32_t blocks = blocks_for(copying_blocks * multiprocessors(), rows);
        kernels_->pairs->carry_sums.launch({{blocks, rows}, point_block_size}, stream_, params);
    }

    /// Sums what is left of each bucket, but for those that join_buckets must complete.
    void accumulate(const MsmKernelParams& params, std::uint32_t rows) const {
        const LaunchShape intervals{{blocks_for(params.accumulation.interval_count, point_block_size), rows}, point_block_size};
        if (params.rounds.count == 0) {
            kernels_->slots->accumulate_slots.launch(intervals, stream_, params);
        } else {
            kernels_->sums->accumulate_sums.launch(intervals, stream_, params);
        }
    }

    LaunchShape lane_groups_over_rows(const MsmKernelParams& params, std::size_t groups) const {
        return {{blocks_for(groups * lane_group_size, sum_block_size), params.rows.count}, sum_block_size};
    }

    void join_buckets(const MsmKernelParams& params) const {
        kernels_->join->join_buckets.launch(lane_groups_over_rows(params, joining_lane_groups(params)), stream_, params);
        kernels_->join->join_large_buckets.launch({multiprocessors(), large_sum_block_size}, stream_, params);
    }

    void reduce_buckets(const MsmKernelParams& params) const {
        for (std::uint32_t level = 0; level < reduction_levels(params); ++level) {
            const unsigned blocks = reduction_lists(level) * reduction_list_size(params, level + 1);
            kernels_->reduction->reduce_buckets.launch({{blocks, params.rows.count}, reduction_block_size(params, level)}, stream_, params,
                                                       level);
        }
    }

    void join_bit_sums(const MsmChunk& chunk) const {
        const std::size_t windows = chunk.msm_count * layout_.window_count();
        const DeviceSpan<const std::byte> of_bits(address_of_bit_sums(chunk), windows * layout_.weight_bits() * sizeof(HostXyzz<C>),
                                                  config_.ctx.device());
        const LaunchShape groups{blocks_for(windows * lane_group_size, sum_block_size), sum_block_size};
        kernels_->windows->join_bit_sums.launch(groups, stream_, of_bits, window_sums(chunk.first_msm, chunk.msm_count),
                                                static_cast<std::uint32_t>(windows), layout_.weight_bits());
    }
    DeviceSpan<std::byte> window_sums(std::size_t first_msm, std::size_t msm_count) const {
        const std::size_t msm_bytes = layout_.window_count() * sizeof(HostXyzz<C>);
        return {address(layout_.places().sums_for_host) + first_msm * msm_bytes, msm_count * msm_bytes, config_.ctx.device()};
    }

    void finish_on_device(DeviceSpan<JacobianPoint<C>> results) {
        if (!layout_.work().scalars.spans_all() && !config_.is_async) check_promise();
        const LaunchShape groups{blocks_for(job_.msm_count * lane_group_size, sum_block_size), sum_block_size};
        kernels_->windows->join_windows.launch(groups, stream_, DeviceSpan<const std::byte>(window_sums(0, job_.msm_count)), results,
                                               static_cast<std::uint32_t>(job_.msm_count), layout_.window_count(), width(),
                                               config_.are_points_montgomery_form);
        if (!config_.is_async) stream_.synchronize();
    }

    void finish_on_host(std::span<JacobianPoint<C>> results) {
        queue_result();
        stream_.synchronize();
        require_promise();
        parallel_for(results.size(), results.size() < 8 ? 1 : config_.ctx.host_threads(), [&](std::size_t msm) {
            const auto own = sums().subspan(msm * layout_.sum_count(), layout_.sum_count());
            results[msm] = store_jacobian<C>(combine_windows(own, width(), sums_a_window()), config_.are_points_montgomery_form);
        });
    }

    /// Queues the copying of what lies from `begin` on, up to what was found out about scalars, to the host.
    void queue_landing(std::size_t begin) {
        const DeviceSpan<const std::byte> there(address(begin), layout_.places().oversized + oversized_span().size_bytes() - begin,
                                                config_.ctx.device());
        if (landing_ == nullptr) landing_ = landings_->take();
        const std::span<std::byte> here = landing_->memory(there.size(), ordinary_landing_);
        copy_async(here, there, stream_);
        landed_ = here;
        bytes_ += there.size();
    }

    /// Waits for the work given so far.
    void check_promise() {
        queue_landing(layout_.places().oversized);
        stream_.synchronize();
        require_promise();
    }

    /// \throws OversizedScalar where a scalar is not what was promised
    void require_promise() const {
        for (std::size_t i = 0; i < chunk_count(); ++i) {
            if (first_oversized(i) == no_scalar) continue;
            const std::size_t terms = chunk(i).term_count;
            const std::size_t place = first_oversized(i) / terms * stride_of(job_) + first_oversized(i) % terms;
            throw_oversized_scalar(first_scalar_of(chunk(i)) + place, layout_.work().scalars.bits);
        }
    }

    template <class T>
    static T* as_pointer(std::uint64_t address) {
        return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): a device address, never followed here
    }
    DeviceSpan<std::uint32_t> oversized_span() const { return {address(layout_.places().oversized), chunk_count(), config_.ctx.device()}; }

    DeviceMsmJob<C> job_;
    MsmConfig config_;
    StreamView stream_;
    MsmJobLayout layout_;
    std::shared_ptr<MsmKernels<C>> kernels_;
    std::shared_ptr<OperandFeeds> feeds_;
    std::shared_ptr<ResultLandings> landings_;
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
