#include "kernel_registry.hpp"

#include <map>
#include <mutex>

namespace cupool::simulator {
namespace {

std::mutex registry_mutex;

std::map<std::string, RegisteredKernel>& registry() {
    static auto* const instance = new std::map<std::string, RegisteredKernel>;
    return *instance;
}

}  // namespace

void register_kernel(const std::string& name, RegisteredKernel kernel) {
    const std::lock_guard lock(registry_mutex);
    if (kernel.function == nullptr) {
        registry().erase(name);
    } else {
        registry()[name] = kernel;
    }
}

std::optional<RegisteredKernel> registered_kernel(const std::string& name) {
    const std::lock_guard lock(registry_mutex);
    const auto found = registry().find(name);
    return found == registry().end() ? std::nullopt : std::optional(found->second);
}

void clear_registered_kernels() {
    const std::lock_guard lock(registry_mutex);
    registry().clear();
}

}  // namespace cupool::simulator
