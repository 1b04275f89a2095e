#include <cupool/driver/virtual_memory.hpp>
#include <utility>

#include "memory/device_memory.hpp"

namespace cupool {

using detail::call;
using detail::call_from_destructor;

namespace {

abi::PhysicalMemoryProperties on_device_of(ContextView context) {
    abi::PhysicalMemoryProperties properties{};
    properties.type = abi::MemoryAllocationType::pinned;
    properties.location = detail::location_of(context.ordinal());
    return properties;
}

}  // namespace

struct AddressRange::State {
    State(ContextView context, std::size_t own_bytes, const SourceLocation& where) : owner(context.share(where)), bytes(own_bytes) {}
    ~State() {
        if (pointer != 0) call_from_destructor<&EntryPoints::address_free>(driver(), ordinal(), pointer, bytes);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const Driver& driver() const { return owner->driver(); }
    int ordinal() const { return owner->device().ordinal(); }

    detail::Shared<const detail::ContextState> owner;
    abi::DevicePointer pointer = 0;
    std::size_t bytes;
};

std::size_t allocation_granularity(ContextView context, abi::AllocationGranularity kind, SourceLocation where) {
    detail::require_context(context, where);
    const abi::PhysicalMemoryProperties properties = on_device_of(context);
    std::size_t bytes = 0;
    call<&EntryPoints::memory_get_granularity>(context.driver(), context.ordinal(), where, &bytes, &properties, kind);
    return bytes;
}

AddressRange::AddressRange(ContextView context, std::size_t bytes, std::size_t alignment, SourceLocation where) {
    auto state = std::make_shared<State>(context, bytes, where);
    call<&EntryPoints::address_reserve>(context.driver(), context.ordinal(), where, &state->pointer, bytes, alignment,
                                        abi::DevicePointer{0}, 0ULL);
    state_ = std::move(state);
}

const AddressRange::State& AddressRange::state(const SourceLocation& where) const {
    if (state_ == nullptr) detail::throw_moved_from("the address range", where);
    return *state_;
}

abi::DevicePointer AddressRange::pointer(SourceLocation where) const { return state(where).pointer; }

std::size_t AddressRange::size_bytes(SourceLocation where) const { return state(where).bytes; }

int PhysicalMemory::device(SourceLocation where) const {
    if (!context_) detail::throw_moved_from("the physical memory", where);
    return context_->device().ordinal();
}

PhysicalMemory::PhysicalMemory(ContextView context, std::size_t bytes, PhysicalMemoryOptions options, SourceLocation where)
    : context_(context.share(where)), bytes_(bytes) {
    abi::PhysicalMemoryProperties properties = on_device_of(context);
    properties.requested_handle_types = detail::handle_type_of(options.is_shareable);
    call<&EntryPoints::memory_create>(context.driver(), context.ordinal(), where, &handle_, bytes, &properties, 0ULL);
}

PhysicalMemory PhysicalMemory::import_file_descriptor(ContextView context, int file_descriptor, std::size_t bytes, SourceLocation where) {
    detail::Shared<const detail::ContextState> owner = context.share(where);
    const Driver& driver = context.driver();
    void* const shared = detail::shared_handle_of(file_descriptor);
    abi::MemoryHandle handle = 0;
    call<&EntryPoints::memory_import>(driver, context.ordinal(), where, &handle, shared, abi::MemoryHandleType::posix_file_descriptor);
    PhysicalMemory memory(std::move(owner), handle, bytes);
    abi::PhysicalMemoryProperties properties{};
    call<&EntryPoints::memory_get_properties>(driver, context.ordinal(), where, &properties, handle);
    if (properties.location.id != context.ordinal())
        detail::throw_wrong_device("memory", properties.location.id, "a context", context, where);
    return memory;
}

int PhysicalMemory::export_file_descriptor(SourceLocation where) const {
    int file_descriptor = -1;
    const int ordinal = device(where);
    call<&EntryPoints::memory_export>(context_->driver(), ordinal, where, static_cast<void*>(&file_descriptor), handle_,
                                      abi::MemoryHandleType::posix_file_descriptor, 0ULL);
    return file_descriptor;
}

PhysicalMemory::PhysicalMemory(PhysicalMemory&& other) noexcept
    : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

PhysicalMemory& PhysicalMemory::operator=(PhysicalMemory&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        handle_ = std::exchange(other.handle_, 0);
        bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
}

void PhysicalMemory::release() noexcept {
    if (handle_ != 0) call_from_destructor<&EntryPoints::memory_release>(context_->driver(), context_->device().ordinal(), handle_);
}

MemoryMapping::MemoryMapping(const AddressRange& range, std::size_t offset, const PhysicalMemory& memory, SourceLocation where)
    : range_(range.state_), memory_context_(memory.context_), bytes_(memory.size_bytes()), device_(memory.device(where)) {
    if (offset > range.size_bytes(where) || bytes_ > range.size_bytes(where) - offset) {
        throw Error(ErrorCategory::invalid_argument,
                    "physical memory of " + std::to_string(bytes_) + " bytes does not fit at offset " + std::to_string(offset) +
                        " of a range of " + std::to_string(range.size_bytes(where)),
                    where);
    }
    call<&EntryPoints::memory_map>(range_->driver(), device_, where, range.pointer(where) + offset, bytes_, std::size_t{0}, memory.handle(),
                                   0ULL);
    pointer_ = range.pointer(where) + offset;
}

MemoryMapping::MemoryMapping(MemoryMapping&& other) noexcept
    : range_(std::move(other.range_)),
      memory_context_(std::move(other.memory_context_)),
      pointer_(std::exchange(other.pointer_, 0)),
      bytes_(std::exchange(other.bytes_, 0)),
      device_(other.device_) {}

MemoryMapping& MemoryMapping::operator=(MemoryMapping&& other) noexcept {
    if (this != &other) {
        release();
        range_ = std::move(other.range_);
        memory_context_ = std::move(other.memory_context_);
        pointer_ = std::exchange(other.pointer_, 0);
        bytes_ = std::exchange(other.bytes_, 0);
        device_ = other.device_;
    }
    return *this;
}

const Driver& MemoryMapping::driver(const SourceLocation& where) const {
    if (range_ == nullptr) detail::throw_moved_from("the mapping", where);
    return range_->driver();
}

void MemoryMapping::allow_access(int ordinal, abi::MemoryAccess access, SourceLocation where) const {
    const abi::MemoryAccessDescriptor descriptor{detail::location_of(ordinal), access};
    call<&EntryPoints::memory_set_access>(driver(where), ordinal, where, pointer_, bytes_, &descriptor, std::size_t{1});
}

abi::MemoryAccess MemoryMapping::access(int ordinal, SourceLocation where) const {
    const abi::MemoryLocation location = detail::location_of(ordinal);
    unsigned long long access = 0;
    call<&EntryPoints::memory_get_access>(driver(where), ordinal, where, &access, &location, pointer_);
    return static_cast<abi::MemoryAccess>(access);
}

namespace {

/// Waits for the work of the context. \return false if waiting is not allowed because a stream is
/// captured
bool has_awaited(ContextView context) noexcept {
    try {
        context.synchronize(SourceLocation{});
    } catch (const Error& error) {
        detail::log_current_exception();
        return error.code() != abi::Status::stream_capture_unsupported;
    } catch (...) {
        detail::log_current_exception();
    }
    return true;
}

}  // namespace

void MemoryMapping::release() noexcept {
    if (pointer_ == 0 || detail::must_leak()) return;
    try {
        // Leak without it: work that still uses the memory would fault.
        const CurrentContext current(memory_context_.get(), SourceLocation{});
        if (!has_awaited(memory_context_.get())) return;
        call_from_destructor<&EntryPoints::memory_unmap>(range_->driver(), device_, pointer_, bytes_);
    } catch (...) {
        detail::log_current_exception();
    }
}

}  // namespace cupool
