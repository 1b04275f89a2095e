#pragma once

#include <cupool/driver/device_context.hpp>
#include <exception>
#include <future>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace cupool::detail {

/// A task for a device: run() is called once or never, followed by succeed() or fail().
class PoolTask {
public:
    virtual ~PoolTask() = default;
    virtual void run(const DeviceContext& context) = 0;
    virtual void succeed() = 0;
    virtual void fail(std::exception_ptr why) noexcept = 0;
};

/// A task with a future for its result. The function's captures are destroyed before the future is ready.
template <class Function>
class FutureTask final : public PoolTask {
    using Value = std::invoke_result_t<Function&, const DeviceContext&>;
    static constexpr bool has_value = !std::is_void_v<Value>;

public:
    explicit FutureTask(Function function) : function_(std::move(function)) {}
    /// Where it was never given to a device. A promise that breaks by itself needs memory, the lack of which may be why.
    ~FutureTask() override {
        if (!is_kept_) fail(std::make_exception_ptr(std::bad_alloc()));
    }
    FutureTask(const FutureTask&) = delete;
    FutureTask& operator=(const FutureTask&) = delete;

    std::future<Value> future() { return promise_.get_future(); }

    void run(const DeviceContext& context) override {
        if constexpr (has_value) {
            value_.emplace((*function_)(context));
        } else {
            (*function_)(context);
        }
    }

    void succeed() override {
        function_.reset();
        is_kept_ = true;
        if constexpr (has_value) {
            promise_.set_value(std::move(*value_));
        } else {
            promise_.set_value();
        }
    }

    void fail(std::exception_ptr why) noexcept override {
        function_.reset();
        is_kept_ = true;
        promise_.set_exception(std::move(why));
    }

private:
    std::optional<Function> function_;
    std::optional<std::conditional_t<has_value, Value, std::monostate>> value_;
    std::promise<Value> promise_;
    bool is_kept_ = false;
};

}  // namespace cupool::detail
