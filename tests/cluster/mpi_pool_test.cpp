#include <cupool/cluster/mpi_pool.hpp>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "environment_variable.hpp"
#include "launched_ranks.hpp"

using namespace cupool;
using namespace cupool::test;

/// Declares the launchers that are there. Without one the test is skipped; with one, it says which part of it is.
#define CUPOOL_FOUND_LAUNCHERS(found)                                                                    \
    const std::vector<MpiLauncher> found = launchers();                                                  \
    if (found.empty()) CUPOOL_SKIP("there is no MPI library with its launcher: " + missing_launchers()); \
    if (!missing_launchers().empty()) WARN("skipped for want of MPI libraries: " << missing_launchers())

namespace {

/// Runs a scenario of mpi_program.cpp on ranks that all must end well. \return what they told, each once
std::set<std::string> told_by(const MpiLauncher& launcher, int ranks, const std::string& scenario, const std::string& engine,
                              std::vector<std::string> variables = {}) {
    INFO(launcher.name << ", " << ranks << " ranks, " << scenario << " on " << engine);
    variables.emplace_back(std::string("CUPOOL_DRIVER=") + CUPOOL_SIMULATOR_LIBRARY);
    const RanksResult result = run_ranks(launcher, ranks, {scenario, engine}, variables);
    INFO(result.output);
    CHECK(result.exit_code == 0);
    CHECK(result.told.size() == static_cast<std::size_t>(ranks));
    std::set<std::string> told;
    for (const auto& [rank, text] : result.told) {
        INFO("rank " << rank << ": " << text);
        CHECK(text.ends_with("ok"));
        told.insert(text);
    }
    return told;
}

}  // namespace

TEST_CASE("MSMs over ranks have the same bits for any number of ranks, engine and MPI library", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    std::set<std::string> told;
    for (const MpiLauncher& launcher : found) {
        for (const int ranks : {1, 2, 3, 4, 8}) told.merge(told_by(launcher, ranks, "msm", "host"));
        told.merge(told_by(launcher, 3, "msm", "mixed"));
        told.merge(told_by(launcher, 2, "msm", "gpu", {"CUPOOL_SIM_DEVICES=2"}));
    }
    CHECK(told.size() == 1);
}

TEST_CASE("reductions over ranks are those of the host", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (const MpiLauncher& launcher : found) {
        for (const int ranks : {1, 2, 3, 8}) told_by(launcher, ranks, "reduce", "host");
        told_by(launcher, 3, "reduce", "mixed");
    }
}

TEST_CASE("arrays travel between ranks, in host memory and on devices", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (const MpiLauncher& launcher : found) {
        for (const int ranks : {1, 2, 5}) told_by(launcher, ranks, "transfers", "host");
        told_by(launcher, 4, "transfers", "mixed");
    }
}

TEST_CASE("kernels run on the ranks that have devices", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (const MpiLauncher& launcher : found) {
        told_by(launcher, 1, "kernels", "gpu");
        told_by(launcher, 3, "kernels", "mixed", {"CUPOOL_SIM_DEVICES=2"});
        told_by(launcher, 2, "no_device", "host");
    }
}

TEST_CASE("calls that differ between ranks are an error on all, and a rank's failure is known to all", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (const MpiLauncher& launcher : found) {
        const std::set<std::string> sizes = told_by(launcher, 3, "disagreement", "host");
        CHECK(sizes.size() == 1);
        told_by(launcher, 3, "failing", "host");
        told_by(launcher, 2, "failing", "mixed");
        told_by(launcher, 2, "failing_transfer", "host");
        told_by(launcher, 3, "failing_transfer", "gpu");
        told_by(launcher, 3, "options", "host");
    }
}

namespace {

/// Where rank 1 dies: at which of its messages. The scenario has some sixty in its first round.
std::vector<int> points_of_death() {
    std::vector<int> points;
    const bool takes_all = std::getenv("CUPOOL_TEST_ALL_POINTS") != nullptr;
    for (int point = 3; point < 203; point += takes_all ? 4 : 36) points.push_back(point);
    return points;
}

std::vector<std::string> dying(const MpiLauncher& launcher, int at, const std::string& how) {
    return {"CUPOOL_MPI_PLUGIN=" CUPOOL_DYING_MPI,        "CUPOOL_TEST_MPI=" + launcher.plugin, "CUPOOL_TEST_DYING_RANK=1",
            "CUPOOL_TEST_DYING_AT=" + std::to_string(at), "CUPOOL_TEST_DYING_BY=" + how,        "CUPOOL_TEST_SILENCE=1500"};
}

void check_survivors(RanksResult result, int ranks) {
    INFO(result.output);
    result.told.erase(1);  // a launcher may resume a stopped rank, which then learns that it is lost itself
    CHECK(result.told.size() == static_cast<std::size_t>(ranks - 1));
    for (const auto& [rank, text] : result.told) {
        INFO("rank " << rank << ": " << text);
        CHECK(text.starts_with("1 rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " has lost rank 1 (it has ended, or "));
        CHECK(text.ends_with("ok"));
    }
}

}  // namespace

namespace {

void check_told_by_all(const RanksResult& result, int ranks) {
    INFO(result.output);
    CHECK(result.told.size() == static_cast<std::size_t>(ranks));
    for (const auto& [rank, text] : result.told) {
        INFO("rank " << rank << ": " << text);
        CHECK(text.ends_with("ok"));
    }
}

}  // namespace

TEST_CASE("a rank that is killed at any step ends all others with a typed error", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (MpiLauncher launcher : found) {
        if (launcher.keep_others.empty()) continue;
        launcher.command.insert(launcher.command.end(), launcher.keep_others.begin(), launcher.keep_others.end());
        for (const int point : points_of_death()) {
            INFO(launcher.name << ", message " << point);
            check_survivors(run_ranks(launcher, 3, {"lost"}, dying(launcher, point, "kill"), 2), 3);
        }
    }
}

TEST_CASE("a rank that stops answering ends all others with a typed error", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (const MpiLauncher& launcher : found) {
        for (const int point : {5, 60}) {
            INFO(launcher.name << ", message " << point);
            check_survivors(run_ranks(launcher, 3, {"lost"}, dying(launcher, point, "stop"), 2), 3);
        }
    }
}

TEST_CASE("a program ends by itself: with its pool, before its pool, in a forked child and after a loss", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (MpiLauncher launcher : found) {
        told_by(launcher, 2, "forked", "host");
        told_by(launcher, 3, "exiting", "host");
        told_by(launcher, 2, "busy", "host", {"CUPOOL_TEST_SILENCE=1500"});
        check_told_by_all(run_ranks(launcher, 3, {"one_exits"}, {"CUPOOL_TEST_SILENCE=1500"}, 3), 3);
        if (launcher.keep_others.empty()) continue;
        launcher.command.insert(launcher.command.end(), launcher.keep_others.begin(), launcher.keep_others.end());
        const RanksResult result = run_ranks(launcher, 3, {"lost_and_exit"}, dying(launcher, 40, "kill"));
        check_survivors(result, 3);
        CHECK(result.exit_code != -1);
        CHECK(result.left_over == 0);
        const RanksResult unnoticed = run_ranks(launcher, 3, {"unnoticed_loss"}, {"CUPOOL_TEST_SILENCE=1500"});
        CHECK(unnoticed.told.size() == 2);
        CHECK(unnoticed.exit_code != -1);
        CHECK(unnoticed.left_over == 0);
    }
}

TEST_CASE("a plugin that does not fit the launcher is refused", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    if (found.size() < 2) CUPOOL_SKIP("there is one MPI library only");
    const RanksResult result = run_ranks(found[1], 2, {"msm"}, {"CUPOOL_MPI_PLUGIN=" + found[0].plugin}, 2);
    REQUIRE(result.told.size() == 2);
    CHECK_THAT(result.told.at(0), contains_text("the launcher has started 2 ranks"));
}

TEST_CASE("a launcher that ends all ranks when one dies leaves none waiting", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (const MpiLauncher& launcher : found) {
        INFO(launcher.name);
        const RanksResult result = run_ranks(launcher, 3, {"lost"}, dying(launcher, 40, "kill"));
        CHECK(result.exit_code > 0);
        CHECK(result.left_over == 0);
    }
}

TEST_CASE("a rank that leaves, or never comes, is a lost rank to those that wait for it", "[cluster]") {
    CUPOOL_FOUND_LAUNCHERS(found);
    for (const MpiLauncher& launcher : found) {
        const RanksResult left = run_ranks(launcher, 3, {"leaving"}, {"CUPOOL_TEST_SILENCE=1500"}, 3);
        INFO(left.output);
        REQUIRE(left.told.size() == 3);
        CHECK(left.told.at(1) == "ok");
        CHECK(left.told.at(0).find("it has destroyed its MpiPool") != std::string::npos);
        CHECK(left.told.at(2).ends_with("ok"));
        const RanksResult missing = run_ranks(launcher, 3, {"missing"}, {"CUPOOL_TEST_SILENCE=1500"}, 2);
        REQUIRE(missing.told.size() == 2);
        CHECK(missing.told.at(0).starts_with("not all ranks have made their MpiPool within 7500 ms"));
    }
}

TEST_CASE("a program without an MPI library is told what to do", "[cluster]") {
    const auto error_of = [](const MpiOptions& options) {
        try {
            const MpiPool ranks(DevicePool::host(1), options);
        } catch (const Error& error) {
            return error;
        }
        return Error(ErrorCategory::internal, "no error");
    };
    const Error missing = error_of({.plugin = "/nowhere/libmpi.so"});
    CHECK(missing.category() == ErrorCategory::unsupported);
    CHECK_THAT(missing.message(), contains_text("the MPI plugin /nowhere/libmpi.so cannot be used: "));
    const Error foreign = error_of({.plugin = "libc.so.6"});
    CHECK_THAT(foreign.message(), contains_text("it has no cupool_mpi_interface_1, so it is of another version of cupool"));
    const EnvironmentVariable variable("CUPOOL_MPI_PLUGIN", "/elsewhere/libmpi.so");
    CHECK_THAT(error_of({}).message(), contains_text("/elsewhere/libmpi.so"));
}
