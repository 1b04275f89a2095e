#include "exchange.hpp"

#include <algorithm>
#include <cupool/driver/device_buffer.hpp>
#include <exception>
#include <numeric>

#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

constexpr std::uint64_t boundary = 16;    ///< of the kernels' vectors
constexpr std::uint64_t alignment = 256;  ///< of each array's room in the staging memory

/// Arrays that do not lie alike are copied byte by byte by a kernel. The driver copies larger ones faster.
constexpr std::uint64_t max_single_bytes = std::uint64_t{1} << 16;

/// Elements of a chunk: whole vectors where they fit.
std::uint64_t elements_a_chunk(std::size_t chunk_bytes, std::size_t element_bytes) {
    const std::uint64_t vectors = chunk_bytes / boundary;
    return std::max<std::uint64_t>(vectors * boundary / element_bytes, 1);
}

/// Room for the chunks of operands that a device does not reach.
class StagingMemory {
public:
    StagingMemory(std::size_t arrays, std::uint64_t bytes_an_array, const DeviceContext& context)
        : stride_((bytes_an_array + boundary + alignment - 1) / alignment * alignment), memory_(arrays * stride_, context) {}

    /// Where the array of that number has its place, as far past a 16-byte boundary as the one that it is a copy of.
    abi::DevicePointer place(std::size_t number, abi::DevicePointer original) {
        return memory_.span().pointer() + number * stride_ + original % boundary;
    }

private:
    std::uint64_t stride_;
    DeviceBuffer<std::byte> memory_;
};

}  // namespace

bool Exchange::is_direct(std::size_t one, std::size_t other) const {
    return paths_.path(participants_[one].member, participants_[other].member).route != PeerRoute::staged;
}

void Exchange::wait_for(std::size_t waiting, std::size_t other) {
    Event& mark = *participants_[other].mark;
    mark.record(stream(other));
    stream(waiting).wait(mark);
}

bool Exchange::reaches_all(std::size_t one) const {
    for (std::size_t other = 0; other < size(); ++other) {
        if (!is_direct(one, other)) return false;
    }
    return true;
}

/// Whether no worker has anything to wait for but the earlier work of its own stream.
bool Exchange::is_idle_beside(std::span<const std::size_t> workers) const {
    for (std::size_t participant = 0; participant < size(); ++participant) {
        if (workers.size() == 1 && workers.front() == participant) continue;
        if (!stream(participant).query()) return false;
    }
    return true;
}

bool Exchange::are_reached(std::size_t worker, const std::vector<PeerArray>& arrays) const {
    return std::all_of(arrays.begin(), arrays.end(), [&](const PeerArray& array) { return is_direct(worker, array.owner); });
}

// The first worker is the hub of all waiting: with N devices that takes 2 N waits, where each waiting for each would take N * N.
void Exchange::enter(std::span<const std::size_t> workers) {
    // A stream that is being captured must not be asked whether it is idle. Only asynchronous collectives can be captured.
    if (!is_async_ && size() > 1 && is_idle_beside(workers)) {
        awaited_.assign(workers.begin(), workers.end());
        return;
    }
    await_all();
    const std::size_t hub = workers.front();
    for (std::size_t other = 0; other < size(); ++other) {
        if (other != hub) wait_for(hub, other);
    }
    if (workers.size() == 1) return;
    participants_[hub].mark->record(stream(hub));
    for (const std::size_t worker : workers.subspan(1)) stream(worker).wait(*participants_[hub].mark);
}

void Exchange::leave(std::span<const std::size_t> workers) {
    if (!is_async_) return;
    const std::size_t hub = workers.front();
    for (const std::size_t worker : workers.subspan(1)) wait_for(hub, worker);
    if (size() == 1) return;
    participants_[hub].mark->record(stream(hub));
    for (std::size_t other = 0; other < size(); ++other) {
        if (other != hub) stream(other).wait(*participants_[hub].mark);
    }
}

void Exchange::await_all() {
    awaited_.resize(size());
    std::iota(awaited_.begin(), awaited_.end(), std::size_t{0});
}

void Exchange::copy(std::size_t worker, const PeerArray& to, const PeerArray& from, std::uint64_t bytes) {
    if (bytes == 0) return;
    await_all();  // the worker's stream need not tell that the other device failed in a staged copy
    paths_.copy_async(participants_[to.owner].member, to.pointer, participants_[from.owner].member, from.pointer, bytes, stream(worker),
                      SourceLocation::current());
    note_transfer(from.owner, to.owner, bytes);
}

void Exchange::distribute(std::size_t worker, const PeerArray& from, const std::vector<PeerArray>& to, std::uint64_t bytes) {
    if (bytes == 0 || to.empty()) return;
    const auto lies_alike = [&](const PeerArray& array) { return array.pointer % boundary == from.pointer % boundary; };
    const bool is_for_kernel = bytes <= max_single_bytes || std::all_of(to.begin(), to.end(), lies_alike);
    if (is_for_kernel && are_reached(worker, {from}) && are_reached(worker, to)) {
        return combine(worker, peer_element<std::uint8_t>(), ReduceOperation::sum, {from}, to, bytes);
    }
    PeerArray source = from;
    for (const PeerArray& target : to) {
        copy(worker, target, source, bytes);
        if (target.owner == worker) source = target;
    }
}

void Exchange::combine(std::size_t worker, PeerElement element, ReduceOperation operation, const std::vector<PeerArray>& inputs,
                       const std::vector<PeerArray>& outputs, std::uint64_t count) {
    if (count == 0) return;
    if (!are_reached(worker, inputs) || !are_reached(worker, outputs)) {
        return combine_staged(worker, element, operation, inputs, outputs, count);
    }
    std::vector<abi::DevicePointer> from;
    std::vector<abi::DevicePointer> to;
    for (const PeerArray& input : inputs) {
        from.push_back(input.pointer);
        note_transfer(input.owner, worker, count * element.bytes);
    }
    for (const PeerArray& output : outputs) {
        to.push_back(output.pointer);
        note_transfer(worker, output.owner, count * element.bytes);
    }
    combine_peers(element, operation, from, to, count, participants_[worker].context);
}

/// Chunk by chunk: brings the operands that the worker does not reach, combines, and copies its own output to where it does not reach.
void Exchange::combine_staged(std::size_t worker, PeerElement element, ReduceOperation operation, const std::vector<PeerArray>& inputs,
                              const std::vector<PeerArray>& outputs, std::uint64_t count) {
    const std::uint64_t chunk = std::min(count, elements_a_chunk(chunk_bytes_, element.bytes));
    const PeerArray own = *std::find_if(outputs.begin(), outputs.end(), [&](const PeerArray& output) { return output.owner == worker; });
    StagingMemory staging(inputs.size(), chunk * element.bytes, participants_[worker].context);
    for (std::uint64_t done = 0; done < count; done += chunk) {
        const std::uint64_t part = std::min(chunk, count - done);
        const std::uint64_t offset = done * element.bytes;
        std::vector<PeerArray> brought;
        std::vector<PeerArray> reached;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            brought.push_back(inputs[i] + offset);
            if (is_direct(worker, inputs[i].owner)) continue;
            const PeerArray place{worker, staging.place(i, brought[i].pointer)};
            copy(worker, place, brought[i], part * element.bytes);
            brought[i] = place;
        }
        for (const PeerArray& output : outputs) {
            if (is_direct(worker, output.owner)) reached.push_back(output + offset);
        }
        combine(worker, element, operation, brought, reached, part);
        for (const PeerArray& output : outputs) {
            if (!is_direct(worker, output.owner)) copy(worker, output + offset, own + offset, part * element.bytes);
        }
    }
}

void Exchange::synchronize() const {
    std::exception_ptr first;
    for (const std::size_t participant : awaited_) {
        try {
            stream(participant).synchronize();
        } catch (...) {
            if (!first) first = std::current_exception();
        }
    }
    if (!first) return;
    abandon();
    std::rethrow_exception(first);
}

void Exchange::abandon() const noexcept {
    for (const Participant& participant : participants_) {
        const SynchronizeOnExit wait(participant.context.stream());
        for (const Participant& other : participants_) {
            if (participant.member != other.member) paths_.await_staged(participant.member, other.member);
        }
    }
}

void Exchange::note_transfer(std::size_t from, std::size_t to, std::uint64_t bytes) {
    if (from != to) transfers_.push_back({participants_[from].member, participants_[to].member, bytes});
}

}  // namespace cupool::detail
