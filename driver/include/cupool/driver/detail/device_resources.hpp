#pragma once

#include <cupool/driver/context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <typeindex>
#include <typeinfo>

namespace cupool::detail {

/// Objects that upper layers keep in a context between calls, mainly loaded modules: one of each
/// type, created on first use. The copies of a DeviceContext share them, and the last copy destroys
/// them. Thread-safe; a second thread that asks during the construction waits.
class DeviceResources {
public:
    /// The object of type T, constructed as T(context) if there is none yet. \throws what that
    /// constructor throws
    template <class T>
    std::shared_ptr<T> get(ContextView context) {
        return std::static_pointer_cast<T>(get(typeid(T), [context]() -> std::shared_ptr<void> { return std::make_shared<T>(context); }));
    }

private:
    std::shared_ptr<void> get(std::type_index type, const std::function<std::shared_ptr<void>()>& make);

    std::mutex mutex_;
    std::map<std::type_index, std::shared_ptr<void>> resources_;
};

}  // namespace cupool::detail
