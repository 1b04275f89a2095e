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

/// What every owner of something in a context shares: the context lives until the last of them is gone.
class ContextState : public ReferenceCounted {
public:
    enum class Kind { primary, created, green };

    /// Owns no context yet: made first, so that none is lost where there is no memory for its owner.
    ContextState(Device device, Kind kind);
    ~ContextState() override;
    ContextState(const ContextState&) = delete;
    ContextState& operator=(const ContextState&) = delete;

    const Driver& driver() const noexcept { return *device_.driver(); }
    const Device& device() const noexcept { return device_; }
    abi::Context handle() const noexcept { return handle_; }
    void own(abi::Context handle) noexcept { handle_ = handle; }
    /// Null but for a green context, which owns the context that stands for it.
    abi::GreenContext green_handle() const noexcept { return green_handle_; }
    void own(abi::GreenContext handle) noexcept { green_handle_ = handle; }

private:
    Device device_;
    Kind kind_;
    abi::Context handle_ = nullptr;
    abi::GreenContext green_handle_ = nullptr;
};

}  // namespace detail

/// A context that someone else owns. Trivially copyable; must not outlive its owner, but owners made from it (streams, buffers, modules)
/// keep the context alive by themselves.
class ContextView {
public:
    ContextView() = default;
    ContextView(const detail::ContextState* state) noexcept : state_(state) {}  // NOLINT(google-explicit-constructor)

    /// Whether there is a context at all.
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// The driver that made it.
    const Driver& driver() const noexcept { return state_->driver(); }
    /// The device that it is of.
    const Device& device() const noexcept { return state_->device(); }
    /// -1 where there is no context.
    int ordinal() const noexcept { return state_ != nullptr ? device().ordinal() : detail::no_ordinal; }
    /// The driver's own handle.
    abi::Context handle() const noexcept { return state_->handle(); }
    /// Null but for a green context.
    abi::GreenContext green_handle() const noexcept { return state_->green_handle(); }

    /// How much memory there is.
    struct MemoryInfo {
        std::size_t free;   ///< bytes that can still be allocated
        std::size_t total;  ///< bytes on the device
    };
    /// How much of the device's memory is free, whoever uses the rest.
    MemoryInfo memory_info(SourceLocation where = SourceLocation::current()) const;

    /// Waits for all work of the context.
    void synchronize(SourceLocation where = SourceLocation::current()) const;

    /// A bit set of abi::ContextFlags, with bits that this build may not know.
    unsigned flags(SourceLocation where = SourceLocation::current()) const;
    /// Those that can change: not how its threads wait. \throws Error unsupported before CUDA 12.1
    void set_flags(abi::ContextFlags flags, SourceLocation where = SourceLocation::current()) const;
    /// What a limit is set to. \throws Error unsupported where the device has no such limit
    std::size_t limit(abi::ContextLimit limit, SourceLocation where = SourceLocation::current()) const;
    /// The driver may round it, or grant less. \throws Error unsupported where the device has no such limit
    void set_limit(abi::ContextLimit limit, std::size_t value, SourceLocation where = SourceLocation::current()) const;
    /// What kernels that say nothing themselves prefer, where first-level cache and shared memory are one.
    abi::CacheConfig cache_config(SourceLocation where = SourceLocation::current()) const;
    /// Sets what cache_config() tells.
    void set_cache_config(abi::CacheConfig config, SourceLocation where = SourceLocation::current()) const;
    /// A number that no other context of the process has had. \throws Error unsupported before CUDA 12.0
    std::uint64_t id(SourceLocation where = SourceLocation::current()) const;
    /// The version of the interface that the context was made by; 3020 is 3.2.
    unsigned api_version(SourceLocation where = SourceLocation::current()) const;

    /// How many multiprocessors its work may use: all, but where it was made with_multiprocessors(). \throws Error unsupported before CUDA
    /// 11.4
    unsigned multiprocessor_affinity(SourceLocation where = SourceLocation::current()) const;

    /// Lets this context's kernels and copies reach the peer's plain allocations; nothing happens where they already can.
    /// Memory of pools needs MemoryPoolView::allow_access besides.
    /// \throws Error unsupported where there is no path between the devices
    void enable_peer_access(ContextView peer, SourceLocation where = SourceLocation::current()) const;
    /// The same. \return whether it could not before; see PeerAccess for access that ends
    bool try_enable_peer_access(ContextView peer, SourceLocation where = SourceLocation::current()) const;

    /// Shared ownership of the context. \throws Error wrong_context where there is none
    detail::Shared<const detail::ContextState> share(const SourceLocation& where = SourceLocation::current()) const {
        if (state_ == nullptr) [[unlikely]] {
            detail::throw_no_context(detail::copy_of(where));
        }
        return detail::Shared<const detail::ContextState>(state_);
    }

    /// What keeps the context alive; null where there is none.
    const detail::ReferenceCounted* kept() const noexcept { return state_; }

    friend bool operator==(ContextView left, ContextView right) noexcept {
        return left.state_ == right.state_ || (left.state_ && right.state_ && left.handle() == right.handle());
    }

private:
    const detail::ContextState* state_ = nullptr;
};

std::string to_string(ContextView context);
std::ostream& operator<<(std::ostream& out, ContextView context);

/// A device's primary context, which the runtime API's libraries use too, retained. Move-only.
/// The first retain in a process creates it, which takes about 0.1 s; the last release destroys it.
class PrimaryContext {
public:
    /// \throws Error whatever the driver answers
    static PrimaryContext retain(const Device& device, SourceLocation where = SourceLocation::current());

    /// What the driver tells of a primary context.
    struct State {
        /// What it is, or will be, made with.
        abi::ContextFlags flags;
        bool active;  ///< somebody has retained it
    };
    /// Whether somebody has it, and with what flags it is made.
    static State state(const Device& device, SourceLocation where = SourceLocation::current());
    /// How threads wait for the device, and more: for when it is made, and at once where it is active.
    static void set_flags(const Device& device, abi::ContextFlags flags, SourceLocation where = SourceLocation::current());
    /// Destroys it under everybody who has retained it, with all that it owns: for programs that alone use the device, at an end of theirs.
    /// Objects of cupool's that are in it are dead from then on. Does not help after a device fault.
    static void reset(const Device& device, SourceLocation where = SourceLocation::current());

    PrimaryContext(PrimaryContext&&) noexcept = default;
    PrimaryContext& operator=(PrimaryContext&&) noexcept = default;

    /// What does not own it.
    ContextView view() const noexcept { return state_.get(); }
    operator ContextView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

private:
    explicit PrimaryContext(detail::Shared<const detail::ContextState> state) : state_(std::move(state)) {}

    detail::Shared<const detail::ContextState> state_;
};

/// A context of its own, apart from the device's primary one. Move-only. Creating it leaves the thread's current context as it was.
class Context {
public:
    /// \throws Error whatever the driver answers
    explicit Context(const Device& device, abi::ContextFlags flags = abi::ContextFlags::schedule_auto,
                     SourceLocation where = SourceLocation::current());

    /// One whose work may use at most so many of the device's multiprocessors, as clients of MPS can have them: see also GreenContext,
    /// which needs no MPS. \throws Error unsupported before CUDA 11.4 and where Device::supports_multiprocessor_affinity() says no
    static Context with_multiprocessors(const Device& device, unsigned multiprocessors,
                                        abi::ContextFlags flags = abi::ContextFlags::schedule_auto,
                                        SourceLocation where = SourceLocation::current());

    Context(Context&&) noexcept = default;
    Context& operator=(Context&&) noexcept = default;

    /// What does not own it.
    ContextView view() const noexcept { return state_.get(); }
    operator ContextView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor)

private:
    explicit Context(detail::Shared<const detail::ContextState> state) : state_(std::move(state)) {}

    detail::Shared<const detail::ContextState> state_;
};

namespace detail {

/// Whether the driver may be called and the context is the thread's current one, as most calls find it: one call of the driver.
/// \param told  gets what the driver answered \pre there is a context
inline bool is_current(ContextView context, abi::Status& told) noexcept {
    told = abi::Status::success;
    if (must_leak()) [[unlikely]] {
        return false;
    }
    abi::Context current = nullptr;
    told = context.driver().api().context_get_current(&current);
    return current == context.handle();
}

/// Throws what the driver answered instead of telling the current context.
inline void require_told(ContextView context, abi::Status told, const SourceLocation& where) {
    if (told != abi::Status::success) [[unlikely]] {
        throw_failed_call(context.driver(), entry_point_info<&EntryPoints::context_get_current>, told, context.ordinal(), copy_of(where));
    }
}

/// What context the thread has. \throws Error wrong_context where there is no context to make current instead, and what call() throws
inline abi::Context find_current(ContextView context, const SourceLocation& where) {
    if (!context) [[unlikely]] {
        throw_no_context(copy_of(where));
    }
    abi::Context current = nullptr;
    call<&EntryPoints::context_get_current>(context.driver(), context, where, &current);
    return current;
}

}  // namespace detail

/// Makes a context the calling thread's current one for a scope, and restores what was there. Costs one cheap call where it already is.
/// Everything in cupool does this by itself; programs need it around calls of other libraries.
class CurrentContext {
public:
    explicit CurrentContext(ContextView context, const SourceLocation& where = SourceLocation::current())
        : CurrentContext(context, detail::find_current(context, where), where) {}
    /// \param previous  the thread's context, where that is known
    CurrentContext(ContextView context, abi::Context previous, const SourceLocation& where) : context_(context), previous_(previous) {
        if (previous_ != context.handle()) {
            detail::call<&EntryPoints::context_set_current>(context.driver(), context, where, context.handle());
        }
    }
    ~CurrentContext() {
        if (previous_ != context_.handle()) {
            detail::call_from_destructor<&EntryPoints::context_set_current>(context_.driver(), context_.ordinal(), previous_);
        }
    }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

private:
    ContextView context_;
    abi::Context previous_;
};

namespace detail {

/// invoke() where another context is current, or what is could not be told.
template <auto Member, class... Arguments>
[[gnu::noinline, gnu::cold]] abi::Status invoke_elsewhere(ContextView context, abi::Status told, SourceLocation where,
                                                          Arguments... arguments) {
    require_told(context, told, where);
    const CurrentContext current(context, where);
    return invoke<Member>(context.driver(), context, where, arguments...);
}

/// invoke() with the context current.
template <auto Member, class... Arguments>
inline abi::Status invoke_in(ContextView context, const SourceLocation& where, Arguments... arguments) {
    if (!context) [[unlikely]] {
        throw_no_context(copy_of(where));
    }
    abi::Status told;
    if (!is_current(context, told) || (may_be_missing<Member> && context.driver().api().*Member == nullptr)) [[unlikely]] {
        return invoke_elsewhere<Member>(context, told, copy_of(where), arguments...);
    }
    return (context.driver().api().*Member)(arguments...);
}

/// \throws Error wrong_context where there is no context
inline void require_context(ContextView context, const SourceLocation& where) {
    if (!context) [[unlikely]] {
        throw_no_context(copy_of(where));
    }
}

/// Throws the Error for an answer of a call in the context.
[[noreturn]] void throw_failed_call_in(ContextView context, const EntryPointInfo& entry_point, abi::Status result, SourceLocation where);

/// Throws the Error for an answer that is no success.
template <auto Member>
inline void require_success(abi::Status result, ContextView context, const SourceLocation& where) {
    if (result != abi::Status::success) [[unlikely]] {
        throw_failed_call_in(context, entry_point_info<Member>, result, copy_of(where));
    }
}

/// call() with the context current.
template <auto Member, class... Arguments>
inline void call_in(ContextView context, const SourceLocation& where, Arguments... arguments) {
    require_success<Member>(invoke_in<Member>(context, where, arguments...), context, where);
}

/// call_from_destructor() with the context current, or without where the driver refuses that: most things can be destroyed even so.
template <auto Member, class... Arguments>
inline void destroy_in(ContextView context, Arguments... arguments) noexcept {
    if (must_leak()) {
        return;
    }
    std::optional<CurrentContext> current;
    try {
        current.emplace(context, SourceLocation{});
    } catch (...) {
        log_current_exception();
    }
    call_from_destructor<Member>(context.driver(), context.ordinal(), arguments...);
}

/// Throws wrong_context, naming both devices. \param what  the object, \param user  what it was given to
[[noreturn]] void throw_wrong_device(const char* what, int ordinal, const char* user, int user_ordinal, const SourceLocation& where);
/// The same. \param context  that of the object \param user_context  that of what it was given to
[[noreturn]] void throw_wrong_device(const char* what, int ordinal, const char* user, ContextView user_context,
                                     const SourceLocation& where);
[[noreturn]] void throw_wrong_device(const char* what, ContextView context, const char* user, ContextView user_context,
                                     const SourceLocation& where);

}  // namespace detail

}  // namespace cupool
