#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/log.hpp>

namespace cupool::detail {

void throw_size_overflow(std::size_t count, std::size_t size, const SourceLocation& where) {
    throw Error(ErrorCategory::invalid_argument,
                std::to_string(count) + " elements of " + std::to_string(size) + " bytes are more bytes than can be counted", where);
}

namespace {

/// Waits for pending frees of the context's streams and makes the device's pool release unused
/// memory.
/// \return whether that may help an allocation of this many bytes
bool reclaim_memory(ContextView context, std::size_t bytes) {
    const EntryPoints& api = context.driver().api();
    ContextView::MemoryInfo info{};
    if (api.memory_get_info(&info.free, &info.total) != abi::Status::success || bytes > info.total) return false;
    if (api.context_synchronize() != abi::Status::success) return false;
    abi::MemoryPool pool = nullptr;
    if (api.device_get_default_memory_pool != nullptr &&
        api.device_get_default_memory_pool(&pool, context.device().handle()) == abi::Status::success) {
        api.memory_pool_trim_to(pool, 0);  // if it fails, the allocation fails again
    }
    return true;
}

/// Allocates again if memory can be reclaimed after a failure, or throws an Error with the
/// requested and the available size.
/// \param result  the status of the first attempt, in the context
template <auto Member, class... Arguments>
void retry_allocation(ContextView context, abi::Status result, std::size_t bytes, const SourceLocation& where, Arguments... arguments) {
    if (result == abi::Status::out_of_memory && reclaim_memory(context, bytes)) {
        log(LogLevel::info, std::string(entry_point_info<Member>.base) + " was out of memory for " + std::to_string(bytes) +
                                " bytes; trying once more, as what the device's pool kept unused has been given back");
        result = invoke<Member>(context.driver(), context.ordinal(), where, arguments...);
    }
    if (result == abi::Status::success) return;
    std::string message = "cannot allocate " + std::to_string(bytes) + " bytes";
    ContextView::MemoryInfo info{};
    if (result == abi::Status::out_of_memory && context.driver().api().memory_get_info(&info.free, &info.total) == abi::Status::success)
        message += " of device memory; " + std::to_string(info.free) + " of " + std::to_string(info.total) + " are free";
    throw_failed_call(context.driver(), entry_point_info<Member>, result, context.ordinal(), where, message);
}

}  // namespace

void DeviceAllocation::allocate(std::size_t bytes, const DeviceContext& context, const SourceLocation& where) {
    const ContextView place = context.context(where);  // throws for the host
    if (bytes == 0) return;
    conditions_ = std::make_unique<FreeConditions>(FreeConditions{true, {}});
    const CurrentContext current(place, where);
    const abi::Status result = invoke<&EntryPoints::memory_allocate>(place.driver(), ordinal(), where, &pointer_, bytes);
    if (result != abi::Status::success) retry(result, bytes, {}, where);
}

void DeviceAllocation::allocate_elsewhere(abi::Status query_status, std::size_t bytes, MemoryPoolView pool, const SourceLocation& where) {
    const ContextView place = stream().context();
    require_query(place, query_status, where);
    const CurrentContext current(place, where);
    const abi::Status result = invoke<&EntryPoints::memory_allocate_from_pool_async>(place.driver(), ordinal(), where, &pointer_, bytes,
                                                                                     pool.handle(), stream().handle());
    if (result != abi::Status::success) retry(result, bytes, pool, where);
}

void DeviceAllocation::retry(abi::Status result, std::size_t bytes, MemoryPoolView pool, const SourceLocation& where) {
    const ContextView context = stream().context();
    if (pool) {
        retry_allocation<&EntryPoints::memory_allocate_from_pool_async>(context, result, bytes, where, &pointer_, bytes, pool.handle(),
                                                                        stream().handle());
    } else {
        retry_allocation<&EntryPoints::memory_allocate>(context, result, bytes, where, &pointer_, bytes);
    }
}

DeviceAllocation::DeviceAllocation(DeviceAllocation&& other) noexcept
    : stream_(std::move(other.stream_)), pointer_(std::exchange(other.pointer_, 0)), conditions_(std::move(other.conditions_)) {}

DeviceAllocation& DeviceAllocation::operator=(DeviceAllocation&& other) noexcept {
    if (this != &other) {
        if (pointer_ != 0) release();
        stream_ = std::move(other.stream_);
        pointer_ = std::exchange(other.pointer_, 0);
        conditions_ = std::move(other.conditions_);
    }
    return *this;
}

void DeviceAllocation::record_use(StreamView stream, const SourceLocation& where) {
    if (pointer_ == 0 || stream == this->stream()) return;
    try {
        if (!conditions_) conditions_ = std::make_unique<FreeConditions>(FreeConditions{false, {}});
    } catch (...) {
        StreamUses::wait_for(stream);
        throw;
    }
    conditions_->uses.record(stream, where);
}

void DeviceAllocation::release_elsewhere(abi::Status query_status) noexcept {
    if (must_leak()) return;
    const StreamView stream = this->stream();
    const Driver& driver = stream.context().driver();
    try {
        // Fail without it: in another context, the handle of a default stream refers to that
        // context's stream, so the free could precede the last use.
        require_query(stream.context(), query_status, SourceLocation{});
        const CurrentContext current(stream.context(), SourceLocation{});
        if (conditions_ && conditions_->is_plain) {
            conditions_->uses.synchronize();
            call_from_destructor<&EntryPoints::stream_synchronize>(driver, ordinal(), stream.handle());
            call_from_destructor<&EntryPoints::memory_free>(driver, ordinal(), pointer_);
            return;
        }
        if (conditions_) conditions_->uses.order_before(stream);
        call_from_destructor<&EntryPoints::memory_free_async>(driver, ordinal(), pointer_, stream.handle());
    } catch (...) {
        log_current_exception();
    }
}

}  // namespace cupool::detail
