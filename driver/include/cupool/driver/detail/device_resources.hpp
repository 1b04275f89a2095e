#pragma once

#include <cupool/driver/context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <typeindex>
#include <typeinfo>

namespace cupool::detail {

/// What layers above keep in a context between calls, above all their loaded modules: one object of each type, made when first asked for.
/// The copies of a DeviceContext share them; they go with the last copy. Safe from any thread; a second thread that asks meanwhile waits.
class DeviceResources {
public:
    /// The object of type T, constructed as T(context) if there is none yet. \throws what that constructor throws
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
