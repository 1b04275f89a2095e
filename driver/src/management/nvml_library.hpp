#pragma once

#include <cupool/driver/management_library.hpp>
#include <optional>
#include <string>

#include "management/nvml_abi.hpp"

namespace cupool {

/// The loaded library. It is never unloaded, since it may have threads.
struct ManagementLibrary::State {
    explicit State(const std::string& path);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// The function of this name; null if the library has none or does not work.
    template <class Function>
    Function find(const char* name) const noexcept {
        return reinterpret_cast<Function>(symbol(name));
    }

    /// The value that a function writes to its last argument.
    template <class Value, class... Arguments>
    std::optional<Value> ask(const char* name, Arguments... arguments) const {
        Value value{};
        const auto function = find<int (*)(Arguments..., Value*)>(name);
        return function != nullptr && function(arguments..., &value) == detail::nvml::success ? std::optional(value) : std::nullopt;
    }

    void* symbol(const char* name) const noexcept;

    void* library = nullptr;
    std::string finding;
};

}  // namespace cupool
