// Jobs of very unequal length, submitted to a pool all at once: their time beside the minimum for
// these devices. Every repetition draws new jobs, because a very long job that comes last delays every
// scheduler that takes jobs in order.
//
//   cupool_pool_balance [JOBS [REPETITIONS [MEAN_MILLISECONDS]]]     default 1000 20 2; all devices of the driver

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using namespace cupool;

/// A job of a chosen length: one thread that iterates a generator and writes the result, so that no
/// compiler can drop it.
constexpr char spin_ptx[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry spin(.param .u64 to, .param .u64 iterations)
{
    .reg .pred %p;
    .reg .b32 %value;
    .reg .b64 %left, %to;
    ld.param.u64 %left, [iterations];
    ld.param.u64 %to, [to];
    mov.u32 %value, 1;
again:
    mad.lo.u32 %value, %value, 1664525, 1013904223;
    sub.u64 %left, %left, 1;
    setp.ne.u64 %p, %left, 0;
    @%p bra again;
    st.global.u32 [%to], %value;
    ret;
}
)";

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// The value that `spin` writes: n steps of the generator at once, by squaring.
std::uint32_t expected_value(std::uint64_t iterations) {
    std::uint32_t factor = 1;
    std::uint32_t sum = 0;
    std::uint32_t step_factor = 1664525;
    std::uint32_t step_sum = 1013904223;
    for (; iterations != 0; iterations >>= 1) {
        if ((iterations & 1) != 0) {
            factor *= step_factor;
            sum = sum * step_factor + step_sum;
        }
        step_sum *= step_factor + 1;
        step_factor *= step_factor;
    }
    return factor + sum;
}

/// The kernel on one device, and its output.
class Spinner {
public:
    explicit Spinner(const DeviceContext& context)
        : context_(context),
          module_(context.context(), spin_ptx),
          kernel_(module_.kernel<DeviceSpan<std::uint32_t>, std::uint64_t>("spin")),
          value_(1, context),
          answer_(1, context.context()) {}

    void run(std::uint64_t iterations) {
        kernel_.launch({1, 1}, context_.stream(), value_.span(), iterations);
        answer_[0] = 0;
        copy(answer_.span(), value_.span(), context_.stream());
        if (answer_[0] != expected_value(iterations)) throw std::runtime_error("a job's result is wrong");
    }

    /// Iterations per millisecond, from the median of some long jobs.
    double speed() {
        constexpr std::uint64_t iterations = 4'000'000;
        std::vector<double> times;
        for (int i = 0; i < 6; ++i) {
            const auto start = std::chrono::steady_clock::now();
            run(iterations);
            if (i > 0) times.push_back(milliseconds_since(start));
        }
        return static_cast<double>(iterations) / median(times);
    }

private:
    DeviceContext context_;
    Module module_;
    Kernel<DeviceSpan<std::uint32_t>, std::uint64_t> kernel_;
    DeviceBuffer<std::uint32_t> value_;
    PinnedBuffer<std::uint32_t> answer_;
};

/// Job lengths that differ by a factor of thousands.
std::vector<std::uint64_t> skewed_jobs(std::size_t count, double mean, std::mt19937& random) {
    constexpr double deviation = 1.5;
    std::lognormal_distribution<double> skewed(-deviation * deviation / 2, deviation);  // of mean 1
    std::vector<std::uint64_t> jobs(count);
    for (std::uint64_t& job : jobs) job = 1 + static_cast<std::uint64_t>(skewed(random) * mean);
    return jobs;
}

/// \return milliseconds from the first submission to the end of the last job
double makespan(const DevicePool& pool, std::vector<Spinner>& spinners, const std::vector<std::uint64_t>& jobs) {
    std::vector<Spinner*> of_device(static_cast<std::size_t>(*std::max_element(pool.devices().begin(), pool.devices().end())) + 1);
    for (std::size_t i = 0; i < spinners.size(); ++i) of_device[static_cast<std::size_t>(pool.device_at(i))] = &spinners[i];
    std::vector<std::future<void>> pending;
    const auto start = std::chrono::steady_clock::now();
    for (const std::uint64_t job : jobs) {
        pending.push_back(pool.submit(
            [&of_device, job](const DeviceContext& context) { of_device[static_cast<std::size_t>(context.device())]->run(job); },
            static_cast<double>(job)));
    }
    for (auto& one : pending) one.get();
    return milliseconds_since(start);
}

double number(int count, char** words, int index, double otherwise) {
    return count > index ? std::strtod(words[index], nullptr) : otherwise;
}

void run(std::size_t job_count, int repetitions, double mean_milliseconds) {
    const DevicePool pool = DevicePool::all();
    std::vector<Spinner> spinners;
    for (std::size_t i = 0; i < pool.device_count(); ++i) spinners.emplace_back(pool.context_at(i));
    std::vector<double> speeds(pool.device_count());
    pool.for_each_device([&](std::size_t index, const DeviceContext&) { speeds[index] = spinners[index].speed(); });
    const double all_speeds = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    const double fastest = *std::max_element(speeds.begin(), speeds.end());
    for (std::size_t i = 0; i < speeds.size(); ++i) std::printf("device %d: %.0f iterations a millisecond\n", pool.device_at(i), speeds[i]);
    std::printf("%zu jobs of %.1f ms on average on %s\n", job_count, mean_milliseconds, to_string(pool).c_str());
    std::mt19937 random(std::random_device{}());
    std::vector<double> ratios;
    for (int i = 0; i <= repetitions; ++i) {
        const auto jobs = skewed_jobs(job_count, mean_milliseconds * all_speeds / static_cast<double>(speeds.size()), random);
        const auto longest = static_cast<double>(*std::max_element(jobs.begin(), jobs.end()));
        const double total = std::accumulate(jobs.begin(), jobs.end(), 0.0);
        const double bound = std::max(total / all_speeds, longest / fastest);
        const double span = makespan(pool, spinners, jobs);
        std::printf("%s %9.2f ms, %.4f of max(all work / all speeds %.2f ms, longest job / fastest device %.2f ms)\n",
                    i == 0 ? "warm-up " : "        ", span, span / bound, total / all_speeds, longest / fastest);
        if (i > 0) ratios.push_back(span / bound);
    }
    std::printf("median ratio %.4f, largest %.4f\n", median(ratios), *std::max_element(ratios.begin(), ratios.end()));
    std::printf("%s", to_string(pool.metrics()).c_str());
}

}  // namespace

int main(int count, char** words) {
    try {
        const auto jobs = static_cast<std::size_t>(number(count, words, 1, 1000));
        const auto repetitions = static_cast<int>(number(count, words, 2, 20));
        const double mean_milliseconds = number(count, words, 3, 2);
        if (jobs == 0 || repetitions < 1) throw std::invalid_argument("there is nothing to run: JOBS or REPETITIONS is 0");
        run(jobs, repetitions, mean_milliseconds);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
