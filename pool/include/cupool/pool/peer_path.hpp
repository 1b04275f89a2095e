#pragma once

#include <cstddef>
#include <cupool/driver/device.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace cupool {

/// How bytes get from one device to another.
enum class PeerRoute {
    local,   ///< it is the same device
    direct,  ///< over a link or the bus
    staged,  ///< through page-locked host memory, in chunks
};

std::string_view to_string(PeerRoute route) noexcept;
std::ostream& operator<<(std::ostream& out, PeerRoute route);

/// The way between two devices; it is the same both ways.
struct PeerPath {
    int device = 0;                      ///< ordinals
    int peer = 0;                        ///< ordinal of the other device
    PeerRoute route = PeerRoute::local;  ///< how copies go
    /// What the driver says of the link; nothing where it is the same device, or the driver cannot say.
    std::optional<Device::PeerLink> link;
    /// Why it is staged; else empty.
    std::string why;
};

/// On one line.
std::string to_string(const PeerPath& path);
std::ostream& operator<<(std::ostream& out, const PeerPath& path);

/// How a PeerManager works.
struct PeerOptions {
    /// Of staged copies: bytes a chunk, and how many chunks there are for each direction of a pair. Two or more let both halves of the way
    /// go on at once.
    std::size_t chunk_bytes = std::size_t{4} << 20;
    std::size_t chunks = 4;  ///< for each direction of a pair
    /// Whether direct ways are taken where there are any.
    bool allows_direct = true;
};

}  // namespace cupool
