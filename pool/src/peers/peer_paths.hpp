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

/// The ways between the devices of a pool, which are counted as the pool counts them: finds each out when it is first asked about, opens
/// it, and copies over it. What PeerManager is made of. Thread-safe.
class PeerPaths {
public:
    using ContextAt = std::function<const DeviceContext&(std::size_t index)>;

    /// \param ordinals  of the devices, by index
    PeerPaths(std::vector<int> ordinals, ContextAt context_at, PeerOptions options);

    /// Opens it where nobody has.
    PeerPath path(std::size_t first, std::size_t second);

    /// Copies on the best way there is, ordered on a stream of either device.
    void copy_async(std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer, std::size_t bytes,
                    StreamView stream, const SourceLocation& where);

    /// Waits for what staged copies from the one device to the other are about, also where the stream they were ordered on cannot be
    /// awaited.
    void await_staged(std::size_t from, std::size_t to) noexcept;

private:
    /// Two devices in the order of their indices in the pool, and what has been found out about them.
    struct Pair {
        std::mutex mutex;
        std::optional<PeerPath> path;
        /// From the first to the second, and back; made when first needed.
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
