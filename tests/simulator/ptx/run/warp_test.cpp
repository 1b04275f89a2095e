#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

std::string kernel(const std::string& body) {
    return header + ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out, %rd<9>; .reg .b32 %lane, %r<20>; .reg .pred %p<9>;\n" +
           "ld.param.u64 %out, [out]; mov.u32 %lane, %laneid; mov.u32 %r0, 0;\n" + body +
           "\nmul.wide.u32 %rd0, %lane, 4; add.u64 %rd0, %rd0, %out; st.global.u32 [%rd0], %r0;\n}\n";
}

struct Run {
    Outcome outcome;
    std::vector<std::uint32_t> out;
};

Run run(const std::string& body, std::uint32_t lanes = 32) {
    Memory memory;
    Loaded loaded(memory, kernel(body));
    const std::uint64_t out = memory.allocate(4 * 32);
    Run result;
    result.outcome = loaded.run("k", {}, {lanes}, out);
    result.out = memory.download<std::uint32_t>(out, 32);
    return result;
}

}  // namespace

TEST_CASE("Shuffles move values between lanes", "[ptx][warp]") {
    struct Mode {
        std::string instruction;
        std::uint32_t (*expected)(std::uint32_t lane);
    };
    const Mode modes[] = {
        {"shfl.sync.bfly.b32 %r1|%p1, %lane, 5, 0x1f, 0xffffffff;", [](std::uint32_t lane) { return (lane ^ 5) + 100; }},
        {"shfl.sync.up.b32 %r1|%p1, %lane, 3, 0, 0xffffffff;", [](std::uint32_t lane) { return lane < 3 ? lane : lane - 3 + 100; }},
        {"shfl.sync.down.b32 %r1|%p1, %lane, 3, 0x1f, 0xffffffff;", [](std::uint32_t lane) { return lane > 28 ? lane : lane + 3 + 100; }},
        {"shfl.sync.idx.b32 %r1|%p1, %lane, 9, 0x1f, 0xffffffff;", [](std::uint32_t) { return 109u; }},
        // Segments of eight lanes.
        {"shfl.sync.down.b32 %r1|%p1, %lane, 2, 0x181f, 0xffffffff;",
         [](std::uint32_t lane) { return lane % 8 > 5 ? lane : lane + 2 + 100; }},
        {"shfl.sync.up.b32 %r1|%p1, %lane, 2, 0x1800, 0xffffffff;",
         [](std::uint32_t lane) { return lane % 8 < 2 ? lane : lane - 2 + 100; }},
        {"shfl.sync.idx.b32 %r1|%p1, %lane, 3, 0x181f, 0xffffffff;", [](std::uint32_t lane) { return lane / 8 * 8 + 3 + 100; }},
    };
    for (const Mode& mode : modes) {
        INFO(mode.instruction);
        const Run result = run(mode.instruction + " selp.u32 %r0, 100, 0, %p1; add.u32 %r0, %r0, %r1;");
        REQUIRE(result.outcome);
        for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(result.out[lane] == mode.expected(lane));
    }
}

TEST_CASE("Votes and matches see the lanes of their mask alone", "[ptx][warp]") {
    const Run votes =
        run("setp.gt.u32 %p1, %lane, 27; and.b32 %r1, %lane, 1; setp.eq.u32 %p2, %r1, 0; vote.sync.ballot.b32 %r0, %p1, 0xffffffff;\n"
            "vote.sync.all.pred %p3, %p1, 0xffffffff; vote.sync.any.pred %p4, %p1, 0xffffffff; vote.sync.uni.pred %p5, 1, 0xffffffff;\n"
            "@%p3 mov.u32 %r0, 1; @!%p4 mov.u32 %r0, 2; @!%p5 mov.u32 %r0, 3;");
    REQUIRE(votes.outcome);
    CHECK(votes.out[0] == 0xf0000000);

    // Two halves of a warp apart, each with its own mask.
    const Run halves =
        run("mov.u32 %r1, 0x0000ffff; setp.gt.u32 %p1, %lane, 15; @%p1 mov.u32 %r1, 0xffff0000; and.b32 %r2, %lane, 1; setp.eq.u32 %p2, "
            "%r2, 0;\n"
            "vote.sync.ballot.b32 %r0, %p2, %r1;");
    REQUIRE(halves.outcome);
    CHECK(halves.out[0] == 0x00005555);
    CHECK(halves.out[31] == 0x55550000);

    const Run any = run("and.b32 %r1, %lane, 3; match.any.sync.b32 %r0, %r1, 0xffffffff;");
    REQUIRE(any.outcome);
    CHECK(any.out[6] == 0x44444444);
    const Run all =
        run("setp.lt.u32 %p1, %lane, 8; @!%p1 bra other; match.all.sync.b32 %r0|%p2, 5, 0xff; bra end;\n"
            "other: match.all.sync.b32 %r0|%p2, %lane, 0xffffff00; @!%p2 mov.u32 %r0, 77;\nend:");
    REQUIRE(all.outcome);
    CHECK(all.out[3] == 0xff);
    CHECK(all.out[30] == 77);

    const Run mask = run("setp.lt.u32 %p1, %lane, 5; @%p1 activemask.b32 %r0;");
    REQUIRE(mask.outcome);
    CHECK(mask.out[4] == 0x1f);
    CHECK(mask.out[5] == 0);
}

TEST_CASE("Lanes that come late are waited for", "[ptx][warp]") {
    // Odd lanes take a long path; the shuffle needs all lanes.
    const Run late =
        run("and.b32 %r1, %lane, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 0; @%p1 bra meet;\n"
            "loop: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %lane; @%p2 bra loop; bra meet;\nmeet: shfl.sync.bfly.b32 %r0, %r2, 1, 0x1f, "
            "0xffffffff;");
    REQUIRE(late.outcome);
    CHECK(late.out[6] == 7);
    CHECK(late.out[7] == 0);
    // bar.warp.sync is the same barrier wherever it stands.
    const Run barrier =
        run(".shared .u32 s; setp.lt.u32 %p1, %lane, 16; @%p1 bra low; st.shared.u32 [s], 9; bar.warp.sync 0xffffffff; bra end;\n"
            "low: bar.warp.sync 0xffffffff; ld.shared.u32 %r0, [s];\nend:");
    REQUIRE(barrier.outcome);
    CHECK(barrier.out[3] == 9);
    // Lanes that have exited or do not exist are not awaited.
    const Run few = run("setp.gt.u32 %p1, %lane, 9; @%p1 exit; vote.sync.ballot.b32 %r0, 1, 0xffffffff;", 20);
    REQUIRE(few.outcome);
    CHECK(few.out[9] == 0x3ff);

    const Run missing = run(
        "setp.lt.u32 %p1, %lane, 16; @%p1 bra low; bar.sync 1; bra end;\nlow: shfl.sync.idx.b32 %r0, %lane, 20, 0x1f, 0xffffffff;\nend:");
    CHECK(missing.outcome.fault == Fault::launch_timeout);
    CHECK(missing.outcome.report.find("shfl.sync.idx.b32") != std::string::npos);
    const Run outside = run("vote.sync.ballot.b32 %r0, 1, 0xffff;");
    CHECK(outside.outcome.fault == Fault::launch_failed);
    CHECK(outside.outcome.thread.x == 16);
}

TEST_CASE("redux reduces over a warp", "[ptx][warp]") {
    const Run result =
        run("redux.sync.add.u32 %r1, %lane, 0xffffffff; sub.u32 %r3, %lane, 8; redux.sync.min.s32 %r2, %r3, 0xffffffff; redux.sync.max.u32 "
            "%r4, %r3, 0xffffffff;\n"
            "redux.sync.xor.b32 %r5, %lane, 0xffffffff; redux.sync.or.b32 %r6, %lane, 0xffffffff; add.u32 %r0, %r1, %r2; add.u32 %r0, %r0, "
            "%r4; add.u32 %r0, %r0, %r5; add.u32 %r0, %r0, %r6;");
    REQUIRE(result.outcome);
    CHECK(result.out[13] == 496 - 8 - 1 + 0 + 31);
}

TEST_CASE("A destination may be the register that lanes read from", "[ptx][warp]") {
    // Dead registers share a slot with the result, so the sources of all lanes must be read first.
    const Run result =
        run("mov.u32 %r1, %lane; add.u32 %r1, %r1, 1; shfl.sync.down.b32 %r1, %r1, 1, 0x1f, 0xffffffff; shfl.sync.up.b32 %r0, %r1, 1, 0, "
            "0xffffffff;");
    REQUIRE(result.outcome);
    CHECK(result.out[0] == 2);
    CHECK(result.out[7] == 8);
}

}  // namespace cupool::ptx::test
