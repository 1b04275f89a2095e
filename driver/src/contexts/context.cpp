#include <cupool/driver/context.hpp>
#include <ostream>

namespace cupool {

using detail::call;

namespace detail {

ContextState::ContextState(Device device, Kind kind) : device_(std::move(device)), kind_(kind) {}

ContextState::~ContextState() {
    if (handle_ == nullptr && green_handle_ == nullptr) return;
    if (kind_ == Kind::green) {
        call_from_destructor<&EntryPoints::green_context_destroy>(driver(), device_.ordinal(), green_handle_);
    } else if (kind_ == Kind::primary) {
        call_from_destructor<&EntryPoints::primary_context_release>(driver(), device_.ordinal(), device_.handle());
    } else {
        call_from_destructor<&EntryPoints::context_destroy>(driver(), device_.ordinal(), handle_);
    }
}

}  // namespace detail

ContextView::MemoryInfo ContextView::memory_info(SourceLocation where) const {
    MemoryInfo info{};
    detail::call_in<&EntryPoints::memory_get_info>(*this, where, &info.free, &info.total);
    return info;
}

void ContextView::synchronize(SourceLocation where) const { detail::call_in<&EntryPoints::context_synchronize>(*this, where); }

unsigned ContextView::flags(SourceLocation where) const {
    unsigned flags = 0;
    detail::call_in<&EntryPoints::context_get_flags>(*this, where, &flags);
    return flags;
}

void ContextView::set_flags(abi::ContextFlags flags, SourceLocation where) const {
    detail::call_in<&EntryPoints::context_set_flags>(*this, where, static_cast<unsigned>(flags));
}

std::size_t ContextView::limit(abi::ContextLimit limit, SourceLocation where) const {
    std::size_t value = 0;
    detail::call_in<&EntryPoints::context_get_limit>(*this, where, &value, limit);
    return value;
}

void ContextView::set_limit(abi::ContextLimit limit, std::size_t value, SourceLocation where) const {
    detail::call_in<&EntryPoints::context_set_limit>(*this, where, limit, value);
}

abi::CacheConfig ContextView::cache_config(SourceLocation where) const {
    auto config = abi::CacheConfig::none;
    detail::call_in<&EntryPoints::context_get_cache_config>(*this, where, &config);
    return config;
}

void ContextView::set_cache_config(abi::CacheConfig config, SourceLocation where) const {
    detail::call_in<&EntryPoints::context_set_cache_config>(*this, where, config);
}

std::uint64_t ContextView::id(SourceLocation where) const {
    detail::require_context(*this, where);
    unsigned long long id = 0;
    detail::call_in<&EntryPoints::context_get_id>(*this, where, handle(), &id);
    return id;
}

unsigned ContextView::api_version(SourceLocation where) const {
    detail::require_context(*this, where);
    unsigned version = 0;
    detail::call_in<&EntryPoints::context_get_api_version>(*this, where, handle(), &version);
    return version;
}

unsigned ContextView::multiprocessor_affinity(SourceLocation where) const {
    abi::ExecutionAffinity affinity{};
    detail::call_in<&EntryPoints::context_get_execution_affinity>(*this, where, &affinity,
                                                                  abi::ExecutionAffinityType::multiprocessor_count);
    return affinity.multiprocessor_count;
}

void ContextView::enable_peer_access(ContextView peer, SourceLocation where) const { try_enable_peer_access(peer, where); }

bool ContextView::try_enable_peer_access(ContextView peer, SourceLocation where) const {
    detail::require_context(peer, where);
    const CurrentContext current(*this, where);
    const abi::Status result = detail::invoke<&EntryPoints::context_enable_peer_access>(driver(), ordinal(), where, peer.handle(), 0U);
    if (result != abi::Status::success && result != abi::Status::peer_access_already_enabled) {
        detail::throw_failed_call(driver(), entry_point_info<&EntryPoints::context_enable_peer_access>, result, ordinal(), where,
                                  "cannot enable access to the memory of device " + std::to_string(peer.ordinal()));
    }
    return result == abi::Status::success;
}

std::string to_string(ContextView context) { return context ? "context of device " + std::to_string(context.ordinal()) : "no context"; }

std::ostream& operator<<(std::ostream& out, ContextView context) { return out << to_string(context); }

PrimaryContext PrimaryContext::retain(const Device& device, SourceLocation where) {
    detail::Shared state(new detail::ContextState(device, detail::ContextState::Kind::primary));
    abi::Context handle = nullptr;
    call<&EntryPoints::primary_context_retain>(*device.driver(), device.ordinal(), where, &handle, device.handle());
    state->own(handle);
    return PrimaryContext(std::move(state));
}

PrimaryContext::State PrimaryContext::state(const Device& device, SourceLocation where) {
    unsigned flags = 0;
    int active = 0;
    call<&EntryPoints::primary_context_get_state>(*device.driver(), device.ordinal(), where, device.handle(), &flags, &active);
    return {static_cast<abi::ContextFlags>(flags), active != 0};
}

void PrimaryContext::set_flags(const Device& device, abi::ContextFlags flags, SourceLocation where) {
    call<&EntryPoints::primary_context_set_flags>(*device.driver(), device.ordinal(), where, device.handle(), static_cast<unsigned>(flags));
}

void PrimaryContext::reset(const Device& device, SourceLocation where) {
    call<&EntryPoints::primary_context_reset>(*device.driver(), device.ordinal(), where, device.handle());
}

namespace {

/// Takes ownership of a context that a driver call has just created and pushed onto the stack of
/// the thread.
template <class Create>
detail::Shared<const detail::ContextState> own_created(const Device& device, const SourceLocation& where, Create create) {
    detail::Shared state(new detail::ContextState(device, detail::ContextState::Kind::created));
    abi::Context handle = nullptr;
    create(&handle);
    state->own(handle);
    abi::Context popped = nullptr;
    call<&EntryPoints::context_pop_current>(*device.driver(), device.ordinal(), where, &popped);
    return state;
}

}  // namespace

Context::Context(const Device& device, abi::ContextFlags flags, SourceLocation where)
    : state_(own_created(device, where, [&](abi::Context* handle) {
          call<&EntryPoints::context_create>(*device.driver(), device.ordinal(), where, handle, static_cast<unsigned>(flags),
                                             device.handle());
      })) {}

Context Context::with_multiprocessors(const Device& device, unsigned multiprocessors, abi::ContextFlags flags, SourceLocation where) {
    abi::ExecutionAffinity affinity{abi::ExecutionAffinityType::multiprocessor_count, multiprocessors};
    return Context(own_created(device, where, [&](abi::Context* handle) {
        call<&EntryPoints::context_create_with_affinity>(*device.driver(), device.ordinal(), where, handle, &affinity, 1,
                                                         static_cast<unsigned>(flags), device.handle());
    }));
}

}  // namespace cupool
