#pragma once

#include <array>
#include <cupool/driver/device_context.hpp>
#include <cupool/pool/peer_path.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "peers/staged_copy.hpp"

namespace cupool::detail {

/// Whether memory of a context's device is plain or from the context's memory pool: paths open no other to the peers.
/// \param context  as the pool has it
bool is_open_to_peers(abi::DevicePointer pointer, const DeviceContext& context);

/// The paths between the devices of a pool, by their indices in the pool: finds and opens each path on first use, and copies over it. The
/// implementation of PeerManager. Thread-safe.
class PeerPaths {
public:
    using ContextAt = std::function<const DeviceContext&(std::size_t index)>;

    /// \param ordinals  of the devices, by index
    PeerPaths(std::vector<int> ordinals, ContextAt context_at, PeerOptions options);

    /// Returns the path between two devices, and opens it if it is not open yet.
    PeerPath path(std::size_t first, std::size_t second);

    /// Copies over the best path, ordered on a stream of either device.
    void copy_async(std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer, std::size_t bytes,
                    StreamView stream, const SourceLocation& where);

    /// Waits for staged copies from one device to the other, even if waiting for the stream that they are ordered on fails.
    void await_staged(std::size_t from, std::size_t to) noexcept;

private:
    /// Two devices, in the order of their indices in the pool, and the path between them.
    struct Pair {
        std::mutex mutex;
        std::optional<PeerPath> path;
        /// Staged copies from the first to the second, and back; created on first use.
        std::array<std::unique_ptr<detail::StagedCopy>, 2> staged;
    };

    Pair& pair_of(std::size_t first, std::size_t second);
    StagedCopy& staged(std::size_t from, std::size_t to);
    PeerPath opened(std::size_t first, std::size_t second) const;
    std::string why_not_direct(const DeviceContext& one, const DeviceContext& other) const;

    std::vector<int> ordinals_;
    ContextAt context_at_;
    PeerOptions options_;
    /// A square, of which the half above the diagonal is used, and the diagonal.
    std::vector<std::unique_ptr<Pair>> pairs_;
};

}  // namespace cupool::detail
