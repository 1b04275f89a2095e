// Processes, descriptors and memory of a pool: at its end, in forked children, and when its process is killed.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

#include "extent.hpp"
#include "marks.hpp"
#include "process_facts.hpp"
#include "sanitizers.hpp"
#include "worker_process/file_descriptor.hpp"
#include "workers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Starts a process that has a pool of two workers, whose numbers it prints. \param variable  of its environment, which the workers inherit
pid_t start_owner(int output, const std::string& variable) {
    const std::string driver = std::string("CUPOOL_DRIVER=") + CUPOOL_SIMULATOR_LIBRARY;
    const pid_t owner = ::fork();
    if (owner != 0) return owner;
    ::dup2(output, STDOUT_FILENO);
    const char* const environment[] = {driver.c_str(), "CUPOOL_SIM_DEVICES=2", variable.c_str(), nullptr};
    ::execle(CUPOOL_TEST_WORKER, CUPOOL_TEST_WORKER, "own", nullptr, environment);
    ::_exit(1);
}

}  // namespace

TEST_CASE("a pool that ends leaves no process, descriptor or memory") {
    const std::size_t descriptors = open_descriptors();
    const std::size_t maps = mapped_memory_files();
    std::vector<int> processes;
    {
        const WorkerPool pool = WorkerPool::start(simulated_workers(2));
        for (const WorkerStatus& worker : pool.metrics().workers) processes.push_back(worker.process);
        const SharedArray<int> lent = pool.lend<int>(1000);
        int sum = 0;
        pool.reduce<int>(std::span<const int>(lent.span()), ReduceOperation::sum, sum);
        auto unread = pool.call("echo", bytes_of("nobody reads it"));
    }
    for (const int process : processes) CHECK(::kill(process, 0) != 0);
    CHECK(open_descriptors() == descriptors);
    CHECK(mapped_memory_files() == maps);
}

TEST_CASE("many jobs and deaths leave nothing behind") {
    const WorkerPool pool = WorkerPool::start(host_workers(2));
    std::vector<int> numbers(10'000, 1);
    const auto round = [&] {
        for (int i = 0; i < 50; ++i) {
            int sum = 0;
            pool.reduce<int>(std::span<const int>(numbers), ReduceOperation::sum, sum);
            CHECK(sum == 10'000);
        }
        CHECK(error_of([&] { called(pool, "misbehave", "exit"); }).category() == ErrorCategory::worker_lost);
        CHECK(called(pool, "echo", std::string(100'000, 'x')).size() == 100'000);
        for (bool is_idle = false; !is_idle; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
            const WorkerMetrics metrics = pool.metrics();
            is_idle = std::all_of(metrics.workers.begin(), metrics.workers.end(),
                                  [](const WorkerStatus& worker) { return worker.condition == WorkerCondition::idle; });
        }
    };
    round();
    const std::size_t descriptors = open_descriptors();
    const std::size_t maps = mapped_memory_files();
    for (int i = 0; i < 3; ++i) round();
    CHECK(open_descriptors() == descriptors);
    CHECK(mapped_memory_files() <= maps);
}

TEST_CASE("who has a result or an error finds no memory of its call held") {
    const WorkerPool pool = WorkerPool::start(host_workers(2));
    const std::vector<int> numbers(1'000, 1);
    std::vector<int> sums(400);
    const auto reduced = [&](int& sum) { pool.reduce<int>(std::span<const int>(numbers), ReduceOperation::sum, sum); };
    reduced(sums[0]);
    const std::size_t descriptors = open_descriptors();
    const std::size_t maps = mapped_memory_files();
    for (int& sum : sums) {
        reduced(sum);
        REQUIRE(sum == 1'000);
        REQUIRE(mapped_memory_files() == maps);
        REQUIRE(open_descriptors() == descriptors);
    }
    for (std::size_t worker = 0; worker < 2; ++worker) pool.quarantine(worker, "for a test");
    CHECK(error_of([&] { reduced(sums[0]); }).category() == ErrorCategory::no_device);
    CHECK(mapped_memory_files() == maps);
}

TEST_CASE("workers give back memory that nobody holds any more, however much at once") {
    const WorkerPool pool = WorkerPool::start(host_workers());
    const auto mapped = [&] {
        std::istringstream maps(called(pool, "maps"));
        std::size_t count = 0;
        for (std::string line; std::getline(maps, line);) count += line.find("memfd:cupool") != std::string::npos ? 1 : 0;
        return count;
    };
    {
        std::vector<SharedArray<int>> arrays;
        for (int i = 0; i < 400; ++i) {
            arrays.push_back(pool.lend<int>(1));
            int sum = 1;
            pool.reduce<int>(std::span<const int>(arrays.back().span()), ReduceOperation::sum, sum);
        }
        CHECK(mapped() == 400);
    }
    bool are_gone = false;
    for (int i = 0; i < 3000 && !are_gone; ++i) {
        are_gone = mapped() == 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(are_gone);
}

TEST_CASE("a pool does not wait for a worker that hangs while it starts again") {
    Marks marks;
    const std::string mark = marks.next();
    const auto begin = std::chrono::steady_clock::now();
    {
        WorkerOptions options = host_workers();
        options.start_deadline = std::chrono::hours(1);
        options.attempts = 1;
        options.environment.push_back("CUPOOL_TEST_HANGS_IF=" + mark);
        const WorkerPool pool = WorkerPool::start(options);
        std::ofstream(mark) << "now";
        CHECK(error_of([&] { called(pool, "misbehave", "exit"); }).category() == ErrorCategory::worker_lost);
    }
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(30));  // and not the hour
}

TEST_CASE("a forked child cannot use the pool, and the parent can") {
    WorkerPool pool = WorkerPool::start(host_workers());
    const pid_t child = ::fork();
    if (child == 0) {
        int status = 1;
        try {
            (void)pool.call("echo", {});
        } catch (const Error& error) {
            status = error.category() == ErrorCategory::forked ? 0 : 2;
        }
        {
            const WorkerPool moved = std::move(pool);  // whose end does nothing here
        }
        ::_exit(status);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(called(pool, "echo", "on") == "on");
}

TEST_CASE("a pool can be made in a forked child, as in a daemon") {
    if (is_sanitized) CUPOOL_SKIP(sanitizer_and_forks);
    const pid_t child = ::fork();
    if (child == 0) {
        int status = 1;
        try {
            const WorkerPool pool = WorkerPool::start(host_workers());
            status = text_of(pool.call("echo", bytes_of("daemon")).get()) == "daemon" ? 0 : 2;
        } catch (const std::exception&) {
        }
        ::_exit(status);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("workers do not outlive a process that is killed") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const pid_t owner = start_owner(ends[1], "");
    ::close(ends[1]);
    std::string text;
    for (char letter = 0; ::read(ends[0], &letter, 1) == 1 && letter != '\n';) text += letter;
    ::close(ends[0]);
    std::istringstream words(text);
    const std::vector<int> processes{std::istream_iterator<int>(words), {}};
    CHECK(processes.size() == 2);
    for (const int process : processes) CHECK(exists(process));
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
    for (const int process : processes) CHECK(becomes_true([&] { return !exists(process); }));
}

TEST_CASE("workers do not outlive a process that is killed at any moment") {
    std::mt19937 random(std::random_device{}());
    for (int round = 0; round < extent("CUPOOL_PARENT_KILLS", 4); ++round) {
        const std::string mark = "CUPOOL_TEST_MARK=" + std::to_string(::getpid()) + "-" + std::to_string(round);
        const detail::FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        const pid_t owner = start_owner(nowhere.number(), mark);
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 200));
        ::kill(owner, SIGKILL);
        ::waitpid(owner, nullptr, 0);
        CHECK(becomes_true([&] { return processes_with_variable(mark) == 0; }));
    }
}
