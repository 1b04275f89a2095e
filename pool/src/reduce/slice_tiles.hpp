#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <memory>
#include <span>
#include <vector>

#include "default_stream_order.hpp"
#include "pool_state.hpp"
#include "reduce/device_reduce.hpp"
#include "reduce/order.hpp"
#include "reduce/reduce_scratch.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

/// The sums of the tiles that begin in one slice of an array of floats. Each slice is reduced on its device; the end of its last tile is
/// copied from the following slices.
template <class T, class R>
class SliceTiles {
public:
    using Value = Accumulator<T, R>;

    /// \param number  of the slice. The slices must live as long as this.
    SliceTiles(PoolState& pool, const std::vector<DeviceSpan<const T>>& slices, std::size_t number)
        : pool_(pool),
          slices_(slices),
          number_(number),
          member_(pool.index_of(slices[number].device())),
          context_(pool.member(member_).context()) {
        for (std::size_t i = 0; i < number; ++i) begin_ += slices[i].size();
        end_ = begin_ + slices[number].size();
        tile_ = reduce_tile_elements(PoolOperand<T>(slices).size(), sizeof(T));
        first_tile_ = tile_from(begin_);
        last_tile_ = tile_from(end_);
    }
    /// Waits for the stream if work is under way.
    ~SliceTiles() {
        if (scratch_ == nullptr) return;
        const SynchronizeOnExit wait_for_work(context_.stream());
    }
    SliceTiles(const SliceTiles&) = delete;
    SliceTiles& operator=(const SliceTiles&) = delete;

    /// Queues all work.
    void start() {
        if (first_tile_ == last_tile_) return;
        scratch_ = context_.template resource<ReduceScratches>()->take();
        const DeviceSpan<Value> values(scratch_->workspace().pointer() + reduce_counter_bytes, last_tile_ - first_tile_, context_.device());
        const bool is_shared = end_ % tile_ != 0 && number_ + 1 < slices_.size();  // whether the last tile continues in the next slice
        const std::uint64_t whole_tiles = values.size() - (is_shared ? 1 : 0);
        if (whole_tiles != 0) {
            const std::uint64_t elements = std::min(end_, (first_tile_ + whole_tiles) * tile_) - first_tile_ * tile_;
            sum_tiles_on_device<T, R>(slices_[number_].subspan(first_tile_ * tile_ - begin_, elements), tile_, context_,
                                      values.subspan(0, whole_tiles));
        }
        if (is_shared) {
            gather_tile((last_tile_ - 1) * tile_ - begin_);
            sum_tiles_on_device<T, R>(gathered_.span(), tile_, context_, values.subspan(whole_tiles, 1));
        }
        const std::span<Value> readback(reinterpret_cast<Value*>(scratch_->tile_values()), values.size());
        copy_async(readback, DeviceSpan<const Value>(values), context_.stream());
        bytes_ += values.size_bytes();
    }

    /// Waits for the work, and copies the values. \param values  of all tiles of the array
    void finish(std::span<Value> values) {
        if (scratch_ == nullptr) return;
        context_.stream().synchronize();
        std::memcpy(values.data() + first_tile_, scratch_->tile_values(), (last_tile_ - first_tile_) * sizeof(Value));
        scratch_ = nullptr;
    }

    /// The bytes copied to the host and from other devices.
    std::uint64_t bytes() const { return bytes_; }

private:
    /// The first tile that begins at an element or behind it.
    std::uint64_t tile_from(std::uint64_t element) const { return element / tile_ + (element % tile_ != 0 ? 1 : 0); }

    /// Gathers a tile of elements that begins at a place of the slice and continues in the following slices, as far as there are any.
    void gather_tile(std::uint64_t begin) {
        std::vector<DeviceSpan<const T>> pieces{slices_[number_].subspan(begin, slices_[number_].size() - begin)};
        std::uint64_t size = pieces[0].size();
        for (std::size_t i = number_ + 1; i < slices_.size() && size < tile_; ++i) {
            pieces.push_back(slices_[i].subspan(0, std::min<std::uint64_t>(slices_[i].size(), tile_ - size)));
            size += pieces.back().size();
        }
        gathered_ = DeviceBuffer<T>(size, context_);
        try {
            std::uint64_t done = 0;
            for (const DeviceSpan<const T>& piece : pieces) {
                append(piece, done);
                done += piece.size();
            }
        } catch (...) {
            const SynchronizeOnExit wait_for_copies(context_.stream());
            for (const DeviceSpan<const T>& piece : pieces) pool_.peers().await_staged(pool_.index_of(piece.device()), member_);
            throw;
        }
    }
    void append(const DeviceSpan<const T>& piece, std::uint64_t offset) {
        const std::size_t from = pool_.index_of(piece.device());
        if (from != member_) wait_for_default_stream(context_, pool_.member(from).context());
        pool_.peers().copy_async(member_, gathered_.span().pointer() + offset * sizeof(T), from, piece.pointer(), piece.size_bytes(),
                                 context_.stream(), SourceLocation::current());
        if (from != member_) bytes_ += piece.size_bytes();
    }

    PoolState& pool_;
    const std::vector<DeviceSpan<const T>>& slices_;
    std::size_t number_;
    std::size_t member_;
    DeviceContext context_;
    std::uint64_t begin_ = 0;  ///< of the slice in the array
    std::uint64_t end_ = 0;
    std::uint64_t tile_ = 0;  ///< elements
    std::uint64_t first_tile_ = 0;
    std::uint64_t last_tile_ = 0;             ///< past the last that begins in the slice
    std::shared_ptr<ReduceScratch> scratch_;  ///< while work is under way
    DeviceBuffer<T> gathered_;
    std::uint64_t bytes_ = 0;
};

}  // namespace cupool::detail
