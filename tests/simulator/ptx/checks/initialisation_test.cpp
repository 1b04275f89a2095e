#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

// Each thread has %tid and writes %r0 to out[%tid]; `in` has 64 words.
std::string kernel(const std::string& body, const std::string& globals = "") {
    return header + globals +
           ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %out, %in, %rd<9>; .reg .b32 %tid, %r<20>; .reg .pred %p<9>; "
           ".shared .align 16 .b8 s[256]; .local .align 16 .b8 l[64];\n"
           "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.u32 %tid, %tid.x; mov.u64 %rd7, s; mov.u64 %rd8, l; mov.u32 %r0, 0;\n"
           "mul.wide.u32 %rd1, %tid, 4; add.u64 %rd2, %rd1, %in; add.u64 %rd3, %rd1, %rd7; setp.lt.u32 %p1, %tid, 7;\n" +
           body + "\nadd.u64 %rd0, %rd1, %out; st.global.u32 [%rd0], %r0;\n}\n";
}

Outcome run(const std::string& text, bool check = true, bool write_input = true) {
    Memory memory;
    Loaded loaded(memory, text);
    loaded.checks.initialisation = check;
    const std::uint64_t in = memory.allocate(256);
    if (write_input) memory.mark_written(in);
    return loaded.run("k", {2}, {64}, memory.allocate(256), in);
}

void check_found(const Outcome& outcome, const std::string& words, const std::string& space, int line = 9) {
    INFO(outcome.report);
    CHECK(outcome.fault == Fault::launch_failed);
    CHECK(outcome.report.find(words) != std::string::npos);
    CHECK(outcome.report.find("kernel 'k', line " + std::to_string(line)) != std::string::npos);
    CHECK(outcome.space == space);
    CHECK(outcome.line == line);
}

void check_silent(const Outcome& outcome) {
    INFO(outcome.report);
    CHECK(outcome);
}

}  // namespace

TEST_CASE("A register that was never written is not read", "[ptx][initialisation]") {
    check_found(run(kernel("add.u32 %r0, %tid, %r5;")), "register %r5, which was never written", "");
    check_found(run(kernel("@%p2 mov.u32 %r0, 1;")), "register %p2", "");
    check_found(run(kernel("@!%p2 bra done; done:")), "register %p2", "");
    check_found(run(kernel("st.shared.u32 [%rd7], %r5;")), "register %r5", "");
    check_found(run(kernel("mov.b64 {%r0, %r4}, %rd4;")), "register %rd4", "");
    check_found(run(kernel("shfl.sync.bfly.b32 %r0, %r5, 1, 31, 0xffffffff;")), "register %r5", "");
    check_silent(run(kernel("add.u32 %r0, %tid, %r5;"), false));
}

TEST_CASE("Whether a register was written is known for each thread", "[ptx][initialisation]") {
    // Written whenever it is read, though static analysis cannot prove it.
    const std::string guarded = "@%p1 mov.u32 %r5, 3; bar.sync 0; ";
    check_silent(run(kernel(guarded + "@%p1 add.u32 %r0, %r5, 1;")));
    check_silent(run(kernel("@!%p1 bra over; ld.global.u32 %r5, [%rd2];\nover: bar.sync 0; @!%p1 bra end; mov.u32 %r0, %r5;\nend:")));
    const Outcome found = run(kernel(guarded + "setp.lt.u32 %p3, %tid, 8; @%p3 add.u32 %r0, %r5, 1;"));
    check_found(found, "register %r5", "");
    CHECK(found.thread.x == 7);
    CHECK(found.opcode == "add.u32");
    // In the second iteration of the loop it has been written.
    check_silent(
        run(kernel("mov.u32 %r4, 0; loop: setp.eq.u32 %p2, %r4, 0; @%p2 mov.u32 %r5, 9; add.u32 %r0, %r0, %r5; add.u32 %r4, %r4, 1; "
                   "setp.lt.u32 %p3, %r4, 3; @%p3 bra loop;")));
}

TEST_CASE("A function's registers begin unwritten at each call", "[ptx][initialisation][call]") {
    const std::string function =
        ".func (.reg .u32 result) f(.reg .u32 first) { .reg .b32 %keep; .reg .pred %q; setp.ne.u32 %q, first, 0; @%q mov.u32 %keep, 5; "
        "mov.u32 result, %keep; }\n";
    check_silent(run(kernel("call (%r0), f, (1);", function)));
    check_found(run(kernel("call (%r0), f, (1); call (%r0), f, (0);", function)), "register %keep", "", 4);
    check_found(run(kernel("call (%r0), f, (%r9);", function)), "register %r9", "", 10);
    const std::string forgets = ".func (.param .b32 result) g() { ret; }\n";
    check_found(run(kernel("{ .param .b32 r; call (r), g; ld.param.b32 %r0, [r]; }", forgets)), "4 bytes in local space", "local", 10);
}

TEST_CASE("Shared memory that was never stored is not loaded", "[ptx][initialisation]") {
    const Outcome found =
        run(kernel("@%p1 st.shared.u32 [%rd3], %tid; bar.sync 0; setp.lt.u32 %p2, %tid, 8; @%p2 ld.shared.u32 %r0, [%rd3];"));
    check_found(found, "uninitialised read of 4 bytes in shared space", "shared");
    CHECK(found.thread.x == 7);
    CHECK(found.address == 28);
    CHECK(found.opcode == "ld.shared.u32");
    check_silent(run(kernel("@%p1 st.shared.u32 [%rd3], %tid; bar.sync 0; @%p1 ld.shared.u32 %r0, [%rd3];")));
    check_found(run(kernel("st.shared.u16 [%rd7], 1; ld.shared.u32 %r0, [%rd7];")), "of which byte 2 was never written", "shared");
    check_found(run(kernel("atom.shared.add.u32 %r0, [%rd7], 1;")), "shared", "shared");
    check_silent(run(kernel("atom.shared.exch.b32 %r0, [%rd7], 1; atom.shared.add.u32 %r0, [%rd7], 1;")));
    check_found(run(kernel("cvta.shared.u64 %rd4, %rd3; ld.u32 %r0, [%rd4];")), "shared", "shared");
    check_silent(run(kernel("ld.shared.u32 %r0, [%rd3];"), false));
}

TEST_CASE("Local memory that was never stored is not loaded", "[ptx][initialisation]") {
    check_found(run(kernel("ld.local.u32 %r0, [l+4];")), "uninitialised read of 4 bytes in local space", "local");
    check_silent(run(kernel("st.local.u32 [l+4], %tid; ld.local.u32 %r0, [%rd8+4];")));
    check_found(run(kernel("st.local.v2.u32 [l], {%tid, %tid}; ld.local.v4.u32 {%r0, %r2, %r3, %r4}, [l];")), "byte 8", "local");
    check_found(run(kernel("@%p1 st.local.u32 [l], %tid; cvta.local.u64 %rd4, %rd8; ld.u32 %r0, [%rd4];")), "local", "local");
}

TEST_CASE("Global memory that nobody has written since it was allocated is not loaded", "[ptx][initialisation]") {
    const std::string load = kernel("ld.global.u32 %r0, [%rd2];");
    check_silent(run(load));
    check_found(run(load, true, false), "uninitialised read of 4 bytes in global space", "global");
    check_silent(run(load, false, false));
    check_found(run(kernel("ld.u32 %r0, [%rd2];"), true, false), "global", "global");
    check_silent(run(kernel("st.global.u32 [%rd2], %tid; ld.global.u32 %r0, [%rd2];"), true, false));
    // A launch may read memory that an earlier one wrote.
    Memory memory;
    Loaded loaded(memory, kernel("ld.global.u32 %r0, [%rd2];"));
    loaded.checks.initialisation = true;
    const std::uint64_t buffer = memory.allocate(256);
    const std::uint64_t input = memory.upload(std::vector<std::uint32_t>(64, 1));
    CHECK_FALSE(loaded.run("k", {1}, {64}, input, buffer));
    CHECK(loaded.run("k", {1}, {64}, buffer, input));
    CHECK(loaded.run("k", {1}, {64}, input, buffer));
}

TEST_CASE("A fault in memory tells what its owner knows of the address", "[ptx][memory]") {
    const Outcome outcome = run(kernel("ld.global.u32 %r0, [%rd2+256];"));
    INFO(outcome.report);
    CHECK(outcome.fault == Fault::illegal_address);
    CHECK(outcome.space == "global");
    CHECK(outcome.report.find(": 0 bytes past the end") != std::string::npos);
}

}  // namespace cupool::ptx::test
