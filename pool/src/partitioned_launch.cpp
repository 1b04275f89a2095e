#include <cupool/pool/device_pool.hpp>
#include <utility>

#include "all_pieces.hpp"
#include "loaded_modules.hpp"
#include "pool_state.hpp"
#include "synchronize_on_exit.hpp"

namespace cupool {

PendingLaunch::PendingLaunch(std::vector<int> devices, std::vector<std::future<void>> parts, std::chrono::steady_clock::time_point start)
    : devices_(std::move(devices)), parts_(std::move(parts)), start_(start) {}

PendingLaunch::~PendingLaunch() {
    for (const std::future<void>& part : parts_) {
        if (part.valid()) part.wait();
    }
}

RunReport PendingLaunch::get() {
    detail::get_all(parts_);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start_;
    return {.engine = Engine::gpu, .devices = devices_, .milliseconds = elapsed.count(), .bytes = 0};
}

PendingLaunch DevicePool::launch_parts(std::string ptx, std::uint64_t total, Shares shares, LaunchPart launch_part) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a kernel of the program's own needs a GPU; the pool is the host");
    const auto start = std::chrono::steady_clock::now();
    const std::vector<std::size_t> healthy = state_->healthy();
    const std::vector<detail::Share> parts = state_->divided(total, shares, healthy);
    std::vector<std::size_t> indices;
    std::vector<detail::Share> share_of(device_count());
    std::vector<int> ordinals;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].count == 0) continue;
        indices.push_back(healthy[i]);
        ordinals.push_back(devices()[healthy[i]]);
        share_of[healthy[i]] = parts[i];
    }
    auto pieces = state_->start_each(indices, [ptx = std::move(ptx), share_of = std::move(share_of), launch_part = std::move(launch_part)](
                                                  std::size_t index, const DeviceContext& context) {
        const std::shared_ptr<const Module> module = context.resource<detail::LoadedModules>()->load(ptx);
        const detail::SynchronizeOnExit wait_for_copies(context.stream());  // that the program asked for, where a launch fails
        launch_part({index, context, share_of[index].offset, share_of[index].count}, *module);
        context.stream().synchronize();
    });
    return PendingLaunch(std::move(ordinals), std::move(pieces), start);
}

}  // namespace cupool
