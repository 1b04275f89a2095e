#pragma once

#include <cstdint>
#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/detail/shared.hpp>
#include <cupool/driver/device.hpp>
#include <iosfwd>
#include <optional>
#include <string>

namespace cupool {

namespace detail {

[[noreturn]] void throw_no_context(const SourceLocation& where);

/// The state of a context that all owners of objects in it share: the context lives until the last
/// of them is gone.
class ContextState : public ReferenceCounted {
public:
    enum class Kind { primary, created, green };

    /// Owns no context yet: it is constructed first, so that no context leaks if there is no memory
    /// for its owner.
    ContextState(Device device, Kind kind);
    ~ContextState() override;
    ContextState(const ContextState&) = delete;
    ContextState& operator=(const ContextState&) = delete;

    const Driver& driver() const noexcept { return *device_.driver(); }
    const Device& device() const noexcept { return device_; }
    abi::Context handle() const noexcept { return handle_; }
    void own(abi::Context handle) noexcept { handle_ = handle; }
    /// Null except for a green context, which owns the context that represents it.
    abi::GreenContext green_handle() const noexcept { return green_handle_; }
    void own(abi::GreenContext handle) noexcept { green_handle_ = handle; }

private:
    Device device_;
    Kind kind_;
    abi::Context handle_ = nullptr;
    abi::GreenContext green_handle_ = nullptr;
};

}  // namespace detail

/// A non-owning view of a context. Trivially copyable. It must not outlive the owner, but streams,
/// buffers, modules and other owners created from it keep the context alive.
class ContextView {
public:
    ContextView() = default;
    ContextView(const detail::ContextState* state) noexcept : state_(state) {}  // NOLINT(google-explicit-constructor)

    /// Whether there is a context.
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// The driver of the context.
    const Driver& driver() const noexcept { return state_->driver(); }
    /// The device of the context.
    const Device& device() const noexcept { return state_->device(); }
    /// The ordinal of the device; -1 if there is no context.
    int ordinal() const noexcept { return state_ != nullptr ? device().ordinal() : detail::no_ordinal; }
    /// The handle of the driver.
    abi::Context handle() const noexcept { return state_->handle(); }
    /// The handle of a green context; null for other contexts.
    abi::GreenContext green_handle() const noexcept { return state_->green_handle(); }

    /// The memory of a device.
    struct MemoryInfo {
        std::size_t free;   ///< bytes that can still be allocated
        std::size_t total;  ///< bytes on the device
    };
    /// The free and total memory of the device; the rest may be in use by any process.
    MemoryInfo memory_info(SourceLocation where = SourceLocation::current()) const;

    /// Waits for all work of the context. \throws Error the failure of that work, such as
    /// device_fault
    void synchronize(SourceLocation where = SourceLocation::current()) const;

    /// A bit set of abi::ContextFlags; it may have bits that this build does not know.
    unsigned flags(SourceLocation where = SourceLocation::current()) const;
    /// Sets the flags that can change, which exclude the scheduling policy. \throws Error
    /// unsupported before CUDA 12.1
    void set_flags(abi::ContextFlags flags, SourceLocation where = SourceLocation::current()) const;
    /// The value of a limit. \throws Error unsupported if the device has no such limit
    std::size_t limit(abi::ContextLimit limit, SourceLocation where = SourceLocation::current()) const;
    /// Sets a limit; the driver may round it or grant less. \throws Error unsupported if the device
    /// has no such limit
    void set_limit(abi::ContextLimit limit, std::size_t value, SourceLocation where = SourceLocation::current()) const;
    /// The preferred split between L1 cache and shared memory for kernels without a preference of
    /// their own.
    abi::CacheConfig cache_config(SourceLocation where = SourceLocation::current()) const;
    /// Sets the value of cache_config().
    void set_cache_config(abi::CacheConfig config, SourceLocation where = SourceLocation::current()) const;
    /// A number that is unique among all contexts of the process. \throws Error unsupported before
    /// CUDA 12.0
    std::uint64_t id(SourceLocation where = SourceLocation::current()) const;
    /// The version of the interface by which the context was created; 3020 is 3.2.
    unsigned api_version(SourceLocation where = SourceLocation::current()) const;

    /// The number of multiprocessors that its work may use: all, except in a context of
    /// with_multiprocessors(). \throws Error unsupported before CUDA 11.4
    unsigned multiprocessor_affinity(SourceLocation where = SourceLocation::current()) const;

    /// Lets kernels and copies of this context access the plain allocations of the peer; no effect
    /// if they already can. Memory of pools also needs MemoryPoolView::allow_access.
    /// \throws Error unsupported if there is no path between the devices
    void enable_peer_access(ContextView peer, SourceLocation where = SourceLocation::current()) const;
    /// The same. \return whether this call enabled the access; see PeerAccess for access that ends
    bool try_enable_peer_access(ContextView peer, SourceLocation where = SourceLocation::current()) const;

    /// Shared ownership of the context. \throws Error wrong_context if there is none
    detail::Shared<const detail::ContextState> share(const SourceLocation& where = SourceLocation::current()) const {
        if (state_ == nullptr) [[unlikely]]
            detail::throw_no_context(detail::copy_of(where));
        return detail::Shared<const detail::ContextState>(state_);
    }

    /// The object that keeps the context alive; null if there is none.
    const detail::ReferenceCounted* kept() const noexcept { return state_; }

    friend bool operator==(ContextView left, ContextView right) noexcept {
        return left.state_ == right.state_ || (left.state_ && right.state_ && left.handle() == right.handle());
    }

private:
    const detail::ContextState* state_ = nullptr;
};

std::string to_string(ContextView context);
std::ostream& operator<<(std::ostream& out, ContextView context);

/// Retains the primary context of a device, which libraries on the runtime API also use. Move-only.
/// The first retain in a process creates the context, which takes about 0.1 s; the last release
/// destroys it.
class PrimaryContext {
public:
    /// \throws Error any failure of the driver call
    static PrimaryContext retain(const Device& device, SourceLocation where = SourceLocation::current());

    /// The state of a primary context.
    struct State {
        /// The flags of its present or future creation.
        abi::ContextFlags flags;
        bool active;  ///< whether it is retained
    };
    /// Queries whether the primary context is retained, and its flags.
    static State state(const Device& device, SourceLocation where = SourceLocation::current());
    /// Sets the flags, which apply to an active context at once and otherwise to its creation.
    static void set_flags(const Device& device, abi::ContextFlags flags, SourceLocation where = SourceLocation::current());
    /// Destroys the context with everything in it, even if other owners retain it. Only for programs
    /// that are the only users of the device. Objects of cupool in the context become invalid. It
    /// does not help after a device fault.
    static void reset(const Device& device, SourceLocation where = SourceLocation::current());

    PrimaryContext(PrimaryContext&&) noexcept = default;
    PrimaryContext& operator=(PrimaryContext&&) noexcept = default;

    /// A non-owning view.
    ContextView view() const noexcept { return state_.get(); }
    operator ContextView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

private:
    explicit PrimaryContext(detail::Shared<const detail::ContextState> state) : state_(std::move(state)) {}

    detail::Shared<const detail::ContextState> state_;
};

/// A context that is separate from the primary context of the device. Move-only. Its creation does
/// not change the current context of the thread.
class Context {
public:
    /// \throws Error any failure of the driver call
    explicit Context(const Device& device, abi::ContextFlags flags = abi::ContextFlags::schedule_auto,
                     SourceLocation where = SourceLocation::current());

    /// A context whose work may use at most this many multiprocessors, for clients of MPS.
    /// GreenContext needs no MPS. \throws Error unsupported before CUDA 11.4, or if
    /// Device::supports_multiprocessor_affinity() is false
    static Context with_multiprocessors(const Device& device, unsigned multiprocessors,
                                        abi::ContextFlags flags = abi::ContextFlags::schedule_auto,
                                        SourceLocation where = SourceLocation::current());

    Context(Context&&) noexcept = default;
    Context& operator=(Context&&) noexcept = default;

    /// A non-owning view.
    ContextView view() const noexcept { return state_.get(); }
    operator ContextView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor)

private:
    explicit Context(detail::Shared<const detail::ContextState> state) : state_(std::move(state)) {}

    detail::Shared<const detail::ContextState> state_;
};

namespace detail {

/// Whether the driver may be called and the context is the current one of the thread, which is the
/// common case. Makes one driver call. \param query_status  gets the status of that query \pre there is a
/// context
inline bool is_current(ContextView context, abi::Status& query_status) noexcept {
    query_status = abi::Status::success;
    if (must_leak()) [[unlikely]]
        return false;
    abi::Context current = nullptr;
    query_status = context.driver().api().context_get_current(&current);
    return current == context.handle();
}

/// Throws the failure of the query of the current context.
inline void require_query(ContextView context, abi::Status query_status, const SourceLocation& where) {
    if (query_status != abi::Status::success) [[unlikely]] {
        throw_failed_call(context.driver(), entry_point_info<&EntryPoints::context_get_current>, query_status, context.ordinal(),
                          copy_of(where));
    }
}

/// The current context of the thread. \throws Error wrong_context if there is no context to make
/// current instead, and what call() throws
inline abi::Context find_current(ContextView context, const SourceLocation& where) {
    if (!context) [[unlikely]]
        throw_no_context(copy_of(where));
    abi::Context current = nullptr;
    call<&EntryPoints::context_get_current>(context.driver(), context, where, &current);
    return current;
}

}  // namespace detail

/// Makes a context the current one of the calling thread for a scope and restores the previous one.
/// If it already is, this costs one cheap driver call. All functions of cupool do this by
/// themselves; programs need it around calls of other libraries.
class CurrentContext {
public:
    explicit CurrentContext(ContextView context, const SourceLocation& where = SourceLocation::current())
        : CurrentContext(context, detail::find_current(context, where), where) {}
    /// \param previous  the current context of the thread
    CurrentContext(ContextView context, abi::Context previous, const SourceLocation& where) : context_(context), previous_(previous) {
        if (previous_ != context.handle())
            detail::call<&EntryPoints::context_set_current>(context.driver(), context, where, context.handle());
    }
    ~CurrentContext() {
        if (previous_ != context_.handle())
            detail::call_from_destructor<&EntryPoints::context_set_current>(context_.driver(), context_.ordinal(), previous_);
    }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

private:
    ContextView context_;
    abi::Context previous_;
};

namespace detail {

/// invoke() for the case that another context is current, or that the query of the current context
/// failed.
template <auto Member, class... Arguments>
[[gnu::noinline, gnu::cold]] abi::Status invoke_elsewhere(ContextView context, abi::Status query_status, SourceLocation where,
                                                          Arguments... arguments) {
    require_query(context, query_status, where);
    const CurrentContext current(context, where);
    return invoke<Member>(context.driver(), context, where, arguments...);
}

/// invoke() with the context current.
template <auto Member, class... Arguments>
inline abi::Status invoke_in(ContextView context, const SourceLocation& where, Arguments... arguments) {
    if (!context) [[unlikely]]
        throw_no_context(copy_of(where));
    abi::Status query_status;
    if (!is_current(context, query_status) || (may_be_missing<Member> && context.driver().api().*Member == nullptr)) [[unlikely]]
        return invoke_elsewhere<Member>(context, query_status, copy_of(where), arguments...);
    return (context.driver().api().*Member)(arguments...);
}

/// \throws Error wrong_context if there is no context
inline void require_context(ContextView context, const SourceLocation& where) {
    if (!context) [[unlikely]]
        throw_no_context(copy_of(where));
}

/// Throws the Error for the status of a call in the context.
[[noreturn]] void throw_failed_call_in(ContextView context, const EntryPointInfo& entry_point, abi::Status result, SourceLocation where);

/// Throws the Error for every status but success.
template <auto Member>
inline void require_success(abi::Status result, ContextView context, const SourceLocation& where) {
    if (result != abi::Status::success) [[unlikely]]
        throw_failed_call_in(context, entry_point_info<Member>, result, copy_of(where));
}

/// call() with the context current.
template <auto Member, class... Arguments>
inline void call_in(ContextView context, const SourceLocation& where, Arguments... arguments) {
    require_success<Member>(invoke_in<Member>(context, where, arguments...), context, where);
}

/// call_from_destructor() with the context current. If it cannot be made current, the call happens
/// without, because most objects can be destroyed even so.
template <auto Member, class... Arguments>
inline void destroy_in(ContextView context, Arguments... arguments) noexcept {
    if (must_leak()) return;
    std::optional<CurrentContext> current;
    try {
        current.emplace(context, SourceLocation{});
    } catch (...) {
        log_current_exception();
    }
    call_from_destructor<Member>(context.driver(), context.ordinal(), arguments...);
}

/// Throws wrong_context with the names of both devices. \param what  the object \param user  the
/// object that it was passed to
[[noreturn]] void throw_wrong_device(const char* what, int ordinal, const char* user, int user_ordinal, const SourceLocation& where);
/// The same. \param context  that of the object \param user_context  that of the object that it was
/// passed to
[[noreturn]] void throw_wrong_device(const char* what, int ordinal, const char* user, ContextView user_context,
                                     const SourceLocation& where);
[[noreturn]] void throw_wrong_device(const char* what, ContextView context, const char* user, ContextView user_context,
                                     const SourceLocation& where);

}  // namespace detail

}  // namespace cupool
