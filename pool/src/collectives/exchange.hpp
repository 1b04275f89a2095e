#pragma once

#include <cstddef>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/kernels/reduce.hpp>
#include <span>
#include <vector>

#include "collective/device_collective.hpp"
#include "peers/peer_paths.hpp"

namespace cupool::detail {

/// A device that takes part in a collective.
struct Participant {
    std::size_t member;     ///< index in the pool
    DeviceContext context;  ///< with the stream that the collective is ordered on
    Event* mark;            ///< for the order between the streams; nobody else's for the time being
};

/// An array of one collective.
struct PeerArray {
    std::size_t owner;  ///< participant on whose device it lies
    abi::DevicePointer pointer;

    PeerArray operator+(std::uint64_t bytes) const { return {owner, pointer + bytes}; }
};

/// Gives the work of one collective to its participants' streams: enter(), then copies and combinations by the workers, then leave().
///
/// Events order the streams. They are left out where the host orders them: a synchronous collective that finds all streams idle needs none.
class Exchange {
public:
    /// What went from one device to another.
    struct Transfer {
        std::size_t from;  ///< indices in the pool
        std::size_t to;
        std::uint64_t bytes;
    };

    /// \param chunk_bytes  of operands that are staged at once
    /// \param is_async     whether synchronize() is not called
    Exchange(std::vector<Participant> participants, PeerPaths& paths, std::size_t chunk_bytes, bool is_async)
        : participants_(std::move(participants)), paths_(paths), chunk_bytes_(chunk_bytes), is_async_(is_async) {}

    std::size_t size() const { return participants_.size(); }
    /// Whether one reaches the other's memory; opens the way.
    bool is_direct(std::size_t one, std::size_t other) const;
    /// Whether one reaches the memory of all.
    bool reaches_all(std::size_t one) const;

    /// Lets the workers' streams wait for what all streams were given so far. \param workers  participants, at least one
    void enter(std::span<const std::size_t> workers);
    /// Lets all streams wait for what the workers' streams were given so far, unless the host is about to.
    void leave(std::span<const std::size_t> workers);

    /// Work of a worker's stream. Either array may be anywhere.
    void copy(std::size_t worker, const PeerArray& to, const PeerArray& from, std::uint64_t bytes);
    /// Work of a worker's stream: copies an array to several, in their order. One kernel does it if the worker's device reaches all of them
    /// and they are small or lie alike relative to the kernels' vectors.
    void distribute(std::size_t worker, const PeerArray& from, const std::vector<PeerArray>& to, std::uint64_t bytes);
    /// Work of a worker's stream: see combine_peers(). \pre one of the outputs is the worker's
    void combine(std::size_t worker, PeerElement element, ReduceOperation operation, const std::vector<PeerArray>& inputs,
                 const std::vector<PeerArray>& outputs, std::uint64_t count);

    /// Waits for the streams that have work of the collective, or had other work before. \throws the failure of the first one that failed,
    /// all having been awaited
    void synchronize() const;
    /// Waits for everything under way, where something failed.
    void abandon() const noexcept;

    const std::vector<Transfer>& transfers() const { return transfers_; }

private:
    StreamView stream(std::size_t participant) const { return participants_[participant].context.stream(); }
    bool is_idle_beside(std::span<const std::size_t> workers) const;
    bool are_reached(std::size_t worker, const std::vector<PeerArray>& arrays) const;
    void await_all();
    void wait_for(std::size_t waiting, std::size_t other);
    void combine_staged(std::size_t worker, PeerElement element, ReduceOperation operation, const std::vector<PeerArray>& inputs,
                        const std::vector<PeerArray>& outputs, std::uint64_t count);
    void note_transfer(std::size_t from, std::size_t to, std::uint64_t bytes);

    std::vector<Participant> participants_;
    PeerPaths& paths_;
    std::size_t chunk_bytes_;
    bool is_async_;
    std::vector<std::size_t> awaited_;  ///< participants whose streams synchronize() waits for
    std::vector<Transfer> transfers_;
};

}  // namespace cupool::detail
