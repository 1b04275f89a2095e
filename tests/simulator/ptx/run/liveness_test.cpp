#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

// Each thread has %tid and %lane.
Outcome run(const std::string& body, Dimensions block = {64}) {
    Memory memory;
    Loaded loaded(memory,
                  header +
                      ".visible .entry k()\n{\n.reg .b32 %tid, %lane, %r<9>; .reg .pred %p<9>;\nmov.u32 %tid, %tid.x; mov.u32 %lane, "
                      "%laneid; setp.lt.u32 %p1, %tid, 32; setp.lt.u32 %p2, %lane, 16;\n" +
                      body + "\n}\n");
    return loaded.run("k", {1}, block);
}

void check_found(const Outcome& outcome, Fault fault, std::initializer_list<std::string> words) {
    INFO(outcome.report);
    CHECK(outcome.fault == fault);
    CHECK(outcome.line >= 8);
    CHECK_FALSE(outcome.opcode.empty());
    for (const std::string& part : words) {
        INFO(part);
        CHECK(outcome.report.find(part) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("Threads that never meet are named, with the barriers at which they wait", "[ptx][liveness]") {
    check_found(run("@!%p1 bra other; bar.sync 1;\nbra end;\nother: bar.sync 2;\nend:"), Fault::launch_timeout,
                {"warp 0 lanes 0xffffffff at line 8 (bar.sync) at barrier 1, to which 32 of 64 threads have come",
                 "warp 1 lanes 0xffffffff at line 10 (bar.sync) at barrier 2"});
    check_found(run("@%p1 exit;\nbar.sync 0, 64;"), Fault::launch_timeout,
                {"warp 1 lanes 0xffffffff at line 9 (bar.sync) at barrier 0, to which 32 of 64", "warp 0 lanes 0xffffffff have exited"});
}

TEST_CASE("Lanes of a warp come to an aligned barrier together", "[ptx][liveness]") {
    const std::string apart = "@%p2 bra lower; X.sync 0; bra end;\nlower: X.sync 0;\nend:";
    const auto with = [&](std::string barrier) {
        std::string body = apart;
        for (std::size_t at = body.find('X'); at != std::string::npos; at = body.find('X')) body.replace(at, 1, barrier);
        return run(body);
    };
    check_found(with("bar"), Fault::launch_failed,
                {"barrier divergence: lanes 0x0000ffff of warp 0", "lanes 0xffff0000 wait at line 8 (bar.sync)"});
    CHECK(with("barrier"));
    // Some lanes skip it and reach the next one.
    check_found(run("@%p2 bar.sync 0;\nbar.sync 1;"), Fault::launch_failed, {"barrier divergence", "wait at line 8"});
    check_found(run("bra.uni next; next: @%p2 bra over; barrier.sync.aligned 0;\nover: bar.red.popc.u32 %r1, 0, 1;"), Fault::launch_failed,
                {"barrier divergence"});
    // Lanes that exit early are allowed, and so are whole warps that take different paths.
    CHECK(run("@%p2 bra end; bar.sync 0;\nend:"));
    CHECK(run("@%p1 bra one; bar.sync 0; bra end;\none: bar.sync 0;\nend:"));
}

TEST_CASE("Lanes of a mask that never come are named", "[ptx][liveness]") {
    check_found(
        run("@%p2 bra lower; vote.sync.ballot.b32 %r1, 1, 0xffffffff; bra end;\nlower: bar.warp.sync 0x0000ffff; vote.sync.any.pred %p3, "
            "1, 0xffffffff;\nend:",
            {32}),
        Fault::launch_timeout,
        {"lanes 0xffff0000 at line 8 (vote.sync.ballot.b32) for lanes 0x0000ffff of its mask 0xffffffff",
         "lanes 0x0000ffff at line 9 (vote.sync.any.pred) for lanes 0xffff0000 of its mask 0xffffffff"});
    check_found(run("@%p2 bra lower; bar.warp.sync 0xffffffff; bra end;\nlower: bar.sync 0;\nend:", {32}), Fault::launch_timeout,
                {"(bar.warp.sync) for lanes 0x0000ffff of its mask", "lanes 0x0000ffff at line 9 (bar.sync) at barrier 0"});
    check_found(run("shfl.sync.idx.b32 %r1, %tid, 0, 31, 0xfff0;"), Fault::launch_failed,
                {"a lane outside its own member mask", "thread (0,0,0)"});
}

}  // namespace cupool::ptx::test
