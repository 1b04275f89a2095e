// The cost of worker processes beside the same work in this process, in turn: MSMs over prepared bases
// with scalars in page-locked memory (for the worker pool, in memory that it lends). Then the time to
// start a pool, and the time that a job loses if its worker is killed. Every result is compared with
// its closed form.
//
//   cupool_worker_pool [EXPONENT [RUNS]]     exponent of two, default 20; 30 timed runs

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <functional>
#include <string>
#include <vector>

#include "msm_operands.hpp"

namespace {

using namespace cupool;

constexpr Curve curve = Curve::bn254;
constexpr unsigned small_exponent = 10;
constexpr int runs_in_block = 10;

double milliseconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// An MSM of one size on both pools.
class Comparison {
public:
    Comparison(const DevicePool& here, const WorkerPool& workers, unsigned exponent)
        : here_(here),
          workers_(workers),
          operands_(std::size_t{1} << exponent),
          sum_(operands_.sum()),
          locked_(operands_.scalars().size(), here.context_at(0).context()),
          lent_(workers.lend<Scalar>(operands_.scalars().size())),
          bases_here_(here.prepare<curve>(operands_.points(), PrepareConfig{})),
          bases_(workers.prepare<curve>(operands_.points(), PrepareConfig{})) {
        std::copy(operands_.scalars().begin(), operands_.scalars().end(), locked_.data());
        std::copy(operands_.scalars().begin(), operands_.scalars().end(), lent_.begin());
    }

    void run_here() { here_.msm<curve>(std::span<const Scalar>(locked_), bases_here_, MsmConfig{}, result_); }
    void run_in_worker() { workers_.msm<curve>(lent_.span(), bases_, MsmConfig{}, std::span(&result_, 1)); }
    void check() const { require(to_affine(result_) == sum_, "an MSM is not its closed form"); }

    /// Submits `runs` jobs at once. \return milliseconds per job
    double queued(int runs) {
        std::vector<JacobianPoint<curve>> results(static_cast<std::size_t>(runs));
        const double time = milliseconds_of([&] {
            std::vector<std::future<RunReport>> futures;
            for (auto& result : results)
                futures.push_back(workers_.submit_msm<curve>(lent_.span(), bases_, MsmConfig{}, std::span(&result, 1)));
            for (auto& future : futures) future.get();
        });
        for (const auto& result : results) require(to_affine(result) == sum_, "a queued MSM is not its closed form");
        return time / runs;
    }

private:
    const DevicePool& here_;
    const WorkerPool& workers_;
    MsmOperands<curve> operands_;
    const AffinePoint<curve> sum_;
    PinnedBuffer<Scalar> locked_;
    SharedArray<Scalar> lent_;
    PooledBases<curve> bases_here_;
    WorkerBases<curve> bases_;
    JacobianPoint<curve> result_;
};

/// Appends the times of a few runs. The first is not counted, because the GPU switches processes.
void time_block(std::vector<double>& times, const Comparison& comparison, const std::function<void()>& run) {
    run();
    for (int i = 0; i < runs_in_block; ++i) {
        times.push_back(milliseconds_of(run));
        comparison.check();
    }
}

void compare(const DevicePool& here, const WorkerPool& workers, unsigned exponent, int runs) {
    Comparison comparison(here, workers, exponent);
    std::vector<double> times_here;
    std::vector<double> times_in_worker;
    while (times_here.size() < static_cast<std::size_t>(runs)) {
        time_block(times_here, comparison, [&] { comparison.run_here(); });
        time_block(times_in_worker, comparison, [&] { comparison.run_in_worker(); });
    }
    const double here_ms = median(times_here);
    const double worker_ms = median(times_in_worker);
    const double queued_ms = comparison.queued(runs);
    std::printf(
        "2^%u terms: in this process %.4f ms, in a worker %.4f ms (%+.1f us, %.1f%% of the throughput), queued %.4f ms a job (%.1f%%)\n",
        exponent, here_ms, worker_ms, 1000 * (worker_ms - here_ms), 100 * here_ms / worker_ms, queued_ms, 100 * here_ms / queued_ms);
}

/// \return the time of a job whose worker is killed while it works on the job, in milliseconds
double killed_job(const WorkerPool& workers) {
    std::string mark = "/tmp/cupool-bench-XXXXXX";
    const int file = ::mkstemp(mark.data());
    require(file >= 0, "no temporary file");
    ::close(file);
    const double time = milliseconds_of([&] { (void)workers.call("die_once", std::as_bytes(std::span(mark))).get(); });
    return time;
}

/// Kills the process if the file that the input names exists, after removing the file.
std::vector<std::byte> die_once(const DevicePool&, std::span<const std::byte> input) {
    const std::string file(reinterpret_cast<const char*>(input.data()), input.size());
    if (::unlink(file.c_str()) == 0) ::raise(SIGKILL);
    return {};
}

void measure(unsigned exponent, int runs) {
    WorkerOptions options;
    options.devices = {0};
    options.engine = Engine::gpu;
    std::optional<WorkerPool> workers;
    const double start_ms = milliseconds_of([&] { workers = WorkerPool::start(options); });
    const WorkerStatus worker = workers->metrics().workers.front();
    std::printf("%s, one worker: ready after %.0f ms\n", worker.device_name.c_str(), start_ms);
    std::vector<double> lost;
    for (int i = 0; i < std::min(runs, 10); ++i) lost.push_back(killed_job(*workers));
    std::printf("a job whose worker is killed: %.0f ms until its result\n", median(lost));

    const DevicePool here = DevicePool::with_devices(std::vector<int>{0});
    for (const unsigned size : {std::min(small_exponent, exponent), exponent}) compare(here, *workers, size, runs);
}

}  // namespace

int main(int argc, char** argv) {
    register_worker_function("die_once", die_once);
    serve_if_worker(argc, argv);
    try {
        measure(argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 20, argc > 2 ? std::stoi(argv[2]) : 30);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
