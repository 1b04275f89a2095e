#include <cupool/driver/registered_host.hpp>

namespace cupool::detail {

namespace {

constexpr unsigned operator|(abi::HostRegistrationFlags left, abi::HostRegistrationFlags right) {
    return static_cast<unsigned>(left) | static_cast<unsigned>(right);
}

}  // namespace

HostRegistration::HostRegistration(void* pointer, std::size_t bytes, ContextView context, RegistrationOptions options,
                                   const SourceLocation& where)
    : PageLockedMemory(context, where) {
    unsigned flags = abi::HostRegistrationFlags::portable | abi::HostRegistrationFlags::device_map;
    if (options.is_read_only) flags |= static_cast<unsigned>(abi::HostRegistrationFlags::read_only);
    call_in<&EntryPoints::host_register>(context, where, pointer, bytes, flags);
    take(pointer);
}

}  // namespace cupool::detail
