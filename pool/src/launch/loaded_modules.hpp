#pragma once

#include <cupool/driver/module.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace cupool::detail {

/// The modules made of the program's PTX in one context. A text is compiled at its first launch and stays loaded as long as the context.
/// Thread-safe.
class LoadedModules {
public:
    explicit LoadedModules(ContextView context) : context_(context) {}

    /// \throws Error jit_failure
    std::shared_ptr<const Module> load(const std::string& ptx, const SourceLocation& where = SourceLocation::current()) {
        const std::lock_guard lock(mutex_);
        auto& module = modules_[ptx];
        if (module == nullptr) module = std::make_shared<const Module>(context_, ptx, JitOptions{}, where);
        return module;
    }

private:
    ContextView context_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const Module>> modules_;
};

}  // namespace cupool::detail
