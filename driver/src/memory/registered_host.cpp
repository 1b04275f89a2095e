#include <cupool/driver/registered_host.hpp>

namespace cupool::detail {

namespace {

constexpr unsigned operator|(abi::HostRegistrationFlags left, abi::HostRegistrationFlags right) {
    return static_cast<unsigned>(left) | static_cast<unsigned>(right);
}

}  // namespace

HostRegistration::HostRegistration(void* pointer, std::size_t bytes, ContextView context, RegistrationOptions options,
                                   const SourceLocation& where)
    : context_(context.share(where)) {
    unsigned flags = abi::HostRegistrationFlags::portable | abi::HostRegistrationFlags::device_map;
    if (options.is_read_only) flags |= static_cast<unsigned>(abi::HostRegistrationFlags::read_only);
    call_in<&EntryPoints::host_register>(context, where, pointer, bytes, flags);
    pointer_ = pointer;
}

HostRegistration::HostRegistration(HostRegistration&& other) noexcept
    : context_(std::move(other.context_)), pointer_(std::exchange(other.pointer_, nullptr)), uses_(std::move(other.uses_)) {}

HostRegistration& HostRegistration::operator=(HostRegistration&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        pointer_ = std::exchange(other.pointer_, nullptr);
        uses_ = std::move(other.uses_);
    }
    return *this;
}

void HostRegistration::release() noexcept {
    if (pointer_ != nullptr) {
        uses_.synchronize_and_free<&EntryPoints::host_unregister>(context_.get(), pointer_);
    }
}

abi::DevicePointer device_pointer_of(ContextView context, void* pointer, const SourceLocation& where) {
    abi::DevicePointer device_pointer = 0;
    call_in<&EntryPoints::host_get_device_pointer>(context, where, &device_pointer, pointer, 0U);
    return device_pointer;
}

}  // namespace cupool::detail
