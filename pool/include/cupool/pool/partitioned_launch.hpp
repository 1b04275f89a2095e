#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/run_report.hpp>
#include <future>
#include <string>
#include <tuple>
#include <vector>

namespace cupool {

/// How a launch's items are divided among a pool's devices.
enum class Shares {
    even,           ///< as many for each, to within one
    by_capability,  ///< in proportion to multiprocessors times clock
};

/// One device's part of a launch over `total` items.
struct Partition {
    std::size_t index = 0;         ///< of the device in the pool
    const DeviceContext& context;  ///< of that device; the part is launched on its stream
    std::uint64_t offset = 0;      ///< of its first item
    std::uint64_t count = 0;       ///< of its items; never 0
};

/// How one part is to be launched: its shape, and the kernel's parameters before the last two.
template <class... Arguments>
struct PartitionLaunch {
    LaunchShape shape;
    std::tuple<Arguments...> arguments;

    /// Gives the part to its device's stream. \throws what Module::kernel() and Kernel::launch() throw
    void launch(const Module& module, const std::string& kernel, const Partition& part) const {
        const auto typed = module.kernel<Arguments..., std::uint64_t, std::uint64_t>(kernel);
        std::apply([&](const Arguments&... values) { typed.launch(shape, part.context.stream(), values..., part.offset, part.count); },
                   arguments);
    }
};

template <class... Arguments>
PartitionLaunch(LaunchShape, std::tuple<Arguments...>) -> PartitionLaunch<Arguments...>;

/// A launch that was given to the devices of a pool. Move-only; waits for them where nobody did. Not safe from several threads at once.
class PendingLaunch {
public:
    PendingLaunch(std::vector<int> devices, std::vector<std::future<void>> parts, std::chrono::steady_clock::time_point start);
    PendingLaunch(PendingLaunch&&) noexcept = default;
    PendingLaunch& operator=(PendingLaunch&&) = delete;
    ~PendingLaunch();

    /// Waits for all parts. To be called once. The report's time is that from the launch to this call's end.
    /// \throws the failure of the part on the first device of the pool's order that failed
    RunReport get();

private:
    std::vector<int> devices_;
    std::vector<std::future<void>> parts_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace cupool
