// What a fault, a kill and a hang of one device cost the others. First with a worker process for each device: the rate of MSMs before
// and while one worker is lost, and the time until it is ready again. Then with all devices in this process, which a fault ends: the
// time until every job that was submitted has its error. Every sum is compared with its closed form.
//
//   cupool_fault_recovery [EXPONENT [SECONDS]]     MSMs of 2^EXPONENT terms, default 16; seconds before each loss, default 2

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "msm_operands.hpp"

namespace {

using namespace cupool;
using Clock = std::chrono::steady_clock;
using std::chrono::duration;

constexpr Curve curve = Curve::bn254;
constexpr std::chrono::milliseconds deadline{500};  ///< after which a worker counts as hung
constexpr int starts = 5;                           ///< of the pool of workers, for their times

constexpr const char* trouble_ptx = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry fault()
{
    trap;
    ret;
}
.visible .entry hang()
{
again:
    bar.sync 0;
    bra again;
}
)";

/// Loses the worker that runs it.
std::vector<std::byte> lose_worker(const DevicePool& device, std::span<const std::byte> input) {
    const std::string how(reinterpret_cast<const char*>(input.data()), input.size());
    if (how == "kill") ::raise(SIGKILL);
    (void)run_kernel({trouble_ptx, how, {1, 1}, {}}, device.context_at(0));
    return {};
}

double seconds_since(Clock::time_point start) { return duration<double>(Clock::now() - start).count(); }

/// Keeps every worker busy with MSMs, one thread a worker, and counts those that have ended.
class Load {
public:
    Load(const WorkerPool& workers, const WorkerBases<curve>& bases, std::span<const Scalar> scalars, AffinePoint<curve> sum) {
        for (std::size_t i = 0; i < workers.worker_count(); ++i) {
            threads_.emplace_back([this, &workers, &bases, scalars, sum] {
                while (!has_to_end_) {
                    JacobianPoint<curve> result;
                    workers.msm<curve>(scalars, bases, MsmConfig{}, std::span(&result, 1));
                    if (to_affine(result) != sum) ++wrong_;
                    ++done_;
                }
            });
        }
    }
    ~Load() {
        has_to_end_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    std::size_t done() const { return done_; }
    std::size_t wrong() const { return wrong_; }

private:
    std::atomic<bool> has_to_end_ = false;
    std::atomic<std::size_t> done_ = 0;
    std::atomic<std::size_t> wrong_ = 0;
    std::vector<std::thread> threads_;
};

std::uint64_t deaths(const WorkerPool& workers) {
    std::uint64_t sum = 0;
    for (const WorkerStatus& worker : workers.metrics().workers) sum += worker.deaths;
    return sum;
}

bool are_all_ready(const WorkerPool& workers) {
    const WorkerMetrics metrics = workers.metrics();
    return std::all_of(metrics.workers.begin(), metrics.workers.end(), [](const WorkerStatus& worker) {
        return worker.condition == WorkerCondition::idle || worker.condition == WorkerCondition::busy;
    });
}

void wait_until(const std::function<bool()>& holds) {
    while (!holds()) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

std::string outcome_of(std::future<std::vector<std::byte>> job) {
    try {
        (void)job.get();
        return "no error";
    } catch (const Error& error) {
        return std::string(to_string(error.category()));
    }
}

void lose_one(const WorkerPool& workers, const Load& load, const std::string& how, double seconds) {
    const std::size_t done_before = load.done();
    const Clock::time_point began = Clock::now();
    std::this_thread::sleep_for(duration<double>(seconds));
    const double rate_before = static_cast<double>(load.done() - done_before) / seconds_since(began);

    const std::uint64_t deaths_before = deaths(workers);
    const Clock::time_point asked = Clock::now();
    std::future<std::vector<std::byte>> job = workers.call("lose_worker", std::as_bytes(std::span(how)));
    const std::size_t done_when_asked = load.done();
    wait_until([&] { return deaths(workers) > deaths_before; });
    const double lost = seconds_since(asked);
    wait_until([&] { return are_all_ready(workers); });
    const double back = seconds_since(asked);
    const double rate_during = static_cast<double>(load.done() - done_when_asked) / back;
    std::printf("%-5s: lost after %4.0f ms, ready again %4.0f ms later; %6.0f MSMs/s before, %6.0f meanwhile (%.1f%%); the job: %s\n",
                how.c_str(), 1e3 * lost, 1e3 * (back - lost), rate_before, rate_during, 100 * rate_during / rate_before,
                outcome_of(std::move(job)).c_str());
    std::fflush(stdout);
}

WorkerPool start(const WorkerOptions& options) {
    const Clock::time_point began = Clock::now();
    WorkerPool workers = WorkerPool::start(options);
    std::printf("%zu workers, one a device: all ready after %.0f ms\n", workers.worker_count(), 1e3 * seconds_since(began));
    return workers;
}

void measure_workers(unsigned exponent, double seconds) {
    WorkerOptions options;
    options.engine = Engine::gpu;
    options.deadline = deadline;
    options.attempts = 1;
    for (int i = 0; i < starts - 1; ++i) start(options);
    const WorkerPool workers = start(options);

    const MsmOperands<curve> operands(std::size_t{1} << exponent);
    const WorkerBases<curve> bases = workers.prepare<curve>(operands.points(), PrepareConfig{});
    const SharedArray<Scalar> scalars = workers.lend<Scalar>(operands.scalars().size());
    std::copy(operands.scalars().begin(), operands.scalars().end(), scalars.begin());
    const Load load(workers, bases, scalars.span(), operands.sum());
    for (const char* how : {"fault", "kill", "hang"}) lose_one(workers, load, how, seconds);
    require(load.wrong() == 0, "an MSM is not its closed form");
}

/// How the MSMs end, by the category of their errors.
std::map<std::string, std::size_t> outcomes_of(std::vector<std::future<RunReport>>& jobs, std::span<const JacobianPoint<curve>> results,
                                               const AffinePoint<curve>& sum) {
    std::map<std::string, std::size_t> outcomes;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        try {
            (void)jobs[i].get();
            require(to_affine(results[i]) == sum, "an MSM is not its closed form");
            ++outcomes["right"];
        } catch (const Error& error) {
            ++outcomes[std::string(to_string(error.category()))];
        }
    }
    return outcomes;
}

void fault_in_this_process(unsigned exponent) {
    constexpr std::size_t jobs_of_device = 200;
    const MsmOperands<curve> operands(std::size_t{1} << exponent);
    const AffinePoint<curve> sum = operands.sum();
    std::vector<JacobianPoint<curve>> results;
    const DevicePool pool = DevicePool::all();  // whose jobs use what is above
    results.resize(jobs_of_device * pool.device_count());
    std::vector<std::future<RunReport>> jobs;
    for (JacobianPoint<curve>& result : results) {
        jobs.push_back(pool.submit_msm<curve>(operands.scalars(), operands.points(), MsmConfig{}, result));
    }
    const Clock::time_point asked = Clock::now();
    std::string how = "no error";
    try {
        (void)run_kernel({trouble_ptx, "fault", {1, 1}, {}}, pool.context_at(pool.device_count() - 1));
    } catch (const Error& error) {
        how = std::string(to_string(error.category()));
    }
    const double faulted = seconds_since(asked);
    const auto outcomes = outcomes_of(jobs, results, sum);
    const double ended = seconds_since(asked);
    std::printf(
        "%zu devices in one process: a fault on the last is reported after %.0f ms (%s), and all of %zu MSMs have ended %.0f ms later:",
        pool.device_count(), 1e3 * faulted, how.c_str(), jobs.size(), 1e3 * (ended - faulted));
    for (const auto& [outcome, count] : outcomes) std::printf(" %zu %s", count, outcome.c_str());
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    register_worker_function("lose_worker", lose_worker);
    serve_if_worker(argc, argv);
    try {
        const unsigned exponent = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 16;
        measure_workers(exponent, argc > 2 ? std::stod(argv[2]) : 2);
        fault_in_this_process(exponent);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cupool_fault_recovery: %s\n", error.what());
        return 1;
    }
}
