#pragma once

#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/worker_pool.hpp>
#include <span>
#include <string>
#include <variant>

#include "options/engine_options.hpp"

namespace cupool::tools {

/// Where a command's jobs run: on devices of this process, or with --workers in worker processes.
class JobPool {
public:
    /// Opens it. \throws UsageError, and Error as DevicePool's factories and WorkerPool::start() do
    explicit JobPool(const EngineOptions& options);

    Engine engine() const;
    /// What it is, for people.
    std::string description() const;
    /// The devices of this process. \pre the options have no workers
    const DevicePool& devices() const { return std::get<DevicePool>(pool_); }

    template <Curve C>
    RunReport msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, JacobianPoint<C>& sum) const {
        if (const auto* const workers = std::get_if<WorkerPool>(&pool_)) {
            return workers->msm<C>(scalars, points, MsmConfig{}, std::span(&sum, 1));
        }
        return std::get<DevicePool>(pool_).msm<C>(scalars, points, MsmConfig{}, sum);
    }
    template <class T, class R>
    RunReport reduce(std::span<const T> elements, ReduceOperation operation, R& result) const {
        if (const auto* const workers = std::get_if<WorkerPool>(&pool_)) return workers->reduce<T, R>(elements, operation, result);
        return std::get<DevicePool>(pool_).reduce<T, R>(elements, operation, result);
    }

private:
    std::variant<DevicePool, WorkerPool> pool_;
};

}  // namespace cupool::tools
