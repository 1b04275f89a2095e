#include <cupool/pool/peer_path.hpp>
#include <ostream>

namespace cupool {

std::string_view to_string(PeerRoute route) noexcept {
    switch (route) {
        case PeerRoute::local: return "local";
        case PeerRoute::direct: return "direct";
        case PeerRoute::staged: return "staged";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, PeerRoute route) { return out << to_string(route); }

std::string to_string(const PeerPath& path) {
    std::string text = std::to_string(path.device) + " -> " + std::to_string(path.peer) + ": " + std::string(to_string(path.route));
    if (path.link) {
        text += ", rank " + std::to_string(path.link->performance_rank) + (path.link->native_atomics ? ", native atomics" : "");
    }
    return text + (path.why.empty() ? "" : " (" + path.why + ")");
}

std::ostream& operator<<(std::ostream& out, const PeerPath& path) { return out << to_string(path); }

}  // namespace cupool
