#include <array>
#include <cupool/driver/pointer_info.hpp>
#include <ostream>

namespace cupool {

namespace {

constexpr int first_version_with_pools = 11030;  // the first with CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE

MemoryKind kind_of(abi::MemoryType type, int is_managed) {
    if (is_managed != 0) return MemoryKind::managed;
    if (type == abi::MemoryType::host) return MemoryKind::host;
    return type == abi::MemoryType::device ? MemoryKind::device : MemoryKind::unregistered;
}

}  // namespace

PointerInfo pointer_info(ContextView context, abi::DevicePointer pointer, SourceLocation where) {
    using abi::PointerAttribute;
    PointerInfo info;
    auto type = abi::MemoryType{};
    int is_managed = 0;
    std::array attributes{PointerAttribute::memory_type,    PointerAttribute::is_managed,          PointerAttribute::device_ordinal,
                          PointerAttribute::context,        PointerAttribute::range_start_address, PointerAttribute::range_size,
                          PointerAttribute::device_pointer, PointerAttribute::host_pointer,        PointerAttribute::memory_pool};
    std::array<void*, attributes.size()> values{&type,       &is_managed,      &info.device,         &info.context,
                                                &info.start, &info.size_bytes, &info.device_pointer, &info.host_pointer,
                                                &info.pool};
    // An older driver refuses all attributes because of an unknown one: the pool, which comes last
    // here.
    const bool knows_pools = context && context.driver().version() >= first_version_with_pools;
    const auto count = static_cast<unsigned>(attributes.size()) - (knows_pools ? 0 : 1);
    detail::call_in<&EntryPoints::pointer_get_attributes>(context, where, count, attributes.data(), values.data(), pointer);
    info.kind = kind_of(type, is_managed);
    return info.kind == MemoryKind::unregistered ? PointerInfo{} : info;
}

PointerInfo pointer_info(ContextView context, const void* pointer, SourceLocation where) {
    return pointer_info(context, reinterpret_cast<abi::DevicePointer>(pointer), where);
}

std::string_view to_string(MemoryKind kind) noexcept {
    switch (kind) {
        case MemoryKind::unregistered: return "unregistered";
        case MemoryKind::host: return "host";
        case MemoryKind::device: return "device";
        case MemoryKind::managed: return "managed";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, MemoryKind kind) { return out << to_string(kind); }

}  // namespace cupool
