// Workers that fault, hang, die and lie: their jobs run again, each once to its end, and nobody else suffers.
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cupool/kernels/point.hpp>
#include <stdexcept>
#include <thread>

#include "environment_variable.hpp"
#include "marks.hpp"
#include "process_facts.hpp"
#include "workers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

bool are_all_idle(const WorkerPool& pool) {
    for (const WorkerStatus& worker : pool.metrics().workers) {
        if (worker.condition != WorkerCondition::idle) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("a job whose worker is lost runs again") {
    WorkerOptions options = simulated_workers(2);
    options.deadline = std::chrono::seconds(10);
    const WorkerPool pool = WorkerPool::start(options);
    Marks marks;
    std::uint64_t deaths = 0;
    for (const std::string how : {"exit", "kill", "abort", "hang", "garbage", "fault", "orphan"}) {
        INFO(how);
        CHECK(called(pool, "misbehave_once", how + " " + marks.next()) == "done");
        CHECK(sum_of(pool.metrics(), &WorkerStatus::deaths) == ++deaths);
        CHECK(sum_of(pool.metrics(), &WorkerStatus::retries) == deaths);
    }
    CHECK(called(pool, "echo", "on") == "on");
}

TEST_CASE("at whichever job a worker is lost, all jobs end right and once", "[long]") {
    constexpr Curve curve = Curve::bn254;
    constexpr std::size_t terms = 16;
    constexpr int jobs = 100;
    WorkerOptions options = simulated_workers(4);
    const std::vector<AffinePoint<curve>> points = generator_multiples<curve>(1, terms);
    std::vector<Scalar> scalars(terms);
    for (std::size_t i = 0; i < terms; ++i) scalars[i].limbs[0] = i + 1;
    JacobianPoint<curve> expected;
    msm<curve>(Operand<Scalar>(std::span<const Scalar>(scalars)), Operand<AffinePoint<curve>>(std::span<const AffinePoint<curve>>(points)),
               MsmConfig::default_for_host(), expected);

    const std::string how = GENERATE("exit", "kill", "garbage", "fault", "memory");
    const WorkerPool pool = WorkerPool::start(options);
    const WorkerBases<curve> bases = pool.prepare<curve>(points, {});
    Marks marks;
    std::vector<JacobianPoint<curve>> results(jobs);
    std::vector<std::future<RunReport>> msms;
    std::vector<std::future<std::vector<std::byte>>> troubles;
    for (int i = 0; i < jobs; ++i) {
        troubles.push_back(pool.call("misbehave_once", bytes_of(how + " " + marks.next())));
        msms.push_back(pool.submit_msm<curve>(scalars, bases, {}, std::span(results).subspan(i, 1)));
    }
    int failures = 0;
    for (auto& trouble : troubles) {
        try {
            const std::string answer = text_of(trouble.get());
            CHECK(answer == "done");
        } catch (const Error& error) {  // a lack of memory is the job's own error
            CHECK(error.category() == ErrorCategory::out_of_memory);
            ++failures;
        }
    }
    CHECK(failures == (how == "memory" ? jobs : 0));
    for (int i = 0; i < jobs; ++i) {
        CHECK(msms[i].get().devices.size() == 1);
        CHECK(to_affine(results[i]) == to_affine(expected));
    }
    CHECK(sum_of(pool.metrics(), &WorkerStatus::deaths) == (how == "memory" ? 0 : jobs));
}

TEST_CASE("a job that ends every worker is refused with the story, and others do not suffer") {
    const WorkerPool pool = WorkerPool::start(simulated_workers(2));
    const int line = __LINE__ + 1;
    auto poison = pool.call("misbehave", bytes_of("exit"));
    std::vector<std::future<std::vector<std::byte>>> others;
    for (int i = 0; i < 20; ++i) others.push_back(pool.call("echo", bytes_of(std::to_string(i))));
    const Error error = error_of([&] { poison.get(); });
    CHECK(error.category() == ErrorCategory::worker_lost);
    CHECK(error.location().line == line);
    CHECK_THAT(error.message(), contains_text("has ended 3 worker processes"));
    CHECK_THAT(error.message(), contains_text("exited with status 42"));
    for (int i = 0; i < 20; ++i) CHECK(text_of(others[i].get()) == std::to_string(i));
    CHECK(sum_of(pool.metrics(), &WorkerStatus::deaths) == 3);
    CHECK(sum_of(pool.metrics(), &WorkerStatus::retries) == 2);
}

TEST_CASE("the error of a device fault has the driver's code") {
    WorkerOptions options = simulated_workers(1);
    options.attempts = 1;
    const WorkerPool pool = WorkerPool::start(options);
    const Error error = error_of([&] { called(pool, "misbehave", "fault"); });
    CHECK(error.category() == ErrorCategory::worker_lost);
    CHECK(error.code() == abi::Status::launch_failed);
    CHECK(error.device() == 0);
    CHECK_THAT(error.message(), contains_text("answered CUDA_ERROR_LAUNCH_FAILED"));
    CHECK_THAT(error.message(), contains_text("the driver logged: ["));
    CHECK(called(pool, "echo", "on") == "on");
}

TEST_CASE("a worker that is killed while it has no job is replaced") {
    const WorkerPool pool = WorkerPool::start(simulated_workers(1));
    const int process = pool.metrics().workers[0].process;
    ::kill(process, SIGKILL);
    REQUIRE(becomes_true([&] { return pool.metrics().workers[0].deaths == 1 && are_all_idle(pool); }));
    CHECK(pool.metrics().workers[0].process != process);
    CHECK(called(pool, "echo", "on") == "on");
    CHECK(sum_of(pool.metrics(), &WorkerStatus::retries) == 0);
}

TEST_CASE("an Xid error of the device during a job is told with the death of its worker") {
    const EnvironmentVariable library("CUPOOL_NVML", CUPOOL_FAKE_NVML);
    Marks marks;
    const std::string file = marks.next();
    const EnvironmentVariable variable("CUPOOL_FAKE_NVML_XID_FILE", file.c_str());
    WorkerOptions options = workers_of_simulated_devices(1);
    options.attempts = 1;
    options.environment.push_back("CUPOOL_FAKE_NVML_XID_FILE=" + file);
    const WorkerPool pool = WorkerPool::start(options);
    const Error with_xid = error_of([&] { called(pool, "misbehave", "xid"); });
    CHECK(with_xid.category() == ErrorCategory::worker_lost);
    CHECK_THAT(with_xid.message(), contains_text("Xid 79"));
    const Error without = error_of([&] { called(pool, "misbehave", "exit"); });
    CHECK(without.message().find("Xid") == std::string::npos);
}

TEST_CASE("a job that was given to a worker without a process ends when nobody can do it") {
    const WorkerPool pool = WorkerPool::start(host_workers());
    // Often enough that the job is sometimes given between the death and the new process.
    for (int round = 0; round < 10; ++round) {
        ::kill(pool.metrics().workers[0].process, SIGKILL);
        auto job = pool.call("echo", bytes_of("a job"));
        pool.quarantine(0, "for a test");
        try {
            const std::string answer = text_of(job.get());
            CHECK(answer == "a job");
        } catch (const Error& error) {
            CHECK(error.category() == ErrorCategory::no_device);
        }
        pool.readmit(0);
        CHECK(called(pool, "echo", "on") == "on");  // which also ends a row of lost jobs, after which the worker would pause
        REQUIRE(becomes_true([&] { return are_all_idle(pool) && pool.metrics().workers[0].process > 0; }));
    }
}

TEST_CASE("bases are prepared again from a copy, whatever became of the points") {
    constexpr Curve curve = Curve::bn254;
    const WorkerPool pool = WorkerPool::start(host_workers());
    const SharedArray<AffinePoint<curve>> points = pool.lend<AffinePoint<curve>>(2);
    const std::vector<AffinePoint<curve>> multiples = generator_multiples<curve>(1, 2);
    std::copy(multiples.begin(), multiples.end(), points.begin());
    const WorkerBases<curve> bases = pool.prepare<curve>(points.span(), {});
    std::vector<Scalar> scalars(2);
    scalars[0].limbs[0] = scalars[1].limbs[0] = 1;
    std::vector<JacobianPoint<curve>> result(1);
    for (int round = 0; round < 2; ++round) {
        pool.msm<curve>(scalars, bases, {}, std::span(result));
        CHECK(to_affine(result[0]) == add(multiples[0], multiples[1]));
        points[0] = points[1];
        CHECK(error_of([&] { called(pool, "misbehave", "exit"); }).category() == ErrorCategory::worker_lost);
    }
}

TEST_CASE("bases come from a callback whenever a worker prepares them, and are not kept") {
    constexpr Curve curve = Curve::bn254;
    const WorkerPool pool = WorkerPool::start(host_workers());
    const std::size_t files = mapped_memory_files();
    const std::vector<AffinePoint<curve>> multiples = generator_multiples<curve>(1, 2);
    std::atomic<int> calls = 0;
    const WorkerBases<curve> bases = pool.prepare<curve>(2,
                                                         [&](std::span<AffinePoint<curve>> points) {
                                                             ++calls;
                                                             std::copy(multiples.begin(), multiples.end(), points.begin());
                                                         },
                                                         {});
    CHECK(calls == 0);
    CHECK(bases.size() == 2);
    const std::vector<Scalar> scalars(2, Scalar{{1}});
    std::vector<JacobianPoint<curve>> result(1);
    for (int round = 1; round <= 2; ++round) {
        for (int job = 0; job < 2; ++job) {
            pool.msm<curve>(scalars, bases, {}, std::span(result));
            CHECK(to_affine(result[0]) == add(multiples[0], multiples[1]));
        }
        CHECK(calls == round);
        CHECK(becomes_true([&] { return mapped_memory_files() == files; }));
        CHECK(error_of([&] { called(pool, "misbehave", "exit"); }).category() == ErrorCategory::worker_lost);
    }
}

TEST_CASE("what a callback for bases throws is the error of the job, and costs no worker") {
    constexpr Curve curve = Curve::bn254;
    const WorkerPool pool = WorkerPool::start(host_workers());
    const WorkerBases<curve> bases =
        pool.prepare<curve>(2, [](std::span<AffinePoint<curve>>) { throw std::runtime_error("the file is gone"); }, {});
    std::vector<JacobianPoint<curve>> result(1);
    const int line = __LINE__ + 1;
    const Error error = error_of([&] { pool.msm<curve>(std::vector<Scalar>(2), bases, {}, std::span(result)); });
    CHECK_THAT(error.message(), contains_text("the file is gone"));
    CHECK(error.location().line == line);
    CHECK(sum_of(pool.metrics(), &WorkerStatus::deaths) == 0);
    CHECK(error_of([&] { pool.prepare<curve>(2, nullptr, {}); }).category() == ErrorCategory::invalid_argument);
    CHECK(called(pool, "echo", "on") == "on");
}

TEST_CASE("a worker that grows past its memory limit is replaced") {
    WorkerOptions options = host_workers();
    options.attempts = 1;
    options.memory_limit = std::uint64_t{1} << 30;
    const WorkerPool pool = WorkerPool::start(options);
    const Error error = error_of([&] { called(pool, "misbehave", "grow"); });
    CHECK(error.category() == ErrorCategory::worker_lost);
    CHECK_THAT(error.message(), contains_text("above its limit of 1073741824"));
    CHECK(called(pool, "echo", "on") == "on");
}

TEST_CASE("quarantined workers get no jobs") {
    const WorkerPool pool = WorkerPool::start(host_workers(2));
    pool.quarantine(0, "for a test");
    CHECK(pool.metrics().workers[0].condition == WorkerCondition::quarantined);
    for (int i = 0; i < 5; ++i) CHECK(called(pool, "process") == std::to_string(pool.metrics().workers[1].process));
    pool.quarantine(1, "also");
    const Error error = error_of([&] { called(pool, "process"); });
    CHECK(error.category() == ErrorCategory::no_device);
    CHECK_THAT(error.message(), contains_text("for a test"));
    pool.readmit(0);
    CHECK(called(pool, "process") == std::to_string(pool.metrics().workers[0].process));
    CHECK(error_of([&] { pool.quarantine(2, "none"); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("jobs that wait fail when the last worker is quarantined") {
    WorkerOptions options = host_workers();
    options.deadline = std::chrono::milliseconds(500);
    options.attempts = 1;
    const WorkerPool pool = WorkerPool::start(options);
    REQUIRE(becomes_true([&] { return are_all_idle(pool); }));  // so that the first job is given to the worker and does not wait
    auto hanging = pool.call("misbehave", bytes_of("hang"));
    auto waiting = pool.call("echo", bytes_of("never"));
    pool.quarantine(0, "for a test");
    CHECK(error_of([&] { waiting.get(); }).category() == ErrorCategory::no_device);
    CHECK(error_of([&] { hanging.get(); }).category() == ErrorCategory::worker_lost);
}
