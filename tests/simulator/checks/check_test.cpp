// The optional checks, and descriptions of memory in fault reports.
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "environment_variable.hpp"
#include "machine.hpp"

using namespace cupool::test;

namespace {

// Copies a word.
const std::string fetch_text = module_text(R"(
.visible .global .align 4 .u32 variable;

.visible .entry fetch(.param .u64 to, .param .u64 from)
{
    .reg .b32 %r<1>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [to];
    ld.param.u64 %rd1, [from];
    ld.global.u32 %r0, [%rd1];
    st.global.u32 [%rd0], %r0;
    ret;
}

// All threads store their number to the same word.
.visible .entry race(.param .u64 to, .param .u64 unused)
{
    .reg .b32 %r<1>;
    .reg .b64 %rd<1>;
    ld.param.u64 %rd0, [to];
    mov.u32 %r0, %tid.x;
    st.global.u32 [%rd0], %r0;
    ret;
}

.visible .entry endless(.param .u64 to, .param .u64 unused)
{
again: bra again;
}

// Stores past its array.
.visible .entry past(.param .u64 to, .param .u64 unused)
{
    .local .align 4 .b8 mine[32];
    .reg .b32 %r<1>;
    mov.u32 %r0, 0;
    st.local.u32 [mine+32], %r0;
    ret;
}

// A barrier of the whole grid, by a counter of blocks.
.visible .entry meet(.param .u64 to, .param .u64 unused)
{
    .reg .b32 %r<3>;
    .reg .pred %p<2>;
    .reg .b64 %rd<1>;
    ld.param.u64 %rd0, [to];
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra end;
    atom.global.add.u32 %r0, [%rd0], 1;
    mov.u32 %r1, %nctaid.x;
again:
    ld.volatile.global.u32 %r0, [%rd0];
    setp.lt.u32 %p1, %r0, %r1;
    @%p1 bra again;
end:
    ret;
}
)");

/// A machine with a kernel that copies words.
struct Fetcher : Machine {
    explicit Fetcher(unsigned checks) : Machine({{}, {}}) {
        simulator.set_checks(checks);
        begin();
        module_ = module(fetch_text);
        target = memory(4);
    }

    Status run(const char* name, DevicePointer from, unsigned threads = 1) {
        void* parameters[] = {&target, &from};
        REQUIRE(cuda.launch_kernel(function(module_, name), 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr) == Status::success);
        return cuda.context_synchronize();
    }
    Status fetch(DevicePointer from) { return run("fetch", from); }

    Module module_{};
    DevicePointer target = 0;
};

}  // namespace

TEST_CASE("memory that nobody has written is not read") {
    Fetcher machine(cupool_sim_check_initialisation);
    const DevicePointer fresh = machine.memory(1 << 20);
    CHECK(machine.fetch(fresh + 4096) == Status::launch_failed);
    const std::string report = machine.simulator.device_fault_report();
    CHECK_THAT(report, contains_text("fetch"));
    CHECK_THAT(report, contains_text("ld.global.u32"));
}

TEST_CASE("memory counts as written after a set, a copy, a store, and what was copied as its source") {
    Fetcher machine(cupool_sim_check_initialisation);
    const Library& cuda = machine.cuda;
    const DevicePointer memory = machine.memory(64);
    DevicePointer pooled = 0;
    const std::uint32_t word = 6;
    REQUIRE(cuda.memory_allocate_async(&pooled, 64, nullptr) == Status::success);
    REQUIRE(cuda.set_words_async(memory, 3, 2, nullptr) == Status::success);
    CHECK(machine.fetch(memory + 4) == Status::success);
    REQUIRE(cuda.copy_host_to_device(memory + 8, &word, 4) == Status::success);
    CHECK(machine.fetch(memory + 8) == Status::success);
    CHECK(machine.fetch(machine.target) == Status::success);
    auto* const pinned = machine.pinned<std::uint32_t>(1);
    REQUIRE(cuda.copy_host_to_device_async(memory + 12, pinned, 4, nullptr) == Status::success);
    CHECK(machine.fetch(memory + 12) == Status::success);
    CHECK(machine.fetch(reinterpret_cast<DevicePointer>(pinned)) == Status::success);
    DevicePointer variable = 0;
    REQUIRE(cuda.module_get_global(&variable, nullptr, machine.module_, "variable") == Status::success);
    CHECK(machine.fetch(variable) == Status::success);
    REQUIRE(cuda.copy_device_to_device(pooled, memory, 64) == Status::success);
    CHECK(machine.fetch(pooled + 12) == Status::success);
    CHECK(machine.fetch(pooled + 16) == Status::launch_failed);
}

TEST_CASE("without the check, memory that nobody has written is read") {
    Fetcher machine(cupool_sim_check_none);
    CHECK(machine.fetch(machine.memory(64)) == Status::success);
    machine.simulator.set_checks(cupool_sim_check_all);
    CHECK(machine.fetch(machine.target) == Status::success);
}

TEST_CASE("threads that race are found") {
    Fetcher machine(cupool_sim_check_races);
    CHECK(machine.run("race", 0, 1) == Status::success);
    CHECK(machine.run("race", 0, 64) == Status::launch_failed);
    CHECK_THAT(machine.simulator.device_fault_report(), contains_text("race"));
}

TEST_CASE("a finding ends its kernel, and the next ones run") {
    Fetcher machine(cupool_sim_check_all);
    const DevicePointer fresh = machine.memory(64);
    CHECK(machine.run("race", 0, 64) == Status::launch_failed);
    CHECK(machine.fetch(fresh) == Status::launch_failed);
    REQUIRE(machine.cuda.set_words(fresh, 3, 16) == Status::success);
    CHECK(machine.fetch(fresh) == Status::success);
    CHECK(machine.simulator.finding_count() == 2);
    const std::string report = machine.simulator.device_fault_report();
    CHECK_THAT(report, contains_text("'race'"));
    CHECK_THAT(report, contains_text("'fetch'"));
    machine.simulator.raise_device_fault(700);
    CHECK(machine.cuda.context_synchronize() == Status::illegal_address);
}

TEST_CASE("findings are suppressed by kernel and line, and counted") {
    Fetcher machine(cupool_sim_check_all);
    CHECK_THROWS_AS(machine.simulator.suppress(""), std::invalid_argument);
    machine.simulator.suppress("race", 1);
    CHECK(machine.run("race", 0, 64) == Status::launch_failed);
    CHECK(machine.simulator.suppressed_count() == 0);
    machine.simulator.suppress("race");
    CHECK(machine.run("race", 0, 64) == Status::success);
    CHECK(machine.simulator.suppressed_count() > 0);
    CHECK(machine.fetch(machine.memory(64)) == Status::launch_failed);
    CHECK(machine.run("past", 0) == Status::launch_failed);
    machine.simulator.suppress("past");
    CHECK(machine.run("past", 0) == Status::success);
}

TEST_CASE("an unread finding counts as left alive") {
    Fetcher machine(cupool_sim_check_races);
    const auto unread = [&] { return machine.simulator.live_counts().unread_findings; };
    CHECK(machine.run("race", 0, 64) == Status::launch_failed);
    CHECK(machine.cuda.context_synchronize() == Status::success);
    CHECK(unread() == 1);
    SECTION("and a reset tells") { CHECK_THROWS_WITH(machine.simulator.reset(), contains_text("1 unread findings")); }
    SECTION("unless somebody asks for the report") { CHECK_FALSE(machine.simulator.device_fault_report().empty()); }
    SECTION("unless somebody asks for the count") { CHECK(machine.simulator.finding_count() == 1); }
    CHECK(unread() == 0);
}

TEST_CASE("a finding goes to stderr when it is made") {
    Fetcher machine(cupool_sim_check_races);
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    const int before = dup(STDERR_FILENO);
    std::fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    const Status result = machine.run("race", 0, 64);
    dup2(before, STDERR_FILENO);
    close(before);
    CHECK(result == Status::launch_failed);
    std::rewind(file);
    std::string text(1000, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    CHECK_THAT(text, contains_text("libcupool-sim.so: finding: race"));
    CHECK_THAT(text, contains_text("in kernel 'race'"));
}

TEST_CASE("a kernel's budget is settable") {
    Fetcher machine(cupool_sim_check_none);
    CHECK_THROWS_AS(machine.simulator.set_kernel_budget(0, 1), std::invalid_argument);
    CHECK_THROWS_AS(machine.simulator.set_kernel_budget(1, 0), std::invalid_argument);
    CHECK(machine.fetch(machine.target) == Status::success);
    machine.simulator.set_kernel_budget(1'000'000, 0.01);
    CHECK(machine.run("endless", 0) == Status::launch_timeout);
    CHECK_THAT(machine.simulator.device_fault_report(), contains_text("ran past its limit of"));
}

TEST_CASE("a grid that waits for all of its blocks goes on where they fit the device") {
    Fetcher machine(cupool_sim_check_races);
    const auto meet = [&](unsigned blocks) {
        REQUIRE(machine.cuda.set_words(machine.target, 0, 1) == Status::success);
        void* parameters[] = {&machine.target, &machine.target};
        REQUIRE(machine.cuda.launch_kernel(machine.function(machine.module_, "meet"), blocks, 1, 1, 32, 1, 1, 0, nullptr, parameters,
                                           nullptr) == Status::success);
        return machine.cuda.context_synchronize();
    };
    // The budget counts instructions, so that a slow host does not matter.
    machine.simulator.set_kernel_budget(100'000'000, 10'000);
    CHECK(meet(50) == Status::success);
    machine.simulator.set_kernel_budget(2'000'000, 10'000);
    CHECK(meet(5000) == Status::launch_timeout);
    CHECK_THAT(machine.simulator.device_fault_report(), contains_text("of its 5000 blocks not yet begun (at most 4224"));
}

TEST_CASE("the environment switches checks on") {
    Fetcher machine(cupool_sim_check_none);
    CHECK_THROWS_AS(machine.simulator.set_checks(16), std::invalid_argument);
    const auto finds_race = [&](const char* checks) {
        const EnvironmentVariable variable("CUPOOL_SIM_CHECKS", checks);
        try {
            machine.simulator.reset();
        } catch (const std::logic_error&) {  // left by the last round
        }
        machine.begin();
        machine.module_ = machine.module(fetch_text);
        machine.target = machine.memory(4);
        return machine.run("race", 0, 64) == Status::launch_failed;
    };
    CHECK(finds_race("all"));
    CHECK(finds_race("initialisation,races"));
    CHECK_FALSE(finds_race("initialisation"));
    CHECK_FALSE(finds_race("none"));
}

TEST_CASE("a fault's report describes the present, nearest or former allocation at the address") {
    const auto report_of_fetch = [](const std::function<DevicePointer(Fetcher&)>& address) {
        Fetcher machine(cupool_sim_check_none);
        CHECK(machine.fetch(address(machine)) == Status::illegal_address);
        return machine.simulator.device_fault_report();
    };
    CHECK_THAT(report_of_fetch([](Fetcher& machine) { return machine.memory(1024) + 1028; }),
               contains_text("4 bytes past the end of an allocation of 1024 bytes at 0x"));
    CHECK_THAT(report_of_fetch([](Fetcher& machine) { return machine.memory(1024) - 8; }),
               contains_text("8 bytes before an allocation of 1024 bytes at 0x"));
    CHECK_THAT(report_of_fetch([](Fetcher& machine) {
                   const DevicePointer memory = machine.memory(512);
                   REQUIRE(machine.cuda.memory_free(memory) == Status::success);
                   return memory + 4;
               }),
               contains_text("in an allocation of 512 bytes at 0x"));
    CHECK_THAT(report_of_fetch([](Fetcher& machine) {
                   const DevicePointer memory = machine.memory(512);
                   REQUIRE(machine.cuda.memory_free(memory) == Status::success);
                   return memory + 4;
               }),
               contains_text("that was freed"));
    CHECK_THAT(report_of_fetch([](Fetcher& machine) {
                   machine.enter(1);
                   const DevicePointer there = machine.memory(512);
                   machine.enter(0);
                   return there;
               }),
               contains_text("on device 1, which the kernel's context may not access"));
}

TEST_CASE("a call that is passed a stream of a context that is not current is found") {
    for (const unsigned checks : {cupool_sim_check_none, cupool_sim_check_context}) {
        Machine machine({{}, {}});
        machine.simulator.set_checks(checks);
        machine.begin();
        const Stream stream = machine.stream();
        CHECK(machine.cuda.stream_synchronize(stream) == Status::success);
        machine.enter(1);
        CHECK(machine.cuda.stream_synchronize(nullptr) == Status::success);
        const bool is_found = checks == cupool_sim_check_context;
        CHECK(machine.cuda.stream_synchronize(stream) == (is_found ? Status::launch_failed : Status::success));
        CHECK(machine.cuda.context_synchronize() == Status::success);
        CHECK(machine.simulator.device_fault_report().empty() != is_found);
    }
}
