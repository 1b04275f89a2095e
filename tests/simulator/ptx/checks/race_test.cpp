#include "catch.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"

namespace cupool::ptx::test {
namespace {

// Each thread has %tid, %lane, %block and %id (of the grid); %mine is the address of its own word in shared memory, %next that of the next
// thread's, %out that of its own word in global memory. Everything is initialised.
std::string kernel(const std::string& body) {
    return header +
           ".global .u32 flag; .global .u32 count; .global .u32 data[64];\n.visible .entry k(.param .u64 out)\n{\n"
           ".reg .b64 %out, %all, %rd<9>; .reg .b32 %tid, %lane, %block, %id, %mine, %next, %r<20>; .reg .pred %p<9>, %first, %leader; "
           ".shared .align 16 .b8 s[1024];\n"
           "ld.param.u64 %all, [out]; mov.u32 %tid, %tid.x; mov.u32 %lane, %laneid; mov.u32 %block, %ctaid.x; mov.u32 %r1, %ntid.x;\n"
           "mad.lo.u32 %id, %block, %r1, %tid; mul.wide.u32 %rd1, %id, 4; add.u64 %out, %all, %rd1; add.u32 %r2, %tid, 1; rem.u32 %r2, "
           "%r2, "
           "%r1;\nmov.u32 %r3, s; shl.b32 %mine, %tid, 2; add.u32 %mine, %mine, %r3; shl.b32 %next, %r2, 2; add.u32 %next, %next, %r3;\n"
           "setp.eq.u32 %first, %block, 0; setp.eq.u32 %leader, %tid, 0; mov.u32 %r0, 0;\n" +
           body + "\n}\n";
}

Outcome run(const std::string& text, Dimensions grid = {1}, Dimensions block = {128}, bool check = true, std::uint64_t seed = 0) {
    Memory memory;
    Loaded loaded(memory, text);
    loaded.checks.races = check;
    loaded.seed = seed;
    loaded.cooperative = true;
    return loaded.run("k", grid, block, memory.allocate(grid.count() * block.count() * 4 + 4));
}

void check_found(const Outcome& outcome, const std::string& words) {
    INFO(outcome.report);
    CHECK(outcome.fault == Fault::launch_failed);
    CHECK(outcome.report.find("race: ") == 0);
    CHECK(outcome.report.find(words) != std::string::npos);
}

void check_silent(const Outcome& outcome) {
    INFO(outcome.report);
    CHECK(outcome);
}

const std::string store = "st.shared.u32 [%mine], %tid;\n";
const std::string load = "ld.shared.u32 %r0, [%next];\n";

}  // namespace

TEST_CASE("Threads of a block that share memory need a barrier in between", "[ptx][race]") {
    const Outcome found = run(kernel(store + load));
    check_found(found,
                "read of 4 bytes in shared space, unordered with the write by thread (1,0,0) of block (0,0,0) at line 12 (st.shared.u32)");
    CHECK(found.line == 13);
    CHECK(found.thread.x == 0);
    CHECK(found.space == "shared");
    check_silent(run(kernel(store + load), {1}, {128}, false));
    check_silent(run(kernel(store + "bar.sync 0;\n" + load)));
    check_found(run(kernel(store + "bar.sync 0;\n" + load + store)), "write of 4 bytes in shared space, unordered with the read by thread");
    check_silent(run(kernel(store + "bar.sync 0;\n" + load + "bar.sync 0;\n" + store)));
    check_silent(run(kernel(store + "bar.red.popc.u32 %r5, 0, 1;\n" + load)));
    // No thread writes, or each thread has its own bytes, however small.
    check_silent(run(kernel(load + "ld.shared.u32 %r0, [%mine];")));
    check_silent(run(kernel("add.u32 %r5, %r3, %tid; st.shared.u8 [%r5], %tid; ld.shared.u8 %r0, [%r5];")));
    check_found(run(kernel("add.u32 %r5, %r3, %tid; st.shared.u8 [%r5], %tid; ld.shared.u8 %r0, [%r5+1];")), "1 byte in shared space");
    // A word is written whole and read in part.
    const std::string whole = "@%leader st.shared.v4.u32 [s], {%tid, %tid, %tid, %tid};\n";
    check_found(run(kernel(whole + "ld.shared.u16 %r0, [s+6];")), "read of 2 bytes in shared space");
    check_silent(run(kernel(whole + "bar.sync 0; ld.shared.u16 %r0, [s+6];")));
    check_silent(run(kernel(whole + "@!%leader ld.shared.u16 %r0, [s+22];")));
    // Two blocks never share shared memory, though it may be the same host memory.
    check_silent(run(kernel(store), {70}));
}

TEST_CASE("Lanes of one store may only write equal values to one address", "[ptx][race]") {
    const Outcome found = run(kernel("st.shared.u32 [s], %tid;"), {1}, {32});
    check_found(found, "to which thread (0,0,0) writes another value by the same instruction");
    CHECK(found.thread.x == 1);
    check_silent(run(kernel("st.shared.u32 [s], 7;"), {1}, {32}));
    check_found(run(kernel("st.shared.u32 [s], 7;"), {1}, {64}), "write by thread (0,0,0)");
    check_found(run(kernel("st.global.u32 [data], %tid;"), {1}, {32}), "another value");
    check_silent(run(kernel("st.global.u32 [data], 7;"), {1}, {32}));
    // Each thread has its own.
    check_silent(run(kernel(".local .u32 l; mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; st.u32 [%rd2], %tid;"), {1}, {32}));
    check_found(run(kernel("cvta.shared.u64 %rd2, s; st.u32 [%rd2], %tid;"), {1}, {32}), "another value");
}

TEST_CASE("Warps that synchronise share without a barrier, with each other alone", "[ptx][race]") {
    const std::string neighbour = "xor.b32 %r5, %tid, 1; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r3; ld.shared.u32 %r0, [%r5];\n";
    check_found(run(kernel(store + neighbour)), "shared");
    check_silent(run(kernel(store + "bar.warp.sync 0xffffffff;\n" + neighbour)));
    check_silent(run(kernel(store + "shfl.sync.idx.b32 %r6, %tid, 0, 31, 0xffffffff;\n" + neighbour)));
    check_found(run(kernel(store + "bar.warp.sync 0xffffffff;\n" + load)), "read by thread (31,0,0)");
    // Half a warp each.
    const std::string halves =
        "setp.lt.u32 %p1, %lane, 16; @!%p1 bra upper; bar.warp.sync 0xffff; bra both;\nupper: bar.warp.sync 0xffff0000;\nboth:\n";
    check_silent(run(kernel(store + halves + neighbour)));
    check_found(run(kernel(store + halves + load)), "by thread (16,0,0)");
}

TEST_CASE("Barriers for some of the threads order these", "[ptx][race]") {
    // Each pair of warps has a barrier of its own: the neighbour of thread 63 is beyond it.
    const std::string pair = "shr.u32 %r5, %tid, 6; add.u32 %r5, %r5, 1; bar.sync %r5, 64;\n";
    check_found(run(kernel(store + pair + load)), "read by thread (63,0,0)");
    check_silent(run(kernel(store + pair + "and.b32 %r5, %tid, 63; setp.eq.u32 %p1, %r5, 63; @%p1 mov.u32 %next, %mine;\n" + load)));
    // Producer and consumer.
    const std::string consume = "bra end;\nconsume: bar.sync 1, 64; ld.shared.u32 %r0, [s];\nend:";
    const std::string split = "setp.lt.u32 %p1, %tid, 32; @!%p1 bra consume; ";
    check_silent(run(kernel(split + "@%leader st.shared.u32 [s], 42; bar.arrive 1, 64; " + consume), {1}, {64}));
    check_found(run(kernel(split + "bar.arrive 1, 64; @%leader st.shared.u32 [s], 42; " + consume), {1}, {64}), "shared");
}

TEST_CASE("Atomics do not race with each other, but with others", "[ptx][race]") {
    check_silent(
        run(kernel("atom.shared.add.u32 %r0, [s], 1; atom.global.add.u32 %r0, [count], 1; red.global.max.u32 [data], %tid;"), {3}));
    check_found(run(kernel("atom.shared.add.u32 %r0, [s], 1; ld.shared.u32 %r0, [s];")), "shared");
    check_found(run(kernel("@%leader st.global.u32 [count], 0; atom.global.add.u32 %r0, [count], 1;"), {2}), "global");
    check_silent(run(
        kernel("ld.volatile.global.u32 %r0, [count]; atom.global.add.u32 %r0, [count], 1; ld.relaxed.gpu.global.u32 %r0, [count];"), {3}));
}

TEST_CASE("Blocks that share global memory need a release and an acquire in between", "[ptx][race]") {
    check_silent(run(kernel("st.global.u32 [%out], %id;"), {5}));
    check_found(run(kernel("st.global.u32 [%out], %id; bar.sync 0; ld.global.u32 %r0, [%out+4];"), {2}),
                "read by thread (127,0,0) of block (0,0,0)");
    check_found(run(kernel("st.global.u32 [%out], %id; ld.global.u32 %r0, [%all];"), {1}), "by thread (0,0,0) of block (0,0,0)");
    check_silent(run(kernel("st.global.u32 [%out], %id; bar.sync 0; ld.global.u32 %r0, [%all];"), {1}));

    // The leader of block 0 passes data to the leaders of the other blocks.
    const auto handed = [](const std::string& publish, const std::string& await) {
        return run(kernel("@!%leader bra end; @!%first bra other; st.global.u32 [data], 42;\n" + publish + " bra end;\nother: " + await +
                          " setp.eq.u32 %p1, %r4, 0; @%p1 bra other; after: ld.global.u32 %r0, [data];\nend:"),
                   {3}, {64});
    };
    const std::string flag = "st.volatile.global.u32 [flag], 1;";
    const std::string spin = "ld.volatile.global.u32 %r4, [flag];";
    check_silent(handed("membar.gl; " + flag, spin + " membar.gl;"));
    check_found(handed(flag, spin + " membar.gl;"), "line 12 (st.global.u32)");
    check_found(handed("membar.gl; " + flag, spin), "line 12 (st.global.u32)");
    check_silent(handed("st.release.gpu.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r4, [flag];"));
    check_found(handed("st.relaxed.gpu.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r4, [flag];"), "global");
    check_silent(
        handed("fence.acq_rel.gpu; atom.global.exch.b32 %r5, [flag], 1;", "atom.global.or.b32 %r4, [flag], 0; fence.acq_rel.gpu;"));
    check_silent(handed("atom.release.gpu.global.add.u32 %r5, [flag], 1;", "atom.acquire.gpu.global.or.b32 %r4, [flag], 0;"));
    check_found(handed("membar.gl; st.global.u32 [flag], 1;", spin + " membar.gl;"), "global");

    // Block scope does not order other blocks.
    check_found(handed("membar.cta; " + flag, spin + " membar.gl;"), "line 12 (st.global.u32)");
    check_found(handed("membar.gl; " + flag, spin + " fence.acq_rel.cta;"), "line 12 (st.global.u32)");
    check_found(handed("st.release.cta.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r4, [flag];"), "global");
    check_found(handed("st.release.gpu.global.u32 [flag], 1;", "ld.acquire.cta.global.u32 %r4, [flag];"), "global");
    check_found(handed("membar.gl; atom.cta.global.exch.b32 %r5, [flag], 1;", spin + " membar.gl;"), "global");
    check_silent(handed("st.release.sys.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r4, [flag];"));
}

TEST_CASE("Atomics and fences of a block serve within a block", "[ptx][race][scope]") {
    check_found(run(kernel("atom.cta.global.add.u32 %r0, [count], 1;"), {2}), "global");
    check_found(run(kernel("@%first atom.cta.global.add.u32 %r0, [count], 1; @!%first atom.global.add.u32 %r0, [count], 1;"), {2}),
                "global");
    check_silent(run(kernel("atom.cta.global.add.u32 %r0, [count], 1;")));
    // The first warp passes data to the second.
    const auto handed = [](const std::string& publish, const std::string& await) {
        return run(kernel("setp.lt.u32 %p3, %tid, 32; @!%p3 bra other; @!%leader bra end; st.global.u32 [data], 42;\n" + publish +
                          " bra end;\nother: " + await + " setp.eq.u32 %p1, %r4, 0; @%p1 bra other; ld.global.u32 %r0, [data];\nend:"),
                   {1}, {64});
    };
    check_silent(handed("membar.cta; st.volatile.global.u32 [flag], 1;", "ld.volatile.global.u32 %r4, [flag]; membar.cta;"));
    check_silent(handed("st.release.cta.global.u32 [flag], 1;", "ld.acquire.cta.global.u32 %r4, [flag];"));
    check_silent(handed("st.release.gpu.global.u32 [flag], 1;", "ld.acquire.cta.global.u32 %r4, [flag];"));
    check_found(handed("st.relaxed.cta.global.u32 [flag], 1;", "ld.acquire.cta.global.u32 %r4, [flag];"), "global");
}

TEST_CASE("Blocks are ordered by fence.sc where others of them write and read", "[ptx][race][scope]") {
    // The leader of each block stores its partial result and increments a counter; all threads of the last block read the partial results.
    const auto last_block = [](const std::string& release, const std::string& atomic, const std::string& acquire) {
        return run(kernel("@!%leader bra counted; mul.wide.u32 %rd2, %block, 4; add.u64 %rd2, %rd2, %all; st.global.u32 [%rd2], %block;\n" +
                          release + " " + atomic +
                          " %r4, [count], 1; st.shared.u32 [s], %r4;\ncounted: bar.sync 0; ld.shared.u32 %r4, [s]; setp.ne.u32 %p1, %r4, "
                          "7; " +
                          acquire +
                          " @%p1 bra end; setp.ge.u32 %p2, %tid, 8; @%p2 bra end; mul.wide.u32 %rd2, %tid, 4; add.u64 %rd2, "
                          "%rd2, %all; ld.global.u32 %r5, [%rd2];\nend:"),
                   {8}, {64});
    };
    const std::string relaxed = "atom.global.add.u32";
    check_silent(last_block("membar.gl;", relaxed, "membar.gl;"));
    check_silent(last_block("fence.sc.gpu;", relaxed, "fence.sc.sys;"));
    check_silent(last_block("", "atom.acq_rel.gpu.global.add.u32", ""));
    check_found(last_block("membar.gl;", relaxed, ""), "global");
    check_found(last_block("", relaxed, "membar.gl;"), "global");
    check_found(last_block("membar.gl;", relaxed, "membar.cta;"), "global");
    check_found(last_block("membar.cta;", relaxed, "membar.gl;"), "global");
    check_found(last_block("fence.acq_rel.gpu;", relaxed, "fence.acq_rel.gpu;"), "global");
    check_found(last_block("membar.gl;", relaxed, "fence.acq_rel.gpu;"), "global");
    check_found(last_block("membar.gl;", "atom.cta.global.add.u32", "membar.gl;"), "global");
}

TEST_CASE("Lanes come to their warp's barriers and shuffles, or exit before", "[ptx][race]") {
    const auto found = [](const std::string& body, const std::string& words) {
        const Outcome outcome = run(kernel(body), {1}, {64});
        INFO(outcome.report);
        CHECK(outcome.is_finding);
        CHECK(outcome.report.find(words) != std::string::npos);
    };
    const std::string odd = "and.b32 %r5, %tid, 1; setp.eq.u32 %p1, %r5, 1; ";
    found(odd + "@%p1 bra skip; bar.sync 0; skip: st.global.u32 [%out], %tid;",
          "barrier skipped: lanes 0xaaaaaaaa of warp 0 exit while lanes 0x55555555 wait");
    check_silent(run(kernel(odd + "@%p1 bra skip; bar.sync 0; st.global.u32 [%out], %tid; skip:"), {1}, {64}));
    check_silent(run(kernel(odd + "@%p1 exit; bar.sync 0; st.global.u32 [%out], %tid;"), {1}, {64}));
    found(odd + "@%p1 bra skip; shfl.sync.down.b32 %r5, %tid, 8, 31, -1; skip: st.global.u32 [%out], %tid;",
          "member mask skipped: lanes 0xaaaaaaaa of warp 0");
    check_silent(run(kernel(odd + "@%p1 exit; shfl.sync.down.b32 %r5, %tid, 8, 31, -1;"), {1}, {64}));
    check_silent(run(kernel(odd + "@%p1 exit; shfl.sync.down.b32 %r5, %tid, 8, 31, 0x55555555;"), {1}, {64}));
    check_silent(run(kernel("shfl.sync.down.b32 %r5, %tid, 8, 31, -1;"), {1}, {40}));
}

TEST_CASE("Local memory ends with the variables, not with the padding behind them", "[ptx][race]") {
    const auto at = [](const std::string& offset) {
        return run(kernel(".local .align 4 .b8 mine[32]; st.local.u32 [mine+" + offset + "], %tid;"), {1}, {32});
    };
    check_silent(at("28"));
    const Outcome outcome = at("32");
    CHECK(outcome.is_finding);
    CHECK(outcome.report.find("write of 4 bytes in local space past the variables of 'k', which end at 32") == 0);
}

TEST_CASE("Reports name the line of the source", "[ptx][race]") {
    const Outcome outcome = run(kernel(".loc 1 7 3\n" + store + ".loc 1 9 3\n" + load) + ".file 1 \"/src/scale.cu\"\n");
    check_found(outcome, "at scale.cu:7, line 13 (st.shared.u32)");
    CHECK(outcome.report.find("in kernel 'k', scale.cu:9, line 15 (ld.shared.u32)") != std::string::npos);
}

TEST_CASE("What a kernel writes is not read as read-only", "[ptx][race]") {
    check_silent(run(kernel("ld.global.nc.u32 %r0, [data]; st.global.u32 [%out], %r0;")));
    check_found(run(kernel("st.global.u32 [%out], %id; ld.global.nc.u32 %r0, [%out];")), "as if nobody wrote them (.nc)");
}

TEST_CASE("A barrier of the whole grid orders its blocks", "[ptx][race][cooperative]") {
    const auto grid_barrier = [](const std::string& before, const std::string& after, std::uint64_t seed) {
        return run(kernel("st.global.u32 [%out], %id; " + before +
                          " @!%leader bra wait; membar.gl; atom.global.add.u32 %r4, [count], 1; mov.u32 %r7, %nctaid.x;\n"
                          "spin: ld.volatile.global.u32 %r4, [count]; setp.lt.u32 %p1, %r4, %r7; @%p1 bra spin; membar.gl;\nwait: " +
                          after + " xor.b32 %r5, %id, 64; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd2, %all; ld.global.u32 %r0, [%rd2];"),
                   {20}, {64}, true, seed);
    };
    // Without a seed turns are longest, and so is spinning.
    for (std::uint64_t seed = cupool::test::is_sanitized ? 1 : 0; seed < 3; ++seed) {
        check_silent(grid_barrier("bar.sync 0;", "bar.sync 0;", seed));
        check_found(grid_barrier("", "bar.sync 0;", seed), "global");
        check_found(grid_barrier("bar.sync 0;", "", seed), "global");
    }
    // Each thread fences its write before the leader of its block publishes all of them.
    check_silent(run(kernel("st.global.u32 [%out], %id; membar.gl; bar.sync 0; @!%leader bra end; atom.global.add.u32 %r4, [count], 1; "
                            "setp.ne.u32 %p1, %r4, 39; @%p1 bra end;\nmembar.gl; mov.u32 %r5, 0; sum: ld.global.u32 %r6, [%all]; add.u64 "
                            "%all, %all, 4; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2560; @%p2 bra sum;\nend:"),
                     {40}, {64}));
}

TEST_CASE("A lock orders those who hold it", "[ptx][race][spin]") {
    const auto locked = [](const std::string& unlock) {
        return run(kernel("again: atom.global.cas.b32 %r4, [flag], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra again; membar.gl;\n"
                          "ld.global.u32 %r5, [data]; add.u32 %r5, %r5, 1; st.global.u32 [data], %r5;\n" +
                          unlock),
                   {3}, {64});
    };
    check_silent(locked("membar.gl; atom.global.exch.b32 %r6, [flag], 0;"));
    check_found(locked("atom.global.exch.b32 %r6, [flag], 0;"), "global");
}

}  // namespace cupool::ptx::test
