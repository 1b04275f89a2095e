// The fault matrix: each program x each driver call it makes x each answer the call may give x {once, always, sticky, lost}. A cell passes
// where the program gives the right answer, or an Error that names the call and has the category that the answer calls for; where nothing
// is left alive, the caller's context is current again, and a second attempt does what it should.
//
// By default a sample is run. CUPOOL_FAULT_MATRIX=whole runs all; =NUMBER sets the sample's size in runs of the shortest program;
// CUPOOL_FAULT_SEED=NUMBER draws that seed's sample; CUPOOL_FAULT_PROGRAM=TEXT runs the programs alone whose names contain it.

#include <algorithm>
#include <cstdlib>
#include <cupool/driver/entry_points.hpp>
#include <iostream>
#include <map>
#include <random>
#include <string>

#include "catch.hpp"
#include "cell.hpp"
#include "documented_answers.hpp"
#include "watchdog.hpp"

using namespace cupool;
using namespace cupool::test;

// For the leak sanitizer: after a device fault a function given to a stream may never run, and nobody can tell when to give it up.
extern "C" const char* __lsan_default_suppressions() { return "leak:cupool::StreamView::launch_host_function\n"; }

namespace {

constexpr std::uint64_t default_sample = 200000;
constexpr std::uint64_t default_seed = 20261121;
constexpr std::chrono::seconds patience{300};

std::string setting(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_whole() { return setting("CUPOOL_FAULT_MATRIX") == "whole"; }

std::uint64_t number(const char* name, std::uint64_t otherwise) {
    const std::string value = setting(name);
    return value.empty() ? otherwise : std::stoull(value);
}

std::vector<Cell> cells_of(const Program& program) {
    std::map<std::string, std::uint64_t> calls;
    std::vector<Cell> cells;
    for (const char* entry_point : calls_of(program)) {
        const std::uint64_t nth = ++calls[entry_point];
        for (const int answer : documented_answers(entry_point)) {
            for (const auto duration : {cupool_sim_once, cupool_sim_always, cupool_sim_sticky, cupool_sim_lost}) {
                cells.push_back({&program, entry_point, nth, answer, duration});
            }
        }
    }
    return cells;
}

/// Each program gets an equal share of the sample.
void take_sample(const Program& program, std::vector<Cell>& cells, std::mt19937_64& random) {
    const std::uint64_t share = number("CUPOOL_FAULT_MATRIX", default_sample) / programs().size() / program.cost;
    std::shuffle(cells.begin(), cells.end(), random);
    cells.resize(std::min<std::size_t>(cells.size(), share));
}

}  // namespace

TEST_CASE("every entry point has its documented answers") {
    for (const EntryPointInfo& row : all_entry_points) {
        INFO(row.base);
        CHECK_FALSE(documented_answers(row.base).empty());
    }
}

// Each of these broke a promise once, at some of the program's calls of the entry point.
TEST_CASE("failures that were bugs are none any more") {
    struct Regression {
        const char* program;
        const char* entry_point;
        int answer;
        CupoolSimFaultDuration duration;
    };
    const Regression regressions[] = {
        // Memory was freed on the default stream of the context that happened to be current, before its last use: a device fault.
        {"reduce over a pool", "cuCtxGetCurrent", 998, cupool_sim_always},
        // A buffer's uses on other streams were forgotten where they could not be recorded, or waited for by the device.
        {"free after use", "cuEventCreate", 2, cupool_sim_once},
        {"free after use", "cuStreamWaitEvent", 400, cupool_sim_always},
        // A peer copy went on reading a buffer that its caller was free to destroy.
        {"reduce_results over a pool", "cuStreamSynchronize", 3, cupool_sim_always},
        // The canary's work went on, while the contexts under it were given up: a kernel touched what was freed.
        {"reduce_results over a pool", "cuCtxGetCurrent", 700, cupool_sim_always},
        // The last wait of an algorithm failed in silence.
        {"reduce", "cuStreamSynchronize", 810, cupool_sim_always},
        {"reduce", "cuCtxSetCurrent", 201, cupool_sim_once},
        // Results were still on their way to an array that was gone.
        {"msm bn254", "cuMemcpyDtoHAsync", 999, cupool_sim_once},
        {"msm bn254", "cuStreamSynchronize", 999, cupool_sim_once},
        // A host without devices was told that one of them does not exist.
        {"open a pool", "cuInit", 100, cupool_sim_once},
    };
    Watchdog watchdog(patience);
    for (const Regression& regression : regressions) {
        const auto program = std::find_if(programs().begin(), programs().end(),
                                          [&](const Program& candidate) { return candidate.name == std::string(regression.program); });
        REQUIRE(program != programs().end());
        const std::vector<const char*> calls = calls_of(*program);
        const auto count = std::count(calls.begin(), calls.end(), std::string(regression.entry_point));
        REQUIRE(count > 0);
        for (std::uint64_t nth = 1; nth <= static_cast<std::uint64_t>(count); ++nth) {
            const Cell cell{&*program, regression.entry_point, nth, regression.answer, regression.duration};
            watchdog.begin(to_string(cell));
            INFO(to_string(cell));
            CHECK(run(cell) == "");
        }
    }
}

TEST_CASE("every call fails in every way, and each time there is a right answer or a typed error") {
    const std::uint64_t seed = number("CUPOOL_FAULT_SEED", default_seed);
    std::mt19937_64 random(seed);
    Watchdog watchdog(patience);
    std::size_t run_count = 0;
    std::size_t all_count = 0;
    for (const Program& program : programs()) {
        if (program.on_demand && !is_whole()) continue;
        if (std::string(program.name).find(setting("CUPOOL_FAULT_PROGRAM")) == std::string::npos) continue;
        watchdog.begin(program.name);
        std::vector<Cell> cells = cells_of(program);
        all_count += cells.size();
        if (!is_whole()) take_sample(program, cells, random);
        const auto start = std::chrono::steady_clock::now();
        for (const Cell& cell : cells) {
            watchdog.begin(to_string(cell));
            INFO(to_string(cell) << " (seed " << seed << ")");
            CHECK(run(cell) == "");
        }
        run_count += cells.size();
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        std::cout << program.name << ": " << cells.size() << " cells, " << elapsed.count() << " s" << std::endl;
    }
    std::cout << run_count << " of " << all_count << " cells, seed " << seed << std::endl;
}
