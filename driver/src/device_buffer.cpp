#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/log.hpp>
#include <limits>

namespace cupool::detail {

std::size_t checked_size(std::size_t count, std::size_t size, const SourceLocation& where) {
    if (count > std::numeric_limits<std::size_t>::max() / size) {
        throw Error(ErrorCategory::invalid_argument,
                    std::to_string(count) + " elements of " + std::to_string(size) + " bytes are more bytes than can be counted", where);
    }
    return count * size;
}

namespace {

/// Waits for what the context's streams have still to free, and lets the device's pool give back what it keeps unused.
/// \return whether that may help an allocation of so many bytes
bool reclaim_memory(ContextView context, std::size_t bytes) {
    const EntryPoints& api = context.driver().api();
    ContextView::MemoryInfo info{};
    if (api.memory_get_info(&info.free, &info.total) != abi::Result::success || bytes > info.total) return false;
    if (api.context_synchronize() != abi::Result::success) return false;
    abi::MemoryPool pool = nullptr;
    if (api.device_get_default_memory_pool != nullptr &&
        api.device_get_default_memory_pool(&pool, context.device().handle()) == abi::Result::success) {
        api.memory_pool_trim_to(pool, 0);  // where it refuses, the allocation is refused again
    }
    return true;
}

/// Allocates, once more where memory could be reclaimed, or throws saying how much was asked for and how much there is.
template <auto Member, class... Arguments>
void allocate(ContextView context, std::size_t bytes, const SourceLocation& where, Arguments... arguments) {
    const CurrentContext current(context, where);
    abi::Result result = invoke<Member>(context.driver(), context.ordinal(), where, arguments...);
    if (result == abi::Result::out_of_memory && reclaim_memory(context, bytes)) {
        log(LogLevel::info, std::string(entry_point_info<Member>.base) + " was out of memory for " + std::to_string(bytes) +
                                " bytes; trying once more, as what the device's pool kept unused has been given back");
        result = invoke<Member>(context.driver(), context.ordinal(), where, arguments...);
    }
    if (result == abi::Result::success) {
        return;
    }
    std::string message = "cannot allocate " + std::to_string(bytes) + " bytes";
    ContextView::MemoryInfo info{};
    if (result == abi::Result::out_of_memory && context.driver().api().memory_get_info(&info.free, &info.total) == abi::Result::success) {
        message += " of device memory; " + std::to_string(info.free) + " of " + std::to_string(info.total) + " are free";
    }
    throw_failed_call(context.driver(), entry_point_info<Member>, result, context.ordinal(), where, message);
}

}  // namespace

DeviceAllocation::DeviceAllocation(std::size_t bytes, const DeviceContext& context, const SourceLocation& where)
    : context_(context.context(where).share()), stream_state_(context.stream(where).share()), stream_(context.stream(where)) {
    const MemoryPoolView pool = context.memory_pool(where);
    if (bytes == 0) {
        return;
    }
    if (pool) {
        stream_ordered_ = true;
        allocate<&EntryPoints::memory_allocate_from_pool_async>(context_.get(), bytes, where, &pointer_, bytes, pool.handle(),
                                                                stream_.handle());
    } else {
        allocate<&EntryPoints::memory_allocate>(context_.get(), bytes, where, &pointer_, bytes);
    }
}

DeviceAllocation::DeviceAllocation(DeviceAllocation&& other) noexcept
    : context_(std::move(other.context_)),
      stream_state_(std::move(other.stream_state_)),
      stream_(std::exchange(other.stream_, {})),
      pointer_(std::exchange(other.pointer_, 0)),
      stream_ordered_(other.stream_ordered_),
      uses_(std::move(other.uses_)) {}

DeviceAllocation& DeviceAllocation::operator=(DeviceAllocation&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        stream_state_ = std::move(other.stream_state_);
        stream_ = std::exchange(other.stream_, {});
        pointer_ = std::exchange(other.pointer_, 0);
        stream_ordered_ = other.stream_ordered_;
        uses_ = std::move(other.uses_);
    }
    return *this;
}

void DeviceAllocation::record_use(StreamView stream, const SourceLocation& where) {
    if (pointer_ != 0 && !(stream == stream_)) {
        uses_.record(stream, where);
    }
}

void DeviceAllocation::release() noexcept {
    if (pointer_ == 0 || must_leak()) {
        return;
    }
    const Driver& driver = context_->driver();
    try {
        // Not without: a default stream's handle would name another context's, and the free would come before the last use.
        const CurrentContext current(context_.get(), SourceLocation{});
        if (stream_ordered_) {
            uses_.order_before(stream_);
            call_from_destructor<&EntryPoints::memory_free_async>(driver, ordinal(), pointer_, stream_.handle());
        } else {
            uses_.synchronize();
            call_from_destructor<&EntryPoints::stream_synchronize>(driver, ordinal(), stream_.handle());
            call_from_destructor<&EntryPoints::memory_free>(driver, ordinal(), pointer_);
        }
    } catch (...) {
        log_current_exception();
    }
}

}  // namespace cupool::detail
