// Many jobs of all kinds, of which some lose their workers: every result is right, and nothing grows.
#include <algorithm>
#include <random>

#include "extent.hpp"
#include "marks.hpp"
#include "msm_cases.hpp"
#include "process_facts.hpp"
#include "sanitizers.hpp"
#include "workers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;
constexpr std::size_t terms = 32;

/// What must not grow with the number of jobs.
struct Holdings {
    std::size_t descriptors = open_descriptors();
    std::size_t memory_files = mapped_memory_files();
};

class Soak {
public:
    explicit Soak(const WorkerPool& pool) : pool_(pool), bases_(pool.prepare<curve>(points_, {})) {
        sum_ = host_msm<curve>(scalars_, points_);
        std::copy(scalars_.begin(), scalars_.end(), lent_.begin());
    }

    /// Runs jobs, some of them at the same time, and checks their results. \param deaths  how many of them lose a worker
    void run(int jobs, int deaths) {
        std::vector<bool> is_deadly(static_cast<std::size_t>(jobs), false);
        std::fill_n(is_deadly.begin(), deaths, true);
        std::shuffle(is_deadly.begin(), is_deadly.end(), random_);
        for (std::size_t i = 0; i < is_deadly.size(); i += 8) {
            std::vector<std::future<std::vector<std::byte>>> calls;
            std::vector<std::future<RunReport>> msms;
            std::vector<JacobianPoint<curve>> results(8);
            for (std::size_t k = 0; k < 8 && i + k < is_deadly.size(); ++k) {
                if (is_deadly[i + k]) calls.push_back(pool_.call("misbehave_once", bytes_of(any_death() + " " + marks_.next())));
                const auto result = std::span(results).subspan(k, 1);
                msms.push_back(k % 2 == 0 ? pool_.submit_msm<curve>(lent_.span(), bases_, {}, result)
                                          : pool_.submit_msm<curve>(scalars_, points_, {}, result));
            }
            for (auto& call : calls) CHECK(text_of(call.get()) == "done");
            for (std::size_t k = 0; k < msms.size(); ++k) {
                msms[k].get();
                REQUIRE(to_affine(results[k]) == sum_);
            }
        }
    }

private:
    std::string any_death() {
        const char* const kinds[] = {"exit", "kill", "abort", "garbage", "fault"};
        return kinds[random_() % std::size(kinds)];
    }

    const WorkerPool& pool_;
    std::mt19937 random_{7};
    Marks marks_;
    std::vector<AffinePoint<curve>> points_ = generator_multiples<curve>(1, terms);
    std::vector<Scalar> scalars_ = scalars_of(terms);
    SharedArray<Scalar> lent_ = pool_.lend<Scalar>(terms);
    WorkerBases<curve> bases_;
    AffinePoint<curve> sum_;
};

/// As each worker reports it, in its turn.
std::vector<std::string> free_memory_of_devices(const WorkerPool& pool, std::size_t workers) {
    std::vector<std::string> free;
    for (std::size_t i = 0; i < workers; ++i) {
        for (std::size_t other = 0; other < workers; ++other) {
            if (other != i) pool.quarantine(other, "for a measurement");
        }
        free.push_back(called(pool, "free_device_memory"));
        for (std::size_t other = 0; other < workers; ++other) pool.readmit(other);
    }
    return free;
}

bool are_all_idle(const WorkerPool& pool) {
    const WorkerMetrics metrics = pool.metrics();
    return std::all_of(metrics.workers.begin(), metrics.workers.end(),
                       [](const WorkerStatus& worker) { return worker.condition == WorkerCondition::idle; });
}

}  // namespace

TEST_CASE("a soak of jobs and deaths leaves results right and holdings as they were") {
    const int jobs = extent("CUPOOL_SOAK_JOBS", 64);
    constexpr std::size_t workers = 2;
    const WorkerPool pool = WorkerPool::start(simulated_workers(workers));
    Soak soak(pool);
    soak.run(32, 2);
    REQUIRE(becomes_true([&] { return are_all_idle(pool); }));
    soak.run(16, 0);
    const Holdings before;
    const std::size_t resident = resident_bytes();
    const std::uint64_t deaths = sum_of(pool.metrics(), &WorkerStatus::deaths);

    soak.run(jobs, std::max(1, jobs / 100));
    REQUIRE(becomes_true([&] { return are_all_idle(pool); }));
    soak.run(16, 0);
    CHECK(sum_of(pool.metrics(), &WorkerStatus::deaths) - deaths == static_cast<std::uint64_t>(std::max(1, jobs / 100)));
    CHECK(open_descriptors() == before.descriptors);
    CHECK(mapped_memory_files() == before.memory_files);
    CHECK(zombies() == 0);
    if (!is_sanitized) {  // a sanitizer keeps freed memory
        constexpr std::size_t noise = 32 << 20;
        CHECK(resident_bytes() < resident + noise);
    }
    const std::vector<std::string> free = free_memory_of_devices(pool, workers);
    soak.run(16, 0);
    CHECK(free_memory_of_devices(pool, workers) == free);
}
