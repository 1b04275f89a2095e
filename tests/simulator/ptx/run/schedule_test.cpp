#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "machine.hpp"
#include "ptx/run/schedule.hpp"
#include "sanitizers.hpp"

namespace cupool::ptx::test {
namespace {

// Each warp repeatedly draws a ticket and stores it, which records the order of the warps.
const std::string draw =
    header +
    ".global .u32 next;\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 %out, %rd<4>; .reg .b32 %tid, %block, %r<9>; "
    ".reg .pred %p<4>;\nld.param.u64 %out, [out]; mov.u32 %tid, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %r1, %ntid.x; "
    "mad.lo.u32 %r2, %block, %r1, %tid; mov.u32 %r3, 0;\nloop: atom.global.add.u32 %r4, [next], 1; mul.wide.u32 %rd1, "
    "%r4, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r2; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 10; @%p1 "
    "bra loop;\n}\n";

std::vector<std::uint32_t> trace(std::uint64_t seed, bool cooperative = false) {
    Memory memory;
    Loaded loaded(memory, draw);
    loaded.seed = seed;
    loaded.cooperative = cooperative;
    const std::uint64_t out = memory.allocate(12 * 96 * 10 * 4);
    const Outcome outcome = loaded.run("k", {12}, {96}, out);
    INFO(outcome.report);
    REQUIRE(outcome);
    return memory.download<std::uint32_t>(out, 12 * 96 * 10);
}

}  // namespace

TEST_CASE("A warp whose turn ends as its last lanes reconverge continues", "[ptx]") {
    // Half of the lanes wait for the others, which arrive a few instructions before, at or after the end of the warp's turn.
    for (unsigned rounds = 6640; rounds < 6680; ++rounds) {
        for (const std::string more : {"", "add.u32 %r2, %r2, 1; ", "add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; "}) {
            Memory memory;
            Loaded loaded(memory, header +
                                      ".visible .entry k()\n{\n.reg .b32 %r<4>; .reg .pred %p<4>;\nmov.u32 %r3, %laneid; "
                                      "setp.ge.u32 %p1, %r3, 16; mov.u32 %r1, 0; mov.u32 %r2, 0; @%p1 bra meet;\n"
                                      "loop: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, " +
                                      std::to_string(rounds) + "; @%p2 bra loop; " + more +
                                      "\nmeet: shfl.sync.bfly.b32 %r3, %r2, 16, 31, 0xffffffff;\n}\n");
            const Outcome outcome = loaded.run("k", {1}, {32});
            INFO(rounds << " " << more << outcome.report);
            REQUIRE(outcome);
        }
    }
}

TEST_CASE("A seed decides the order, and the same seed decides the same", "[ptx][seed]") {
    for (const bool cooperative : {false, true}) {
        std::set<std::vector<std::uint32_t>> traces;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const std::vector<std::uint32_t> once = trace(seed, cooperative);
            CHECK(once == trace(seed, cooperative));
            traces.insert(once);
        }
        CHECK(traces.size() == 20);
    }
    // Without one, blocks run in their order.
    const std::vector<std::uint32_t> plain = trace(0);
    for (std::size_t i = 1; i < plain.size(); ++i) CHECK(plain[i] / 96 >= plain[i - 1] / 96);
}

TEST_CASE("With any seed each block starts once, some first that come late otherwise", "[ptx][seed]") {
    for (const std::uint32_t blocks : {1u, 2u, 7u, 60u, 4096u}) {
        std::set<std::uint64_t> firsts;
        for (std::uint64_t seed = 1; seed < 30; ++seed) {
            Launch launch;
            launch.grid = {blocks};
            launch.seed = seed;
            const Schedule schedule(launch);
            CHECK(schedule.first_resident() >= 1);
            CHECK(schedule.first_resident() <= schedule.max_resident());
            std::set<std::uint64_t> started;
            for (std::uint64_t i = 0; i < blocks; ++i) started.insert(schedule.block(i));
            CHECK(started.size() == blocks);
            CHECK(*started.rbegin() == blocks - 1);
            firsts.insert(schedule.block(0));
        }
        CHECK(firsts.size() >= std::min(blocks, 6u));
    }
}

TEST_CASE("Turns go round without a seed, and anywhere with one", "[ptx][seed]") {
    const auto turns = [](std::uint64_t seed) {
        Launch launch;
        launch.grid = {10};
        launch.seed = seed;
        Schedule schedule(launch);
        std::vector<std::size_t> order{4};
        while (order.size() < 50) order.push_back(schedule.next(order.back(), 5));
        return order;
    };
    const std::vector<std::size_t> plain = turns(0);
    for (std::size_t i = 0; i < plain.size(); ++i) CHECK(plain[i] == (i + 4) % 5);
    CHECK(turns(1) == turns(1));
    CHECK(turns(1) != turns(0));
    CHECK(turns(1) != turns(2));
    for (std::size_t warp = 0; warp < 5; ++warp) {
        const std::vector<std::size_t> order = turns(3);
        CHECK(std::count(order.begin(), order.end(), warp) > 1);
    }
}

TEST_CASE("Locks are got with any seed, between lanes, warps and resident blocks", "[ptx][seed][spin][long]") {
    Memory memory;
    Loaded loaded(memory,
                  header +
                      ".global .u32 lock; .global .u32 count;\n.visible .entry k()\n{\n.reg .b32 %r<9>; .reg .pred %p<3>;\nagain: "
                      "atom.global.cas.b32 %r3, [lock], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra again;\nld.volatile.global.u32 %r4, "
                      "[count]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [count], %r4; membar.gl; atom.global.exch.b32 %r5, "
                      "[lock], 0;\n}\n");
    // Waiting threads spin for a turn of up to 2^16 instructions, all of them atomics, which sanitizers make a hundred times slower.
    constexpr std::uint32_t blocks = cupool::test::is_sanitized ? 2 : 5;
    constexpr std::uint64_t seeds = cupool::test::is_sanitized ? 2 : 20;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        loaded.seed = seed;
        const Outcome outcome = loaded.run("k", {blocks}, {64});
        INFO(outcome.report);
        REQUIRE(outcome);
        CHECK(memory.download<std::uint32_t>(loaded.addresses[1], 1).front() == seed * blocks * 64);
    }
    // Blocks that wait for one that starts after them.
    Loaded later(memory,
                 header +
                     ".global .u32 arrived;\n.visible .entry k()\n{\n.reg .b32 %r<9>; .reg .pred %p<3>;\nmov.u32 %r1, %nctaid.x; "
                     "atom.global.add.u32 %r2, [arrived], 1;\nspin: ld.volatile.global.u32 %r3, [arrived]; setp.lt.u32 %p1, %r3, %r1; "
                     "@%p1 bra spin;\n}\n");
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        later.seed = seed;
        std::fill_n(memory.find(later.addresses[0]).host, 4, std::byte{0});
        CHECK(later.run("k", {40}, {1}));
    }
}

}  // namespace cupool::ptx::test
