#pragma once

#include <atomic>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/kernel.hpp>
#include <cupool/driver/module.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "msm/device/kernel_params.hpp"
#include "msm/device/rounds.hpp"
#include "msm/device/workspace_layout.hpp"
#include "support/parallel_for.hpp"
#include "support/shipped_code.hpp"

namespace cupool::detail {

inline unsigned blocks_for(std::size_t threads, unsigned size) { return static_cast<unsigned>((threads + size - 1) / size); }

/// Words of the memory of a plan, on the device of the stream.
inline DeviceSpan<std::uint32_t> words_at(std::uint32_t* pointer, std::size_t count, StreamView stream) {
    return {reinterpret_cast<std::uint64_t>(pointer), count, stream.ordinal()};
}

struct MsmSortKernels {
    MsmSortKernels(ContextView context, const ShippedCode& code)
        : module(load(context, code)),
          count_bins(module.kernel<MsmKernelParams>("msm_count_bins")),
          place_bins(module.kernel<MsmKernelParams>("msm_place_bins")),
          bin_carried_points(module.kernel<MsmKernelParams>("msm_bin_carried_points")),
          scatter_to_bins(module.kernel<MsmKernelParams>("msm_scatter_to_bins")),
          count_buckets(module.kernel<MsmKernelParams>("msm_count_buckets")),
          size_bins(module.kernel<MsmKernelParams>("msm_size_bins")),
          place_buckets(module.kernel<MsmKernelParams>("msm_place_buckets")),
          scatter_to_buckets(module.kernel<MsmKernelParams>("msm_scatter_to_buckets")),
          index_pairs(module.kernel<MsmKernelParams>("msm_index_pairs")),
          split_weights(module.kernel<MsmKernelParams, MsmKernelParams>("msm_split_weights")) {}

    /// Enqueues the sort of a plan's terms into its slots, and the list of the pairs of the second and later rounds.
    void sort(const MsmKernelParams& params, StreamView stream) const {
        clear_counters(params, stream);
        const unsigned tiles = blocks_for(params.operands.scalar_count, bin_tile) * (params.operands.scalars_are_split ? 2 : 1);
        count_bins.launch({{blocks_for(params.operands.scalar_count, params.sort.counted_tile), params.operands.msm_count}, bin_block_size},
                          stream, params);
        place_bins.launch({params.rows.count, place_block_size}, stream, params);
        if (params.carry_over.has_points)
            bin_carried_points.launch({{blocks_for(params.carry_over.max_points, bin_tile), params.rows.count}, bin_block_size}, stream,
                                      params);
        scatter_to_bins.launch({{tiles * params.digits.count, params.operands.msm_count}, bin_block_size}, stream, params);
        sort_bins(params, stream);
    }

    /// The same for `split`, whose terms are the bucket remainders of the plan of `params`.
    void sort_split_weights(const MsmKernelParams& params, const MsmKernelParams& split, StreamView stream) const {
        clear_counters(split, stream);
        split_weights.launch({{blocks_for(split.rows.max_terms, split_tile), params.rows.count}, bin_block_size}, stream, params, split);
        sort_bins(split, stream);
    }

private:
    static void clear_counters(const MsmKernelParams& params, StreamView stream) {
        fill_bytes_async(words_at(params.accumulation.large_bucket_count, cleared_words(params), stream), 0, stream);
    }

    /// Sorts terms that are in their bins into buckets.
    void sort_bins(const MsmKernelParams& params, StreamView stream) const {
        const unsigned row_tiles = blocks_for(params.rows.max_terms, bin_tile);
        count_buckets.launch({{row_tiles, params.rows.count}, bin_block_size}, stream, params);
        const LaunchShape bins{{params.sort.bin_count, params.rows.count}, place_block_size};
        if (params.sort.bin_count > 1) size_bins.launch(bins, stream, params);
        place_buckets.launch(bins, stream, params);
        scatter_to_buckets.launch({{row_tiles, params.rows.count}, bin_block_size}, stream, params);
        unsigned blocks = 0;
        for (std::uint32_t round = 2; round <= params.rounds.count; ++round) blocks += indexing_blocks(params, round);
        if (blocks != 0) index_pairs.launch({{blocks, params.rows.count}, place_block_size}, stream, params);
    }

    Module module;
    Kernel<MsmKernelParams> count_bins, place_bins, bin_carried_points, scatter_to_bins, count_buckets, size_bins, place_buckets,
        scatter_to_buckets, index_pairs;
    Kernel<MsmKernelParams, MsmKernelParams> split_weights;
};

struct MsmPairKernels {
    MsmPairKernels(ContextView context, const ShippedCode& code)
        : module(load(context, code)),
          add_first_pairs(module.kernel<MsmKernelParams>("msm_add_first_pairs")),
          add_pairs(module.kernel<MsmKernelParams, std::uint32_t>("msm_add_pairs")),
          carry_sums(module.kernel<MsmKernelParams>("msm_carry_sums")),
          resident_blocks(static_cast<unsigned>(add_pairs.max_active_blocks(pair_block_size))) {}

    Module module;
    Kernel<MsmKernelParams> add_first_pairs;
    Kernel<MsmKernelParams, std::uint32_t> add_pairs;
    Kernel<MsmKernelParams> carry_sums;
    unsigned resident_blocks;  ///< blocks that a multiprocessor holds at the same time
};

struct MsmSlotKernels {
    MsmSlotKernels(ContextView context, const ShippedCode& code)
        : module(load(context, code)), accumulate_slots(module.kernel<MsmKernelParams>("msm_accumulate_slots")) {}

    Module module;
    Kernel<MsmKernelParams> accumulate_slots;
};

struct MsmSumKernels {
    MsmSumKernels(ContextView context, const ShippedCode& code)
        : module(load(context, code)), accumulate_sums(module.kernel<MsmKernelParams>("msm_accumulate_sums")) {}

    Module module;
    Kernel<MsmKernelParams> accumulate_sums;
};

struct MsmJoinKernels {
    MsmJoinKernels(ContextView context, const ShippedCode& code)
        : module(load(context, code)),
          join_buckets(module.kernel<MsmKernelParams>("msm_join_buckets")),
          join_large_buckets(module.kernel<MsmKernelParams>("msm_join_large_buckets")) {}

    Module module;
    Kernel<MsmKernelParams> join_buckets, join_large_buckets;
};

struct MsmReductionKernels {
    MsmReductionKernels(ContextView context, const ShippedCode& code)
        : module(load(context, code)), reduce_buckets(module.kernel<MsmKernelParams, std::uint32_t>("msm_reduce_buckets")) {}

    Module module;
    Kernel<MsmKernelParams, std::uint32_t> reduce_buckets;
};

template <Curve C>
struct MsmWindowKernels {
    MsmWindowKernels(ContextView context, const ShippedCode& code)
        : module(load(context, code)),
          join_bit_sums(
              module.kernel<DeviceSpan<const std::byte>, DeviceSpan<std::byte>, std::uint32_t, std::uint32_t>("msm_join_bit_sums")),
          join_windows(module.kernel<DeviceSpan<const std::byte>, DeviceSpan<JacobianPoint<C>>, std::uint32_t, std::uint32_t, std::uint32_t,
                                     std::uint32_t>("msm_join_windows")) {}

    Module module;
    Kernel<DeviceSpan<const std::byte>, DeviceSpan<std::byte>, std::uint32_t, std::uint32_t> join_bit_sums;
    Kernel<DeviceSpan<const std::byte>, DeviceSpan<JacobianPoint<C>>, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>
        join_windows;
};

template <Curve C>
struct MsmBaseKernels {
    MsmBaseKernels(ContextView context, const ShippedCode& code)
        : module(load(context, code)),
          points_to_montgomery_form(
              module.kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t>("msm_points_to_montgomery_form")),
          double_points(module.kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t, std::uint32_t>(
              "msm_double_points")),
          map_points(module.kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t, BaseFieldElement<C>>(
              "msm_map_points")) {}

    Module module;
    Kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t> points_to_montgomery_form;
    Kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t, std::uint32_t> double_points;
    Kernel<DeviceSpan<const AffinePoint<C>>, DeviceSpan<AffinePoint<C>>, std::uint32_t, BaseFieldElement<C>> map_points;
};

/// Kernels that are loaded when they are first used. Thread-safe.
template <class Kernels>
class LoadedOnce {
public:
    LoadedOnce(ContextView context, const ShippedCode& code) : context_(context), code_(code) {}

    /// \throws Error jit_failure, and any error of the driver; the next call tries again
    const Kernels& get() {
        if (!is_loaded()) {
            const std::lock_guard lock(mutex_);
            if (!kernels_) kernels_.emplace(context_, code_);
            is_loaded_.store(true, std::memory_order_release);
        }
        return *kernels_;
    }
    const Kernels* operator->() { return &get(); }
    bool is_loaded() const { return is_loaded_.load(std::memory_order_acquire); }

private:
    ContextView context_;
    ShippedCode code_;
    std::mutex mutex_;
    std::optional<Kernels> kernels_;
    std::atomic<bool> is_loaded_{false};
};

/// The MSM kernels of a curve in one context, in one module for each step: most jobs need few of
/// them, and a driver takes up to a second to compile one.
template <Curve C>
class MsmKernels {
public:
    explicit MsmKernels(ContextView context)
        : sort(context, msm_code<C>().sort),
          pairs(context, msm_code<C>().pairs),
          slots(context, msm_code<C>().accumulate_slots),
          sums(context, msm_code<C>().accumulate_sums),
          join(context, msm_code<C>().join),
          reduction(context, msm_code<C>().reduce_buckets),
          windows(context, msm_code<C>().join_windows),
          bases(context, msm_code<C>().bases) {}

    /// The steps that a job needs.
    struct Steps {
        bool pairs = false;    ///< some plan has batched-affine rounds
        bool slots = false;    ///< some plan has none
        bool windows = false;  ///< bit sums are joined on the device, and perhaps windows
        bool bases = false;    ///< points are converted to Montgomery form, or have images
    };

    /// Loads the needed kernels that are not loaded yet, in parallel on up to `threads` threads.
    void load(const Steps& steps, unsigned threads) {
        std::vector<std::function<void()>> missing;
        const auto need = [&missing](bool is_needed, auto& kernels) {
            if (is_needed && !kernels.is_loaded()) missing.push_back([&kernels] { kernels.get(); });
        };
        need(true, reduction);
        need(steps.pairs, pairs);
        need(steps.slots, slots);
        need(steps.pairs, sums);
        need(true, join);
        need(true, sort);
        need(steps.windows, windows);
        need(steps.bases, bases);
        parallel_for(missing.size(), threads, [&](std::size_t i) { missing[i](); });
    }

    LoadedOnce<MsmSortKernels> sort;
    LoadedOnce<MsmPairKernels> pairs;
    LoadedOnce<MsmSlotKernels> slots;
    LoadedOnce<MsmSumKernels> sums;
    LoadedOnce<MsmJoinKernels> join;
    LoadedOnce<MsmReductionKernels> reduction;
    LoadedOnce<MsmWindowKernels<C>> windows;
    LoadedOnce<MsmBaseKernels<C>> bases;
};

}  // namespace cupool::detail
