#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "agreement.hpp"
#include "rank_link.hpp"
#include "transfer_operand.hpp"

namespace cupool::detail {

/// A broadcast along a binomial tree of ranks, in chunks, each of which is passed on while the next one arrives.
class TreeBroadcast {
public:
    /// \param place  an operand of the kind that it is for: its memory is page-locked for one on a device
    TreeBroadcast(RankLink& link, const TransferOperand& place, std::size_t chunk_bytes);

    /// Called by all ranks. \param operand  read on the root, written on the others; of one size on all
    void run(const TransferOperand& operand, int root, FirstFailure& failure);

private:
    struct Slot {
        MessageMemory memory;
        RankLink::Pending arriving;
        std::vector<RankLink::Pending> leaving;
    };

    Slot& slot(std::size_t offset) { return slots_[offset / chunk_bytes_ % slots_.size()]; }
    MessageMemory part(std::size_t offset, std::size_t size);
    void expect(std::size_t offset, std::size_t size, int parent);
    void await_leaving(Slot& slot);

    RankLink& link_;
    std::size_t chunk_bytes_;
    std::array<Slot, 2> slots_;
};

}  // namespace cupool::detail
