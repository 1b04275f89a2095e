#include <cstring>

#include "api/driver_state.hpp"
#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "memory/memory.hpp"

/// \file
/// cuPointerGetAttribute and cuPointerGetAttributes.

namespace cupool::simulator {
namespace {

using abi::PointerAttribute;
using abi::Status;

// CU_POINTER_ATTRIBUTE_HW_DECOMPRESS_CAPABLE of CUDA 13, and CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, the last one before the pools of 11.3.
constexpr int last_pointer_attribute = 21;
constexpr int last_before_pools = 16;
constexpr int first_version_with_pools = 11030;

template <class Value>
void store(void* to, Value value) {
    std::memcpy(to, &value, sizeof(value));
}

void require_known(PointerAttribute attribute) {
    const auto number = static_cast<int>(attribute);
    const int last = driver_version() < first_version_with_pools ? last_before_pools : last_pointer_attribute;
    require(number >= 1 && number <= last, Status::invalid_value);
}

/// The attribute's size in bytes.
std::size_t size_of(PointerAttribute attribute) {
    switch (attribute) {
        case PointerAttribute::memory_type:
        case PointerAttribute::is_managed:
        case PointerAttribute::device_ordinal: return sizeof(int);
        case PointerAttribute::context:
        case PointerAttribute::device_pointer:
        case PointerAttribute::host_pointer:
        case PointerAttribute::range_start_address:
        case PointerAttribute::range_size:
        case PointerAttribute::memory_pool: return sizeof(void*);
    }
    fail(Status::not_supported);
}

// Pool memory and mapped memory belong to no context.
abi::Context context_of(const Allocation& allocation) {
    const bool is_of_one = allocation.kind != Allocation::Kind::pooled && allocation.kind != Allocation::Kind::mapped;
    return is_of_one ? allocation.context : nullptr;
}

void store_attribute(void* value, PointerAttribute attribute, const Allocation& allocation, abi::DevicePointer pointer) {
    switch (attribute) {
        case PointerAttribute::context: return store(value, context_of(allocation));
        case PointerAttribute::memory_type:
            return store(value, is_host_memory(allocation) ? abi::MemoryType::host : abi::MemoryType::device);
        case PointerAttribute::device_pointer: return store(value, pointer);
        case PointerAttribute::host_pointer: require(!is_device_memory(allocation), Status::invalid_value); return store(value, pointer);
        case PointerAttribute::is_managed: return store(value, allocation.kind == Allocation::Kind::managed ? 1 : 0);
        case PointerAttribute::device_ordinal: return store(value, allocation.device);
        case PointerAttribute::range_start_address: return store(value, allocation.start);
        case PointerAttribute::range_size: return store(value, allocation.bytes);
        case PointerAttribute::memory_pool: return store(value, allocation.pool ? allocation.pool->handle : abi::MemoryPool{});
    }
    fail(Status::not_supported);
}

std::shared_ptr<Allocation> live_allocation_at(abi::DevicePointer pointer) {
    auto allocation = allocation_at(pointer);
    return allocation && !allocation->free_called ? allocation : nullptr;
}

}  // namespace

namespace exports {

Status pointer_get_attribute(void* value, PointerAttribute attribute, DevicePointer pointer) {
    return handle_call(EntryPoint::pointer_get_attribute, [&] {
        require(value != nullptr, Status::invalid_value);
        const Locked state;
        const auto allocation = live_allocation_at(pointer);
        require(allocation != nullptr, Status::invalid_value);
        require_known(attribute);
        store_attribute(value, attribute, *allocation, pointer);
    });
}

// Attributes that do not apply to the pointer are null.
Status pointer_get_attributes(unsigned count, PointerAttribute* attributes, void** values, DevicePointer pointer) {
    return handle_call(EntryPoint::pointer_get_attributes, [&] {
        require(count > 0 && attributes != nullptr && values != nullptr, Status::invalid_value);
        const Locked state;
        const auto allocation = live_allocation_at(pointer);
        for (unsigned i = 0; i < count; ++i) {
            require_known(attributes[i]);
            std::memset(values[i], 0, size_of(attributes[i]));
            const bool applies = attributes[i] != PointerAttribute::host_pointer || (allocation && !is_device_memory(*allocation));
            if (allocation && applies) {
                store_attribute(values[i], attributes[i], *allocation, pointer);
            }
        }
    });
}

Status memory_get_address_range(DevicePointer* start, std::size_t* bytes, DevicePointer pointer) {
    return handle_call(EntryPoint::memory_get_address_range, [&] {
        if (start == nullptr && bytes == nullptr) {
            return;  // as in driver 580, even without a context
        }
        const Locked state;
        current_context(*state);
        const auto allocation = live_allocation_at(pointer);
        require(allocation != nullptr, Status::not_found);
        if (start != nullptr) {
            *start = allocation->start;
        }
        if (bytes != nullptr) {
            *bytes = allocation->bytes;
        }
    });
}

}  // namespace exports
}  // namespace cupool::simulator
