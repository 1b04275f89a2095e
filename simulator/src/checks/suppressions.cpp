#include "checks/suppressions.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace cupool::simulator {

void Suppressions::add(std::string kernel, int line) {
    const std::unique_lock lock(mutex_);
    rules_.push_back({std::move(kernel), line});
}

void Suppressions::clear() {
    const std::unique_lock lock(mutex_);
    rules_.clear();
    count_ = 0;
}

bool Suppressions::suppress(std::string_view kernel, int line, int source_line) {
    const std::shared_lock lock(mutex_);
    const bool matches = std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        return rule.kernel == kernel && (rule.line == 0 || rule.line == line || rule.line == source_line);
    });
    count_ += matches ? 1 : 0;
    return matches;
}

// Never destroyed: kernels may run as long as the process lives.
Suppressions& suppressions() {
    static auto* const instance = new Suppressions;
    return *instance;
}

}  // namespace cupool::simulator
