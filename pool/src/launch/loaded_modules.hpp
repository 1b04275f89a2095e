#pragma once

#include <cupool/driver/module.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace cupool::detail {

/// The program's own PTX in one context: a text is compiled when it is first launched and stays loaded with the context. Safe from any
/// thread.
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
