#pragma once

#include <cstddef>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/peer_path.hpp>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace cupool {

/// Finds and opens the paths between the devices of a pool, and copies over the best one. All members are thread-safe.
/// Copyable: copies share the same state, and keep the pool.
///
/// A pair of devices is opened when it is first used. If the devices have a path, each gets permanent access to the other's plain memory
/// and to the memory pool of its context. Then a **canary** is sent both ways, because there are machines where peer writes are lost
/// without an error. If it does not arrive, access is revoked, all copies of the pair are staged, and the log and path() say so.
///
/// A device fault in a copy latches in the pool, like every other. In a forked child every member throws forked, and after a move
/// from it wrong_context.
class PeerManager {
public:
    /// \throws Error unsupported on a host pool, invalid_argument (a chunk of no bytes, no chunk)
    explicit PeerManager(const DevicePool& pool, PeerOptions options = {}, SourceLocation where = SourceLocation::current());

    /// The pool whose devices it connects.
    const DevicePool& pool(SourceLocation where = SourceLocation::current()) const;

    /// The path between two devices of the pool, by their ordinals; opens it. Opening twice does nothing.
    /// \throws Error invalid_device if one is not in the pool, and what the driver reports
    PeerPath path(int device, int peer, SourceLocation where = SourceLocation::current()) const;
    /// Every pair of different devices, in the pool's order: opens them all.
    std::vector<PeerPath> paths(SourceLocation where = SourceLocation::current()) const;
    /// Whether kernels of one device can access the memory of another directly.
    bool can_access(int device, int peer, SourceLocation where = SourceLocation::current()) const {
        return path(device, peer, where).route != PeerRoute::staged;
    }

    /// Copies between two devices, ordered on a stream of either one.
    /// \throws Error invalid_argument if sizes differ, wrong_context (a stream of a third device), invalid_device (one that is not in the
    /// pool), device_fault
    template <class T>
    void copy_async(DeviceSpan<T> to, DeviceSpan<const std::type_identity_t<T>> from, StreamView stream,
                    SourceLocation where = SourceLocation::current()) const {
        static_assert(!std::is_const_v<T>, "cannot copy to a span of constants");
        if (detail::check_sizes(to.size(), from.size(), where)) {
            copy_bytes({to.pointer(), to.device()}, {from.pointer(), from.device()}, to.size_bytes(), stream, where);
        }
    }
    /// The same on the default stream of the source's device; returns when the copy is done.
    template <class T>
    void copy(DeviceSpan<T> to, DeviceSpan<const std::type_identity_t<T>> from, SourceLocation where = SourceLocation::current()) const {
        if (detail::check_sizes(to.size(), from.size(), where)) {
            const StreamView stream = pool(where).context(from.device(), where).stream(where);
            copy_async(to, from, stream, where);
            await(from.device(), to.device(), stream, where);
        }
    }

    /// Allocates an array with a name that every device of the pool can access at one address: in the memory of its home, or in managed
    /// memory if a device has no direct path there. Uninitialised. \param home  ordinal \throws Error invalid_argument if the name is
    /// taken, out_of_memory ...
    template <class T>
    DeviceSpan<T> create_buffer(const std::string& name, std::size_t count, int home,
                                SourceLocation where = SourceLocation::current()) const {
        create_named(name, detail::checked_size(count, sizeof(T), where), home, where);
        return buffer<T>(name, home, where);
    }
    /// The array of that name, for work of one device of the pool. \throws Error invalid_argument if there is none of that name, or its
    /// size is no multiple of sizeof(T); invalid_device
    template <class T>
    DeviceSpan<T> buffer(const std::string& name, int device, SourceLocation where = SourceLocation::current()) const {
        const Named found = named(name, sizeof(T), device, where);
        return {found.pointer, found.bytes / sizeof(T), device};
    }
    /// Frees the array of that name. Its users must have ended. \throws Error invalid_argument if there is none of that name
    void remove_buffer(const std::string& name, SourceLocation where = SourceLocation::current()) const;

private:
    class State;
    struct Place {
        abi::DevicePointer pointer;
        int device;
    };
    struct Named {
        abi::DevicePointer pointer;
        std::size_t bytes;
    };

    /// Called first by every member. \throws Error wrong_context if the manager was moved from, forked
    State& state(const SourceLocation& where) const;
    void copy_bytes(Place to, Place from, std::size_t bytes, StreamView stream, const SourceLocation& where) const;
    /// If waiting for the stream fails, waits for everything that uses the copy's memory before it throws: the memory must not be in use
    /// afterwards.
    void await(int from, int to, StreamView stream, const SourceLocation& where) const;
    void create_named(const std::string& name, std::size_t bytes, int home, const SourceLocation& where) const;
    Named named(const std::string& name, std::size_t element_bytes, int device, const SourceLocation& where) const;
    void guard(const std::function<void()>& function, const SourceLocation& where) const;

    std::shared_ptr<State> state_;
};

/// The matrix of paths(), one line for each pair.
std::string to_string(const PeerManager& peers, SourceLocation where = SourceLocation::current());
std::ostream& operator<<(std::ostream& out, const PeerManager& peers);

}  // namespace cupool
