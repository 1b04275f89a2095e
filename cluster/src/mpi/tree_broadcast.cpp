#include "tree_broadcast.hpp"

#include <algorithm>

#include "tags.hpp"

namespace cupool::detail {

namespace {

/// A rank's place in the tree. Counted from the root, the parent of a rank is the number without its lowest bit.
struct Place {
    int parent = 0;
    std::vector<int> children;
};

Place place_of(int rank, int root, int size) {
    const int own = (rank - root + size) % size;
    const auto rank_of = [&](int number) { return (number + root) % size; };
    Place place;
    place.parent = rank_of(own & (own - 1));
    const int lowest_bit = own == 0 ? size : own & -own;
    for (int bit = 1; bit < lowest_bit && own + bit < size; bit *= 2) place.children.push_back(rank_of(own + bit));
    std::reverse(place.children.begin(), place.children.end());  // first those with most ranks behind them
    return place;
}

}  // namespace

TreeBroadcast::TreeBroadcast(RankLink& link, const TransferOperand& place, std::size_t chunk_bytes)
    : link_(link), chunk_bytes_(std::max<std::size_t>(chunk_bytes, 1)) {
    for (Slot& slot : slots_) slot.memory = place.chunk_memory(chunk_bytes_);
}

void TreeBroadcast::run(const TransferOperand& operand, int root, FirstFailure& failure) {
    const bool is_root = link_.rank() == root;
    const Place place = place_of(link_.rank(), root, link_.size());
    const std::size_t size = operand.size();
    if (!is_root) expect(0, size, place.parent);
    for (std::size_t offset = 0; offset < size; offset += chunk_bytes_) {
        MessageMemory chunk = part(offset, size);
        if (is_root) {
            await_leaving(slot(offset));
            failure.guard([&] { chunk = operand.outgoing(offset, chunk); });
        } else {
            expect(offset + chunk_bytes_, size, place.parent);
            link_.wait(slot(offset).arriving);
        }
        for (const int child : place.children) slot(offset).leaving.push_back(link_.send(chunk, child, tags::data));
        if (!is_root) failure.guard([&] { operand.write(offset, chunk); });
    }
    for (Slot& slot : slots_) await_leaving(slot);
}

MessageMemory TreeBroadcast::part(std::size_t offset, std::size_t size) {
    return slot(offset).memory.part(0, std::min(chunk_bytes_, size - offset));
}

void TreeBroadcast::expect(std::size_t offset, std::size_t size, int parent) {
    if (offset >= size) return;
    await_leaving(slot(offset));
    slot(offset).arriving = link_.receive(part(offset, size), parent, tags::data);
}

void TreeBroadcast::await_leaving(Slot& slot) {
    link_.wait_all(slot.leaving);
    slot.leaving.clear();
}

}  // namespace cupool::detail
