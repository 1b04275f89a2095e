#include "memory/accessor.hpp"

#include "device/device.hpp"
#include "memory/address_space.hpp"
#include "memory/memory_pool.hpp"
#include "objects/context.hpp"

namespace cupool::simulator {

Accessor::Accessor(const Context& context) : device_(context.device.ordinal), peers_(context.peers) {}

bool Accessor::may_access(const Allocation& allocation) const {
    switch (allocation.kind) {
        case Allocation::Kind::pinned_host:
        case Allocation::Kind::registered_host:
        case Allocation::Kind::managed: return true;
        case Allocation::Kind::mapped: return (allocation.accessible_from & device_bit(device_)) != 0;
        case Allocation::Kind::pooled: return (allocation.pool->accessible_from & device_bit(device_)) != 0;
        case Allocation::Kind::plain:
        case Allocation::Kind::module_variable: return allocation.device == device_ || peers_.count(allocation.context) > 0;
    }
    return false;
}

}  // namespace cupool::simulator
