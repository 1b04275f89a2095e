// Processes, descriptors and memory of a pool: at its end, in forked children, and when its process is killed.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "marks.hpp"
#include "sanitizers.hpp"
#include "workers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

bool exists(int process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string words;
    std::getline(file, words);
    const std::size_t end = words.rfind(')');
    return end != std::string::npos && words.substr(end + 2, 1) != "Z";  // a zombie of another parent is none of ours
}

bool becomes_absent(int process) {
    for (int i = 0; i < 1000; ++i) {
        if (!exists(process)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    DIR* const folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
}

std::size_t mapped_memory_files() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) count += line.find("memfd:cupool") != std::string::npos ? 1 : 0;
    return count;
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
    for (int round = 0; round < 3; ++round) {
        int ends[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        const std::string driver = std::string("CUPOOL_DRIVER=") + CUPOOL_SIMULATOR_LIBRARY;
        const pid_t owner = ::fork();
        if (owner == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            const char* const environment[] = {driver.c_str(), "CUPOOL_SIM_DEVICES=2", nullptr};
            ::execle(CUPOOL_TEST_WORKER, CUPOOL_TEST_WORKER, "own", nullptr, environment);
            ::_exit(1);
        }
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
        for (const int process : processes) CHECK(becomes_absent(process));
    }
}
