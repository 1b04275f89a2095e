#include "device_msm.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <limits>

#include "host_curve.hpp"
#include "msm_plan.hpp"
#include "oversized_scalar.hpp"
#include "shipped_ptx.hpp"
#include "synchronize_on_exit.hpp"
#include "window_sums.hpp"

namespace cupool::detail {

namespace {

constexpr std::uint32_t no_scalar = std::numeric_limits<std::uint32_t>::max();
constexpr unsigned block_size = 256;
constexpr unsigned point_block_size = 128;
/// Below this many terms, running out of memory is not answered by smaller chunks.
constexpr std::size_t smallest_chunk = 1 << 16;
/// A term's index and its sign share 32 bits.
constexpr std::size_t largest_chunk = std::size_t{1} << 30;

unsigned blocks_for(std::size_t threads, unsigned size) { return static_cast<unsigned>((threads + size - 1) / size); }

/// The MSM kernels of a curve in one context.
template <Curve C>
class MsmModule {
public:
    explicit MsmModule(ContextView context)
        : module_(context, msm_ptx<C>()),
          count_bins(module_.kernel<MsmPlan>("msm_count_bins")),
          place_bins(module_.kernel<MsmPlan>("msm_place_bins")),
          scatter_to_bins(module_.kernel<MsmPlan>("msm_scatter_to_bins")),
          count_buckets(module_.kernel<MsmPlan>("msm_count_buckets")),
          place_buckets(module_.kernel<MsmPlan>("msm_place_buckets")),
          scatter_to_buckets(module_.kernel<MsmPlan>("msm_scatter_to_buckets")),
          accumulate_slots(module_.kernel<MsmPlan>("msm_accumulate_slots")),
          accumulate_sums(module_.kernel<MsmPlan>("msm_accumulate_sums")),
          join_buckets(module_.kernel<MsmPlan>("msm_join_buckets")),
          join_large_buckets(module_.kernel<MsmPlan>("msm_join_large_buckets")),
          sum_groups(module_.kernel<MsmPlan>("msm_sum_groups")),
          sum_windows(module_.kernel<MsmPlan>("msm_sum_windows")),
          add_first_pairs(module_.kernel<MsmPlan, std::uint32_t>("msm_add_first_pairs")),
          add_pairs(module_.kernel<MsmPlan, std::uint32_t, std::uint32_t>("msm_add_pairs")),
          points_to_montgomery_form(
              module_.kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t>("msm_points_to_montgomery_form")),
          pair_blocks(static_cast<unsigned>(add_pairs.max_active_blocks(pair_block_size))) {}

private:
    Module module_;

public:
    Kernel<MsmPlan> count_bins, place_bins, scatter_to_bins, count_buckets, place_buckets, scatter_to_buckets;
    Kernel<MsmPlan> accumulate_slots, accumulate_sums, join_buckets, join_large_buckets, sum_groups, sum_windows;
    Kernel<MsmPlan, std::uint32_t> add_first_pairs;
    Kernel<MsmPlan, std::uint32_t, std::uint32_t> add_pairs;
    Kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t> points_to_montgomery_form;
    unsigned pair_blocks;  ///< of the pairwise kernels that a multiprocessor holds at once
};

/// One MSM on one device, in as many chunks as its memory asks for.
template <Curve C>
class DeviceMsm {
public:
    DeviceMsm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config)
        : scalars_(scalars),
          points_(points),
          config_(config),
          stream_(config.ctx.stream()),
          multiprocessors_(static_cast<unsigned>(config.ctx.context().device().multiprocessor_count())),
          device_memory_(config.ctx.context().device().total_memory()),
          module_(config.ctx.resource<MsmModule<C>>()) {}

    JacobianPoint<C> run() {
        const SynchronizeOnExit wait_for_copies(stream_);
        allocate();
        const std::size_t count = scalars_.size();
        const std::size_t chunk = shape_.plan.term_count;
        HostXyzz<C> sum = HostXyzz<C>::infinity();
        for (std::size_t first = 0; first < count; first += chunk) sum += run_chunk(first, std::min(chunk, count - first));
        return store_jacobian<C>(sum, config_.are_points_montgomery_form);
    }

    std::uint64_t bytes() const { return bytes_; }

private:
    bool copies_points() const { return !points_.is_on_device() || !config_.are_points_montgomery_form; }

    MsmShape shape_for(std::size_t count) const {
        const unsigned promised = static_cast<unsigned>(config_.bitsize);
        return make_msm_shape({.term_count = static_cast<std::uint32_t>(count),
                               .scalar_bits = promised == 0 ? scalar_bits<C> : std::min(promised, scalar_bits<C>),
                               .width = static_cast<unsigned>(config_.c),
                               .multiprocessors = multiprocessors_,
                               .rounds_budget = device_memory_ / 8,
                               .coordinate_bytes = sizeof(BaseFieldElement<C>)});
    }

    /// The bytes that a chunk's operands take where they must be copied; multiples of the workspace's alignment.
    std::size_t points_bytes(std::size_t count) const { return copies_points() ? aligned(count * sizeof(AffinePoint<C>)) : 0; }
    std::size_t scalars_bytes(std::size_t count) const { return scalars_.is_on_device() ? 0 : aligned(count * sizeof(Scalar)); }
    static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

    /// Takes memory for one chunk, of all terms or of half as many as often as the device has not so much.
    void allocate() {
        for (std::size_t chunk = std::min(scalars_.size(), largest_chunk);; chunk = (chunk + 1) / 2) {
            shape_ = shape_for(chunk);
            const std::size_t bytes =
                points_bytes(chunk) + scalars_bytes(chunk) + place_msm_workspace(shape_, sizeof(BaseFieldElement<C>), 0);
            auto memory = DeviceBuffer<std::byte>::try_allocate(bytes, config_.ctx);
            if (memory) {
                memory_ = std::move(memory).value();
                return;
            }
            if (memory.error().category() != ErrorCategory::out_of_memory || chunk / 2 < smallest_chunk) throw memory.error();
        }
    }

    HostXyzz<C> run_chunk(std::size_t first, std::size_t count) {
        MsmShape shape = shortened(shape_, static_cast<std::uint32_t>(count));
        MsmPlan& plan = shape.plan;
        const std::uint64_t points_at = memory_.span().pointer();
        const std::uint64_t scalars_at = points_at + points_bytes(count);
        place_msm_workspace(shape, sizeof(BaseFieldElement<C>), scalars_at + scalars_bytes(count));
        plan.points = as_pointer(bring_points(first, count, points_at));
        plan.scalars = as_pointer(bring_scalars(first, count, scalars_at));
        plan.scalars_in_montgomery_form = config_.are_scalars_montgomery_form;
        launch(shape);
        return finish(plan, first);
    }

    DeviceSpan<const AffinePoint<C>> bring_points(std::size_t first, std::size_t count, std::uint64_t at) {
        const Operand<AffinePoint<C>> chunk = points_.subspan(first, count);
        if (!copies_points()) return chunk.device();
        const DeviceSpan<AffinePoint<C>> copy(at, count, config_.ctx.device());
        if (!chunk.is_on_device()) {
            copy_async(copy, chunk.host(), stream_);
            bytes_ += copy.size_bytes();
        }
        if (!config_.are_points_montgomery_form) {
            module_->points_to_montgomery_form.launch({blocks_for(count, block_size), block_size}, stream_,
                                                      chunk.is_on_device() ? chunk.device() : DeviceSpan<const AffinePoint<C>>(copy), copy,
                                                      static_cast<std::uint32_t>(count));
        }
        return copy;
    }

    DeviceSpan<const Scalar> bring_scalars(std::size_t first, std::size_t count, std::uint64_t at) {
        const Operand<Scalar> chunk = scalars_.subspan(first, count);
        if (chunk.is_on_device()) return chunk.device();
        const DeviceSpan<Scalar> copy(at, count, config_.ctx.device());
        copy_async(copy, chunk.host(), stream_);
        bytes_ += copy.size_bytes();
        return copy;
    }

    void launch(const MsmShape& shape) const {
        sort_terms(shape.plan);
        for (std::uint32_t window = 0; window < shape.plan.window_count; window += shape.windows_at_once) {
            MsmShape turn = shape;
            turn.plan.first_window = window;
            sum_buckets(turn, std::min(shape.windows_at_once, shape.plan.window_count - window));
        }
        sum_windows(shape.plan);
    }

    void sort_terms(const MsmPlan& plan) const {
        const std::size_t windows = plan.window_count;
        fill_bytes_async(span_of(plan.bin_cursors, windows * plan.bin_count), 0, stream_);
        fill_bytes_async(span_of(plan.cursors, windows * plan.bucket_count), 0, stream_);
        fill_bytes_async(span_of(plan.first_oversized_scalar, 1), 0xff, stream_);
        if (plan.rounds != 0) fill_bytes_async(span_of(plan.slots, windows * plan.slot_count), no_term & 0xff, stream_);
        const unsigned tiles = blocks_for(plan.term_count, bin_tile);
        module_->count_bins.launch({tiles, bin_block_size}, stream_, plan);
        module_->place_bins.launch({plan.window_count, largest_bin_count}, stream_, plan);
        module_->scatter_to_bins.launch({tiles * plan.window_count, bin_block_size}, stream_, plan);
        module_->count_buckets.launch({{tiles, plan.window_count}, bin_block_size}, stream_, plan);
        module_->place_buckets.launch({plan.window_count, place_block_size}, stream_, plan);
        module_->scatter_to_buckets.launch({{tiles, plan.window_count}, bin_block_size}, stream_, plan);
    }

    /// Sums the points of each bucket, but for those that join_buckets must complete, in `windows` windows from plan.first_window.
    void sum_buckets(const MsmShape& shape, std::uint32_t windows) const {
        const MsmPlan& plan = shape.plan;
        const LaunchShape shares{{blocks_for(plan.share_count, point_block_size), windows}, point_block_size};
        if (plan.rounds == 0) return module_->accumulate_slots.launch(shares, stream_, plan);
        for (std::uint32_t round = 1; round <= plan.rounds; ++round) {
            const std::uint32_t row_pairs = plan.slot_count >> round;
            const std::uint32_t pairs_a_thread = choose_pairs_a_thread(row_pairs, windows, multiprocessors_ * module_->pair_blocks);
            const LaunchShape pairs{{blocks_for(row_pairs, pair_block_size * pairs_a_thread), windows}, pair_block_size};
            if (round == 1) {
                module_->add_first_pairs.launch(pairs, stream_, plan, pairs_a_thread);
            } else {
                module_->add_pairs.launch(pairs, stream_, plan, pairs_a_thread, round);
            }
        }
        module_->accumulate_sums.launch(shares, stream_, plan);
    }

    void sum_windows(const MsmPlan& plan) const {
        const auto quads_over_windows = [&](std::size_t quads) {
            return LaunchShape{{blocks_for(quads * quad_size, sum_block_size), plan.window_count}, sum_block_size};
        };
        fill_bytes_async(span_of(plan.large_bucket_count, 1), 0, stream_);
        module_->join_buckets.launch(quads_over_windows(plan.bucket_count), stream_, plan);
        module_->join_large_buckets.launch({multiprocessors_, large_sum_block_size}, stream_, plan);
        module_->sum_groups.launch(quads_over_windows(plan.group_count), stream_, plan);
        module_->sum_windows.launch({plan.window_count, large_sum_block_size}, stream_, plan);
    }

    HostXyzz<C> finish(const MsmPlan& plan, std::size_t first) {
        sums_.resize(plan.window_count);
        const DeviceSpan<HostXyzz<C>> sums_there(as_address(plan.window_sums), sums_.size(), config_.ctx.device());
        copy_async(std::span(sums_), sums_there, stream_);
        copy_async(std::span(&oversized_, 1), span_of(plan.first_oversized_scalar, 1), stream_);
        stream_.synchronize();
        bytes_ += sums_there.size_bytes() + sizeof oversized_;
        if (oversized_ != no_scalar) throw_oversized_scalar(first + oversized_, plan.scalar_bits);
        return combine_windows(std::span<const HostXyzz<C>>(sums_), plan.width);
    }

    template <class T>
    static T* as_pointer(DeviceSpan<T> span) {
        return reinterpret_cast<T*>(span.pointer());  // NOLINT(performance-no-int-to-ptr): a device address, never followed here
    }
    static std::uint64_t as_address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
    DeviceSpan<std::uint32_t> span_of(std::uint32_t* pointer, std::size_t count) const {
        return {as_address(pointer), count, config_.ctx.device()};
    }

    Operand<Scalar> scalars_;
    Operand<AffinePoint<C>> points_;
    MsmConfig config_;
    StreamView stream_;
    unsigned multiprocessors_;
    std::uint64_t device_memory_;
    std::shared_ptr<MsmModule<C>> module_;
    MsmShape shape_{};
    DeviceBuffer<std::byte> memory_;
    // What is copied from the device outlives run(), which waits for its copies when it fails, too.
    std::vector<HostXyzz<C>> sums_;
    std::uint32_t oversized_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace

template <Curve C>
RunReport msm_on_device(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
                        JacobianPoint<C>& result) {
    const auto start = std::chrono::steady_clock::now();
    DeviceMsm<C> job(scalars, points, config);
    result = job.run();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::gpu, .devices = {config.ctx.device()}, .milliseconds = elapsed.count(), .bytes = job.bytes()};
}

#define CUPOOL_INSTANTIATE(C) \
    template RunReport msm_on_device<C>(const Operand<Scalar>&, const Operand<AffinePoint<C>>&, const MsmConfig&, JacobianPoint<C>&);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
CUPOOL_INSTANTIATE(Curve::bls12_377)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
