#include <string>
#include <vector>

#include "catch.hpp"
#include "machine.hpp"

/// \file
/// The race check's score on two published suites, whose patterns are rewritten here as small PTX kernels:
/// - Indigo (Liu et al., "Indigo: A Program-Verification Suite for Comparing and Evaluating Bug Detection Tools",
///   ISPASS 2022): irregular graph codes, with an atomic, a barrier or a bound left out;
/// - ScoRD (Kamath et al., ISCA 2020): synchronisation of too narrow a scope.

namespace cupool::ptx::test {
namespace {

struct Case {
    std::string name;
    bool racy;
    std::string body;
    Dimensions grid{3};
    Dimensions block{64};
};

// Each thread is a vertex `%id` of a graph of `%n` vertices; `%next` is its neighbour, another one for each of three
// rounds. `%own` and `%its` are the addresses of their words in `out`.
std::string kernel(const std::string& body) {
    return header +
           ".global .align 8 .b8 cell[8]; .global .u32 flag; .global .u32 lock; .global .u32 count; .global .u32 data;\n"
           ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %all, %own, %its, %rd<9>; .reg .b32 %tid, %block, %id, %n, %next, %round, "
           "%r<20>; .reg .b64 %x<9>; .reg .pred %p<9>, %leader, %first;\n.shared .align 16 .b8 s[1024];\n"
           "ld.param.u64 %all, [out]; mov.u32 %tid, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %nctaid.x;\n"
           "mul.lo.u32 %n, %r1, %r2; mad.lo.u32 %id, %block, %r1, %tid; mad.wide.u32 %own, %id, 8, %all; setp.eq.u32 %leader, %tid, 0; "
           "setp.eq.u32 %first, %block, 0;\n" +
           body + "\nret;\n}\n";
}

// Repeats the body for each of the vertex's neighbours.
std::string for_each_neighbour(const std::string& body) {
    return "mov.u32 %round, 1;\nneighbour: mad.lo.u32 %next, %id, %round, 37; rem.u32 %next, %next, %n; mad.wide.u32 %its, %next, 8, "
           "%all;\n" +
           body + "\nadd.u32 %round, %round, 2; setp.lt.u32 %p7, %round, 6; @%p7 bra neighbour;\n";
}

std::string with_type(std::string text, const std::string& type) {
    const std::string bits = type.substr(1);
    const auto replace = [&](const std::string& word, const std::string& by) {
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
            text.replace(at, word.size(), by);
    };
    replace("TYPE", type);
    replace("BITS", "b" + bits);
    replace("VALUE", bits == "64" ? "%x" : "%r1");
    return text;
}

void add_graph_cases(std::vector<Case>& cases, const std::string& type) {
    const auto add = [&](const std::string& name, bool racy, const std::string& body) {
        cases.push_back({name + " " + type, racy, with_type("mov.BITS VALUE1, 1; cvt.TYPE.u32 VALUE2, %id;\n" + body, type)});
    };
    const std::string guard = " setp.ge.TYPE %p1, VALUE3, VALUE2; @%p1 bra done; ";
    const std::string atomic_cell = "atom.global.max.TYPE VALUE4, [cell], VALUE2;\ndone:";
    // The largest vertex with a neighbour that is smaller.
    add("conditional vertex", false, atomic_cell);
    add("conditional vertex, guarded", false, "ld.relaxed.gpu.global.TYPE VALUE3, [cell];" + guard + atomic_cell);
    add("conditional vertex, guard plain", true, "ld.global.TYPE VALUE3, [cell];" + guard + atomic_cell);
    add("conditional vertex, no atomic", true, "ld.global.TYPE VALUE3, [cell];" + guard + "st.global.TYPE [cell], VALUE2;\ndone:");
    add("conditional vertex, store plain", true,
        "ld.relaxed.gpu.global.TYPE VALUE3, [cell];" + guard + "st.global.TYPE [cell], VALUE2;\ndone:");
    // Counts the edges to smaller vertices.
    const auto edges = [](const std::string& body) {
        return for_each_neighbour("setp.ge.u32 %p2, %next, %id; @%p2 bra other; " + body + "\nother:");
    };
    add("conditional edge", false, edges("atom.global.max.TYPE VALUE4, [cell], VALUE2;"));
    add("conditional edge, red", false, edges("red.global.max.TYPE [cell], VALUE2;"));
    add("conditional edge, no atomic", true,
        edges("ld.global.TYPE VALUE3, [cell]; add.TYPE VALUE3, VALUE3, VALUE1; st.global.TYPE [cell], VALUE3;"));
    add("conditional edge, guard plain", true,
        edges("ld.global.TYPE VALUE3, [cell]; setp.ge.TYPE %p1, VALUE3, VALUE2; @!%p1 red.global.max.TYPE [cell], VALUE2;"));
    // A vertex takes from its neighbours, or gives to them.
    add("pull", false, for_each_neighbour("add.TYPE VALUE2, VALUE2, VALUE1;") + "st.global.TYPE [%own], VALUE2;");
    add("pull in place", true,
        "st.global.TYPE [%own], VALUE2;" + for_each_neighbour("ld.global.TYPE VALUE3, [%its]; max.TYPE VALUE2, VALUE2, VALUE3;"));
    add("pull in place, relaxed", false,
        "st.relaxed.gpu.global.TYPE [%own], VALUE2;" +
            for_each_neighbour("ld.relaxed.gpu.global.TYPE VALUE3, [%its]; max.TYPE VALUE2, VALUE2, VALUE3;"));
    add("push", false, for_each_neighbour("red.global.max.TYPE [%its], VALUE2;"));
    add("push, no atomic", true,
        for_each_neighbour("ld.global.TYPE VALUE3, [%its]; max.TYPE VALUE3, VALUE3, VALUE2; st.global.TYPE [%its], VALUE3;"));
    add("push, guard plain", true,
        for_each_neighbour("ld.global.TYPE VALUE3, [%its]; setp.lt.TYPE %p1, VALUE3, VALUE2; @%p1 red.global.max.TYPE [%its], VALUE2;"));
    // Vertices that satisfy a condition are appended to a list.
    const std::string place = "and.b32 %r6, %id, 1; setp.ne.u32 %p3, %r6, 0; @%p3 bra end; ";
    const std::string put = " mad.wide.u32 %rd2, %r5, 8, %all; st.global.TYPE [%rd2], VALUE2;\nend:";
    add("worklist", false, place + "atom.global.add.u32 %r5, [count], 1;" + put);
    add("worklist, no atomic", true, place + "ld.global.u32 %r5, [count]; add.u32 %r7, %r5, 1; st.global.u32 [count], %r7;" + put);
    add("worklist, volatile count", true,
        place + "ld.volatile.global.u32 %r5, [count]; st.volatile.global.u32 [count], 1; mov.u32 %r5, 0;" + put);
    // Finds its root in a forest, and shortens the path; a vertex's word is its parent.
    const auto path = [](const std::string& read, const std::string& write) {
        return "shr.u32 %r5, %id, 1;\nup: mad.wide.u32 %rd2, %r5, 8, %all; " + read +
               " [%rd2]; shr.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; " + write + " @%p1 bra up;\n";
    };
    add("path compression", false, path("ld.relaxed.gpu.global.TYPE VALUE3,", "atom.global.min.TYPE VALUE4, [%rd2], VALUE1;"));
    add("path compression, read plain", true, path("ld.global.TYPE VALUE3,", "atom.global.min.TYPE VALUE4, [%rd2], VALUE1;"));
    add("path compression, write plain", true, path("ld.relaxed.gpu.global.TYPE VALUE3,", "st.global.TYPE [%rd2], VALUE1;"));
    // Tree reduction within a block.
    const auto sum = [](const std::string& before, const std::string& between) {
        return "mov.u32 %r8, s; mad.lo.u32 %r8, %tid, 8, %r8; st.shared.TYPE [%r8], VALUE2; mov.u32 %r9, 32; " + before +
               "\nhalf: setp.ge.u32 %p1, %tid, %r9; @%p1 bra low; mad.lo.u32 %r7, %r9, 8, %r8; ld.shared.TYPE VALUE3, [%r7]; "
               "ld.shared.TYPE VALUE4, [%r8]; add.TYPE VALUE3, VALUE3, VALUE4; st.shared.TYPE [%r8], VALUE3;\nlow: " +
               between + " shr.u32 %r9, %r9, 1; setp.ne.u32 %p2, %r9, 0; @%p2 bra half;\n";
    };
    add("block sum", false, sum("bar.sync 0;", "bar.sync 0;"));
    add("block sum, first barrier missing", true, sum("", "bar.sync 0;"));
    add("block sum, last barriers missing", true, sum("bar.sync 0;", ""));
    add("block sum, warp barriers", false, sum("bar.sync 0;", "bar.warp.sync -1;"));
}

// The leader of block 0 passes data to the leader of block 1, or the first warp to the second.
void add_scope_cases(std::vector<Case>& cases) {
    const auto handed = [&](const std::string& name, bool racy, const std::string& publish, const std::string& await, bool in_block) {
        const std::string roles = in_block ? "rem.u32 %r5, %tid, 32; setp.ne.u32 %p3, %r5, 0; @%p3 bra end; @!%leader bra other; "
                                           : "@!%leader bra end; @!%first bra other; ";
        cases.push_back({"hand over " + name,
                         racy,
                         roles + "st.global.u32 [data], 42; " + publish + " bra end;\nother: " + await +
                             " setp.eq.u32 %p1, %r4, 0; @%p1 bra other; ld.global.u32 %r6, [data];\nend:",
                         in_block ? Dimensions{1} : Dimensions{3},
                         {64}});
    };
    for (const bool in_block : {false, true}) {
        const std::string where = in_block ? " in a block" : " between blocks";
        for (const std::string write : {"cta", "gpu", "sys"}) {
            for (const std::string read : {"cta", "gpu", "sys"}) {
                const bool racy = !in_block && (write == "cta" || read == "cta");
                const std::string name = write + " " + read + where;
                handed("release acquire " + name, racy, "st.release." + write + ".global.u32 [flag], 1;",
                       "ld.acquire." + read + ".global.u32 %r4, [flag];", in_block);
                handed("fences " + name, racy, "fence.acq_rel." + write + "; st.relaxed." + write + ".global.u32 [flag], 1;",
                       "ld.relaxed." + read + ".global.u32 %r4, [flag]; fence.acq_rel." + read + ";", in_block);
                handed("fences, flag of sys " + name, racy, "fence.sc." + write + "; st.volatile.global.u32 [flag], 1;",
                       "ld.volatile.global.u32 %r4, [flag]; fence.sc." + read + ";", in_block);
            }
            handed("no release " + write + where, true, "st.relaxed." + write + ".global.u32 [flag], 1;",
                   "ld.acquire." + write + ".global.u32 %r4, [flag];", in_block);
            handed("no acquire " + write + where, true, "st.release." + write + ".global.u32 [flag], 1;",
                   "ld.relaxed." + write + ".global.u32 %r4, [flag];", in_block);
        }
    }
    const auto locked = [&](const std::string& name, bool racy, const std::string& take, const std::string& give, Dimensions grid) {
        cases.push_back({"lock " + name,
                         racy,
                         "again: " + take +
                             " setp.ne.u32 %p1, %r4, 0; @%p1 bra again; ld.global.u32 %r5, [data]; add.u32 %r5, %r5, 1; "
                             "st.global.u32 [data], %r5;\n" +
                             give,
                         grid,
                         {32}});
    };
    for (const std::string scope : {"cta", "gpu"}) {
        for (const Dimensions grid : {Dimensions{1}, Dimensions{3}}) {
            const bool narrow = scope == "cta" && grid.x > 1;
            const std::string where = scope + (grid.x > 1 ? " of blocks" : " of a block");
            locked(where, narrow, "atom.acquire." + scope + ".global.cas.b32 %r4, [lock], 0, 1;",
                   "atom.release." + scope + ".global.exch.b32 %r6, [lock], 0;", grid);
            locked(where + ", fences", narrow, "atom.relaxed." + scope + ".global.cas.b32 %r4, [lock], 0, 1; fence.acq_rel." + scope + ";",
                   "fence.acq_rel." + scope + "; atom.relaxed." + scope + ".global.exch.b32 %r6, [lock], 0;", grid);
            locked(where + ", no release", true, "atom.acquire." + scope + ".global.cas.b32 %r4, [lock], 0, 1;",
                   "atom.relaxed." + scope + ".global.exch.b32 %r6, [lock], 0;", grid);
            locked(where + ", no acquire", true, "atom.relaxed." + scope + ".global.cas.b32 %r4, [lock], 0, 1;",
                   "atom.release." + scope + ".global.exch.b32 %r6, [lock], 0;", grid);
            cases.push_back({"counter " + where, narrow, "atom.relaxed." + scope + ".global.add.u32 %r4, [count], 1;", grid, {64}});
        }
    }
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const std::string type : {"u32", "s32", "u64"}) add_graph_cases(cases, type);
    add_scope_cases(cases);
    return cases;
}

}  // namespace

TEST_CASE("All racy kernels of the suites are found, and no others", "[ptx][race][suite][long]") {
    int racy = 0;
    int found = 0;
    int correct = 0;
    int false_alarms = 0;
    for (const Case& each : all_cases()) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            Memory memory;
            Loaded loaded(memory, kernel(each.body));
            loaded.checks.races = true;
            loaded.seed = seed;
            const std::uint64_t threads = each.grid.count() * each.block.count();
            const Outcome outcome = loaded.run("k", each.grid, each.block, memory.allocate(8 * threads));
            INFO(each.name << ", seed " << seed << ": " << outcome.report);
            CHECK((outcome.is_finding && outcome.report.find("race: ") == 0) == each.racy);
            CHECK((outcome.is_finding || outcome));
            racy += each.racy ? 1 : 0;
            correct += each.racy ? 0 : 1;
            found += each.racy && outcome.is_finding ? 1 : 0;
            false_alarms += !each.racy && !outcome ? 1 : 0;
        }
    }
    // The score that docs/simulator.md gives.
    CHECK(found == racy);
    CHECK(false_alarms == 0);
    CHECK(racy == 3 * 80);
    CHECK(correct == 3 * 81);
}

}  // namespace cupool::ptx::test
