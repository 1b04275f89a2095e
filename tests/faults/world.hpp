#pragma once

#include <cupool/driver/device_context.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/simulator/simulator.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cupool::test {

/// Host memory that work on a device may still use when a program has failed: it goes last, once the driver has been reset.
class HostMemory {
public:
    template <class T>
    std::span<T> keep(std::vector<T> values) {
        auto kept = std::make_shared<std::vector<T>>(std::move(values));
        arrays_.push_back(kept);
        return *kept;
    }

private:
    std::vector<std::shared_ptr<void>> arrays_;
};

/// What a caller has besides one attempt of a program: a driver, and the contexts and the pool made with it when first asked for. A second
/// attempt finds the first one's.
class World {
public:
    World(std::shared_ptr<const Driver> driver, HostMemory& memory) : driver_(std::move(driver)), memory_(memory) {}

    const std::shared_ptr<const Driver>& driver() const { return driver_; }

    const DeviceContext& device(int ordinal) {
        auto found = devices_.find(ordinal);
        if (found == devices_.end()) found = devices_.emplace(ordinal, DeviceContext::for_device(driver_, ordinal)).first;
        return found->second;
    }

    const DevicePool& pool() {
        if (!pool_) pool_ = DevicePool::all(driver_);
        return *pool_;
    }

    /// These values, where work on a device may use them as long as it likes.
    template <class T>
    std::span<T> host(std::vector<T> values) {
        return memory_.keep(std::move(values));
    }
    template <class T>
    std::span<T> host(std::size_t count) {
        return host(std::vector<T>(count));
    }

private:
    std::shared_ptr<const Driver> driver_;
    HostMemory& memory_;
    std::map<int, DeviceContext> devices_;
    std::optional<DevicePool> pool_;
};

}  // namespace cupool::test
