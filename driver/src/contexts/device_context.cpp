#include <algorithm>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/driver/device_context.hpp>
#include <limits>
#include <map>
#include <mutex>
#include <ostream>
#include <thread>

namespace cupool {

DeviceContext DeviceContext::in(ContextView context, SourceLocation where) {
    DeviceContext result;
    result.context_ = context.share(where);
    result.resources_ = detail::make_shared_unless_forked<detail::DeviceResources>();
    result.stream_ = StreamView(context);
    result.pool_ = MemoryPoolView::default_of(context, where);
    return result;
}

DeviceContext DeviceContext::for_device(const std::shared_ptr<const Driver>& driver, int ordinal, SourceLocation where) {
    const PrimaryContext primary = PrimaryContext::retain(Device(driver, ordinal, where), where);
    DeviceContext result = in(primary, where);
    if (result.pool_ && result.pool_.release_threshold(where) == 0)
        result.pool_.set_release_threshold(std::numeric_limits<std::uint64_t>::max(), where);
    return result;
}

DeviceContext DeviceContext::default_for_device(int ordinal, SourceLocation where) {
    struct Kept {
        std::mutex mutex;
        std::map<int, DeviceContext> contexts;
    };
    const std::shared_ptr<const Driver>& driver = Driver::system(where);
    driver->initialize(where);      // comes first: it throws in a forked child, where the lock below may never be released
    static Kept& kept = *new Kept;  // never destroyed, because objects of the program may outlive static destruction
    const std::lock_guard lock(kept.mutex);
    auto found = kept.contexts.find(ordinal);
    if (found == kept.contexts.end()) found = kept.contexts.emplace(ordinal, for_device(driver, ordinal, where)).first;
    return found->second;
}

DeviceContext DeviceContext::host(unsigned threads) {
    DeviceContext result;
    result.host_threads_ = threads;
    return result;
}

unsigned DeviceContext::host_threads() const noexcept {
    return host_threads_ != 0 ? host_threads_ : std::max(1U, std::thread::hardware_concurrency());
}

DeviceContext DeviceContext::with_stream(StreamView stream, SourceLocation where) const {
    require_device(where);
    if (stream.context() != ContextView(context_.get()))
        detail::throw_wrong_device("a stream", stream.ordinal(), "a device context", device(), where);
    DeviceContext result = *this;
    result.stream_state_ = stream.share();
    // A view of a stream without an owner must not depend on another owner of the context.
    result.stream_ = result.stream_state_ ? stream : StreamView(context_.get(), stream.handle());
    return result;
}

DeviceContext DeviceContext::with_memory_pool(MemoryPoolView pool, SourceLocation where) const {
    require_device(where);
    if (pool && pool.context() != ContextView(context_.get()))
        detail::throw_wrong_device("a memory pool", pool.context().ordinal(), "a device context", device(), where);
    if (pool && !context_->device().supports_memory_pools(where))
        throw Error(ErrorCategory::unsupported, "the device, or its driver, has no memory pools", where);
    DeviceContext result = *this;
    result.pool_ = pool ? MemoryPoolView(context_.get(), pool.handle()) : pool;
    return result;
}

void DeviceContext::throw_is_host(const SourceLocation& where) {
    throw Error(ErrorCategory::unsupported, "this needs a device, and the device context given is the host", where);
}

std::string to_string(const DeviceContext& context) {
    if (context.is_host()) return "host, " + std::to_string(context.host_threads()) + " threads";
    return "device " + std::to_string(context.device()) + ", " + (context.stream().handle() == nullptr ? "default stream" : "a stream") +
           (context.memory_pool() ? ", pooled memory" : ", plain memory");
}

std::ostream& operator<<(std::ostream& out, const DeviceContext& context) { return out << to_string(context); }

}  // namespace cupool
