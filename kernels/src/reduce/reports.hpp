#pragma once

/// \file
/// The reports of reductions that run on the host, or that have nothing to do.

#include <chrono>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/error.hpp>
#include <cupool/kernels/run_report.hpp>
#include <new>
#include <string>

namespace cupool::detail {

/// Calls run(), which works on the host, and reports it.
template <class Run>
RunReport report_on_host(const char* job, std::size_t elements, const Run& run) {
    const auto start = std::chrono::steady_clock::now();
    try {
        run();
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory,
                    std::string(job) + ": the host has not enough memory for " + std::to_string(elements) + " elements");
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
}

inline RunReport report_of_nothing(const DeviceContext& context) {
    if (context.is_host()) return {};
    return {.engine = Engine::gpu, .devices = {context.device()}, .milliseconds = 0, .bytes = 0};
}

}  // namespace cupool::detail
