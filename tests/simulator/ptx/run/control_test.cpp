#include <atomic>
#include <chrono>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

// Each thread has %tid, %id (of the grid) and writes %r0 to out[id].
std::string kernel(const std::string& body, const std::string& globals = "") {
    return header + globals +
           ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out, %rd<9>; .reg .b32 %tid, %id, %r<20>; .reg .pred %p<9>;\n" +
           "ld.param.u64 %out, [out]; mov.u32 %tid, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %id, %r1, %r2, "
           "%tid;\n" +
           body + "\nmul.wide.u32 %rd0, %id, 4; add.u64 %rd0, %rd0, %out; st.global.u32 [%rd0], %r0;\n}\n";
}

struct Run {
    Outcome outcome;
    std::vector<std::uint32_t> out;
};

Run run(const std::string& text, Dimensions grid, Dimensions block, const Limits& limits = {}, bool cooperative = false) {
    Memory memory;
    Loaded loaded(memory, text);
    loaded.limits = limits;
    loaded.cooperative = cooperative;
    const std::uint64_t out = memory.allocate(grid.count() * block.count() * 4);
    Run result;
    result.outcome = loaded.run("k", grid, block, out);
    result.out = memory.download<std::uint32_t>(out, grid.count() * block.count());
    return result;
}

std::uint32_t collatz_steps(std::uint32_t start) {
    std::uint32_t steps = 0;
    for (std::uint64_t x = start; x != 1; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    return steps;
}

}  // namespace

TEST_CASE("Diverged lanes run separately and reconverge", "[ptx][control]") {
    const Run result = run(kernel("add.u32 %r3, %id, 1; cvt.u64.u32 %rd1, %r3; mov.u32 %r0, 0;\n"
                                  "loop: setp.eq.u64 %p1, %rd1, 1; @%p1 bra done; add.u32 %r0, %r0, 1; and.b64 %rd2, %rd1, 1; setp.eq.u64 "
                                  "%p2, %rd2, 0; @%p2 bra even;\n"
                                  "mad.lo.u64 %rd1, %rd1, 3, 1; bra loop;\neven: shr.u64 %rd1, %rd1, 1; bra loop;\n"
                                  "done: vote.sync.ballot.b32 %r4, 1, 0xffffffff; setp.eq.u32 %p3, %r4, 0xffffffff; @!%p3 mov.u32 %r0, 0;"),
                           {4}, {64});
    INFO(result.outcome.report);
    REQUIRE(result.outcome);
    for (std::uint32_t i = 0; i < 256; ++i) CHECK(result.out[i] == collatz_steps(i + 1));
    // The lanes run together, not one after another.
    CHECK(result.outcome.warp_instructions * 8 < result.outcome.lane_instructions);
}

TEST_CASE("A branch table sends each lane to its own target", "[ptx][control]") {
    const Run result = run(
        kernel(
            "and.b32 %r3, %id, 3; @%p0 bra unused; table: .branchtargets a, b, c, b;\nbrx.idx %r3, table;\na: mov.u32 %r0, 10; bra end;\n"
            "b: mov.u32 %r0, 20; bra end;\nc: mov.u32 %r0, 30;\nunused: end:"),
        {1}, {48});
    INFO(result.outcome.report);
    REQUIRE(result.outcome);
    for (std::uint32_t i = 0; i < 48; ++i) CHECK(result.out[i] == std::array{10u, 20u, 30u, 20u}[i % 4]);
    const Run wrong = run(kernel("table: .branchtargets a;\nbrx.idx %id, table;\na: mov.u32 %r0, 1;"), {1}, {2});
    CHECK(wrong.outcome.fault == Fault::launch_failed);
}

TEST_CASE("Functions take and give parameters, by value, in registers and recursively", "[ptx][control][call]") {
    const std::string functions =
        ".func (.param .b32 result) triple(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; mul.lo.u32 %r1, %r1, 3; st.param.b32 "
        "[result], %r1; ret; }\n"
        // In registers, with a local variable and another call inside.
        ".func (.reg .u32 result, .reg .u64 wide) mixed(.reg .u32 x, .param .align 8 .b8 pair[16]) {\n"
        " .reg .b64 %rd<3>; .reg .b32 %r<3>; .local .u32 keep; st.local.u32 [keep], x; ld.param.u64 %rd1, [pair+8]; add.u64 wide, %rd1, "
        "1;\n"
        " { .param .b32 a; .param .b32 b; st.param.b32 [a], x; call (b), triple, (a); ld.param.b32 %r1, [b]; }\n"
        " ld.local.u32 %r2, [keep]; add.u32 result, %r1, %r2; ret; }\n"
        ".func (.param .b32 result) fibonacci(.param .b32 n)\n{\n .reg .b32 %r<6>; .reg .pred %p;\n ld.param.u32 %r1, [n]; setp.lt.u32 %p, "
        "%r1, 2; @%p bra small;\n"
        " { .param .b32 a; .param .b32 b; sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2; call.uni (b), fibonacci, (a); ld.param.b32 %r3, [b]; "
        "}\n"
        " { .param .b32 a; .param .b32 b; sub.u32 %r2, %r1, 2; st.param.b32 [a], %r2; call.uni (b), fibonacci, (a); ld.param.b32 %r4, [b]; "
        "}\n"
        " add.u32 %r1, %r3, %r4;\nsmall: st.param.b32 [result], %r1; ret;\n}\n";
    const Run result = run(
        kernel(
            "{ .param .align 8 .b8 pair[16]; mov.u64 %rd1, 1000; st.param.u64 [pair+8], %rd1; call (%r3, %rd2), mixed, (%tid, pair); }\n"
            "cvt.u32.u64 %r4, %rd2; add.u32 %r0, %r3, %r4; and.b32 %r5, %tid, 15; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r5;\n"
            "setp.ne.u32 %p1, %r5, 7; @%p1 call (b), fibonacci, (a); @%p1 ld.param.b32 %r6, [b]; @!%p1 mov.u32 %r6, 0; } add.u32 %r0, %r0, "
            "%r6;",
            functions),
        {1}, {40});
    INFO(result.outcome.report);
    REQUIRE(result.outcome);
    const auto fibonacci = [](auto&& self, std::uint32_t n) -> std::uint32_t { return n < 2 ? n : self(self, n - 1) + self(self, n - 2); };
    for (std::uint32_t i = 0; i < 40; ++i) CHECK(result.out[i] == 4 * i + 1001 + (i % 16 == 7 ? 0 : fibonacci(fibonacci, i % 16)));

    const Run endless = run(kernel("call f; mov.u32 %r0, 1;", ".func f() { .local .b8 big[1000]; call f; ret; }\n"), {1}, {1});
    CHECK(endless.outcome.fault == Fault::illegal_address);
}

TEST_CASE("Recursion counts the frame sizes of a GPU against the stack limit", "[ptx][control][call]") {
    // f(n) calls itself n times and returns the number of calls.
    const auto depth = [](const std::string& local, const std::string& n) {
        const std::string f =
            ".func (.param .b32 result) f(.param .b32 n)\n{\n .reg .b32 %r<4>; .reg .pred %p; " + local +
            "\n ld.param.u32 %r1, [n]; mov.u32 %r3, 0; setp.eq.u32 %p, %r1, 0; @%p bra last;\n"
            " { .param .b32 a; .param .b32 b; sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2; call.uni (b), f, (a); ld.param.b32 %r3, [b]; }\n"
            "last: add.u32 %r3, %r3, 1; st.param.b32 [result], %r3; ret;\n}\n";
        Limits limits;
        limits.device_stack_bytes = 1024;
        const std::string body =
            "{ .param .b32 a; .param .b32 b; st.param.b32 [a], " + n + "; call.uni (b), f, (a); ld.param.b32 %r0, [b]; }";
        return run(kernel(body, f), {1}, {1}, limits);
    };
    // ptxas 13.0 gives this function a frame of 16 bytes.
    for (const std::uint32_t n : {7u, 15u, 40u}) {
        const Run result = depth("", std::to_string(n));
        INFO(result.outcome.report);
        REQUIRE(result.outcome);
        CHECK(result.out[0] == n + 1);
    }
    CHECK(depth("", "100").outcome.fault == Fault::illegal_address);
    // With an array of 128 bytes an H200 faults at five calls under that limit.
    const std::string array = ".local .align 16 .b8 depot[128]; .param .b64 more; .param .b64 yet_more;";
    CHECK(depth(array, "4").outcome);
    CHECK(depth(array, "5").outcome.fault == Fault::illegal_address);
}

TEST_CASE("A launch that takes too long ends, be it of one endless block or of many short ones", "[ptx][control]") {
    Limits limits;
    limits.seconds = 0;
    const Run endless = run(kernel("again: bra again;"), {1}, {1}, limits);
    CHECK(endless.outcome.fault == Fault::launch_timeout);
    CHECK(endless.outcome.report.find("ran past its limit of seconds") != std::string::npos);
    const Run many = run(kernel("mov.u32 %r0, 0;"), {100'000}, {1}, limits);
    CHECK(many.outcome.fault == Fault::launch_timeout);
}

TEST_CASE("Blocks stop joining the resident ones where their state takes much memory", "[ptx][control]") {
    Limits limits;
    limits.warp_instructions = 30'000'000;
    const Run result = run(kernel(".local .b8 big[2097152]; again: bra again;"), {64}, {32}, limits);
    CHECK(result.outcome.fault == Fault::launch_timeout);
    INFO(result.outcome.report);
    CHECK(result.outcome.report.find("61 of its 64 blocks not yet begun (at most 3 are resident at once)") != std::string::npos);
}

TEST_CASE("Locks between lanes of a warp, warps of a block and blocks of a grid are got in turn", "[ptx][control][spin]") {
    const std::string text = kernel(
        "mov.u32 %r0, 0;\nagain: atom.global.cas.b32 %r3, [lock], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra again;\n"
        "ld.volatile.global.u32 %r4, [count]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [count], %r4; membar.gl; atom.global.exch.b32 "
        "%r5, [lock], 0; mov.u32 %r0, %r4;",
        ".global .u32 lock; .global .u32 count;\n");
    const Run result = run(text, {3}, {96});
    INFO(result.outcome.report);
    REQUIRE(result.outcome);
    std::vector<std::uint32_t> sorted = result.out;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t i = 0; i < sorted.size(); ++i) CHECK(sorted[i] == i + 1);
}

TEST_CASE("Barriers hold a block together, also with few threads, counts and reductions", "[ptx][control][barrier]") {
    // Each thread reads what its mirror wrote before the barrier.
    const Run mirrored = run(
        kernel(".shared .u32 s[1024]; mov.u32 %r3, s; shl.b32 %r4, %tid, 2; add.u32 %r4, %r4, %r3; st.shared.u32 [%r4], %id; bar.sync 0;\n"
               "sub.u32 %r5, %r2, %tid; sub.u32 %r5, %r5, 1; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r3; ld.shared.u32 %r0, [%r5];"),
        {2}, {1000});
    INFO(mirrored.outcome.report);
    REQUIRE(mirrored.outcome);
    for (std::uint32_t i = 0; i < 2000; ++i) REQUIRE(mirrored.out[i] == i / 1000 * 1000 + 999 - i % 1000);

    const Run reduced = run(kernel("and.b32 %r3, %tid, 3; setp.eq.u32 %p1, %r3, 0; bar.red.popc.u32 %r0, 1, %p1; bar.red.and.pred %p2, 1, "
                                   "%p1; bar.red.or.pred %p3, 2, !%p1;\n"
                                   "@%p2 add.u32 %r0, %r0, 1000; @%p3 add.u32 %r0, %r0, 2000; setp.lt.u32 %p4, %tid, 100; barrier.sync 3; "
                                   "@%p4 bar.sync 4; bar.cta.red.and.pred %p5, 5, 96, 1;\n"
                                   "@%p5 add.u32 %r0, %r0, 10000;"),
                            {1}, {72});
    INFO(reduced.outcome.report);
    REQUIRE(reduced.outcome);
    for (const std::uint32_t value : reduced.out) CHECK(value == 18 + 2000 + 10000);

    // Producer and consumer warps: bar.arrive and bar.sync on one barrier of 64 threads.
    const Run produced = run(kernel(".shared .u32 s; setp.lt.u32 %p1, %tid, 32; @!%p1 bra consume; st.shared.u32 [s], 42; bar.arrive 1, "
                                    "64; mov.u32 %r0, 1; bra end;\n"
                                    "consume: bar.sync 1, 64; ld.shared.u32 %r0, [s];\nend:"),
                             {1}, {64});
    INFO(produced.outcome.report);
    REQUIRE(produced.outcome);
    CHECK(produced.out[63] == 42);

    // Exited threads are not awaited.
    const Run left = run(kernel("mov.u32 %r0, 5; setp.gt.u32 %p1, %tid, 40; @%p1 exit; bar.sync 0;"), {1}, {128});
    REQUIRE(left.outcome);
    CHECK(left.out[40] == 5);
    CHECK(left.out[41] == 0);
}

TEST_CASE("Threads that wait for ever are a timeout that says where they are", "[ptx][control][fault]") {
    const Run apart = run(kernel("setp.lt.u32 %p1, %tid, 32; @%p1 bar.sync 1; @!%p1 bar.sync 2; mov.u32 %r0, 0;"), {1}, {64});
    CHECK(apart.outcome.fault == Fault::launch_timeout);
    CHECK(apart.outcome.report.find("deadlock") != std::string::npos);
    CHECK(apart.outcome.report.find("bar.sync") != std::string::npos);

    Limits limits;
    limits.warp_instructions = 1'000'000;
    const Run endless = run(kernel("loop: bra loop;"), {1}, {32}, limits);
    CHECK(endless.outcome.fault == Fault::launch_timeout);
    CHECK(endless.outcome.warp_instructions < 1'100'000);

    const Run just_enough = run(kernel("mov.u32 %r0, 1;"), {1}, {32}, Limits{10});
    INFO(just_enough.outcome.report);
    CHECK(just_enough.outcome.warp_instructions <= 10);
    CHECK(just_enough.outcome);

    std::atomic<bool> cancel{false};
    limits = {};
    limits.cancel = &cancel;
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        cancel = true;
    });
    const Run cancelled = run(kernel("loop: bra loop;"), {1}, {32}, limits);
    other.join();
    CHECK(cancelled.outcome.fault == Fault::launch_timeout);
    CHECK(cancelled.outcome.report.find("cancelled") != std::string::npos);
}

TEST_CASE("Blocks that wait for one another all make progress", "[ptx][control][cooperative]") {
    // A barrier of the whole grid, twice; each thread then sums what all blocks wrote.
    const std::string text = kernel(
        "mov.u32 %r9, 0; mov.u32 %r8, %nctaid.x; mov.u64 %rd3, slots; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd3, %rd4; add.u32 %r7, "
        "%r1, 1; st.global.u32 [%rd4], %r7;\n"
        "membar.gl; bar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 bra wait; atom.global.add.u32 %r3, [arrived], 1;\n"
        "spin: ld.volatile.global.u32 %r4, [arrived]; setp.lt.u32 %p2, %r4, %r8; @%p2 bra spin;\nwait: bar.sync 0; mov.u32 %r0, 0; mov.u32 "
        "%r5, 0;\n"
        "sum: ld.volatile.global.u32 %r6, [%rd3]; add.u32 %r0, %r0, %r6; add.u64 %rd3, %rd3, 4; add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, "
        "%r8; @%p3 bra sum;",
        ".global .u32 arrived; .global .u32 slots[100];\n");
    for (const bool cooperative : {false, true}) {
        // Further blocks of a plain launch become resident only after the first has waited for a long turn, so two suffice.
        const std::uint32_t blocks = cooperative ? 40 : 2;
        const Run result = run(text, {blocks}, {64}, {}, cooperative);
        INFO(result.outcome.report);
        REQUIRE(result.outcome);
        for (const std::uint32_t value : result.out) REQUIRE(value == blocks * (blocks + 1) / 2);
    }
}

TEST_CASE("Special registers tell who and where a thread is", "[ptx][control]") {
    const std::string text = header +
                             ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<30>;\nld.param.u64 %rd1, [out]; "
                             "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n"
                             "mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;\n"
                             "setp.eq.u32 p, %ctaid.z, 1; .reg .pred p; ret; }\n";
    CHECK_THROWS_AS(Program::parse(text), ParseError);  // a register is declared before it is used
    Memory memory;
    Loaded loaded(
        memory,
        header +
            ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<9>; .reg .b32 %r<30>; .reg .pred %p<3>;\nld.param.u64 %rd1, [out];\n"
            "mov.u32 %r1, %tid.z; mov.u32 %r2, %ntid.y; mad.lo.u32 %r3, %r1, %r2, %tid.y; mov.u32 %r4, %ntid.x; mad.lo.u32 %r3, %r3, %r4, "
            "%tid.x;\n"
            "and.b32 %r5, %r3, 31; setp.ne.u32 %p1, %r5, %laneid; shr.u32 %r6, %r3, 5; setp.ne.or.u32 %p1, %r6, %warpid, %p1;\n"
            "mov.u32 %r7, %lanemask_lt; popc.b32 %r7, %r7; setp.ne.or.u32 %p1, %r7, %laneid, %p1; mov.u32 %r8, %lanemask_ge; not.b32 %r8, "
            "%r8;\n"
            "setp.ne.or.u32 %p1, %r8, %lanemask_lt, %p1; or.b32 %r9, %lanemask_le, %lanemask_gt; setp.ne.or.u32 %p1, %r9, 0xffffffff, "
            "%p1;\n"
            "mov.u64 %rd2, %clock64; mov.u32 %r10, %clock; mov.u64 %rd3, %clock64; setp.le.or.u64 %p1, %rd3, %rd2, %p1;\n"
            "mov.u32 %r11, %ctaid.z; mad.lo.u32 %r11, %r11, %nctaid.y, %ctaid.y; mad.lo.u32 %r11, %r11, %nctaid.x, %ctaid.x; mad.lo.u32 "
            "%r11, %r11, 36, %r3;\n"
            "mul.wide.u32 %rd4, %r11, 4; add.u64 %rd4, %rd4, %rd1; selp.u32 %r12, 0, 1, %p1; add.u32 %r12, %r12, %nwarpid; st.global.u32 "
            "[%rd4], %r12;\n}\n");
    const std::uint64_t out = memory.allocate(4 * 36 * 12);
    const Outcome outcome = loaded.run("k", {2, 3, 2}, {3, 4, 3}, out);
    INFO(outcome.report);
    REQUIRE(outcome);
    for (const std::uint32_t value : memory.download<std::uint32_t>(out, 36 * 12)) CHECK(value == 1 + 2);
}

}  // namespace cupool::ptx::test
