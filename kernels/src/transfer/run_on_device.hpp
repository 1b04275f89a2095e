#pragma once

#include <chrono>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/run_report.hpp>

#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

/// Makes a Work of a job, enqueues it on the stream of the job's context, and waits for it unless it is asynchronous. If anything is
/// thrown, it waits for what was enqueued before the memory of the Work is freed.
///
/// A Work is made of a job, and has enqueue(), is_async(), copied_bytes() and device_bytes(), which are those of the report.
template <class Work, class Job>
RunReport run_on_device(const Job& job) {
    const auto start = std::chrono::steady_clock::now();
    const DeviceContext& context = job.config.ctx;
    Work work(job);
    try {
        work.enqueue();
        if (!work.is_async()) context.stream().synchronize();
    } catch (...) {
        const SynchronizeOnExit wait_for_work(context.stream());
        throw;
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::gpu,
            .devices = {context.device()},
            .milliseconds = elapsed.count(),
            .bytes = work.copied_bytes(),
            .device_bytes = work.device_bytes()};
}

}  // namespace cupool::detail
