#include <cmath>
#include <thread>

#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

// One thread; %in and %out are two addresses.
std::string kernel(const std::string& body, const std::string& globals = "") {
    return header + globals +
           ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %rd<9>; .reg .b32 %r<9>; .reg .b16 %rs<9>;\n" +
           ".reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n" + body + "\n}\n";
}

struct Machine {
    explicit Machine(const std::string& body, const std::string& globals = "") : loaded(memory, kernel(body, globals)) {}

    Outcome run(std::vector<std::uint64_t> in, std::size_t out_count = 8, Dimensions block = {}) {
        const std::uint64_t from = memory.upload(in);
        to = memory.allocate(out_count * 8);
        Outcome outcome = loaded.run("k", {}, block, from, to);
        out = memory.download<std::uint64_t>(to, out_count);
        return outcome;
    }

    Memory memory;
    Loaded loaded;
    std::uint64_t to = 0;
    std::vector<std::uint64_t> out;
};

}  // namespace

TEST_CASE("Loads extend to their register and stores cut to their type", "[ptx][memory]") {
    Machine machine(
        "ld.global.u8 %r1, [%in]; st.global.u32 [%out], %r1;\n"
        "ld.global.s8 %r1, [%in]; st.global.u32 [%out+4], %r1;\n"
        "ld.global.s16 %rd1, [%in]; st.global.u64 [%out+8], %rd1;\n"
        "ld.global.u16 %rd1, [%in+2]; st.global.u64 [%out+16], %rd1;\n"
        "ld.global.s32 %rd1, [%in+4]; st.global.u64 [%out+24], %rd1;\n"
        "ld.global.s8 %rs1, [%in]; st.global.u16 [%out+32], %rs1;\n"
        "ld.global.u32 %r1, [%in]; st.global.u8 [%out+36], %r1; st.global.b16 [%out+38], %r1;\n"
        "ld.volatile.global.f64 %fd1, [%in+8]; st.relaxed.gpu.global.f64 [%out+40], %fd1;\n"
        "ld.global.nc.L1::no_allocate.L2::128B.v4.u16 {%rs1,%rs2,%rs3,%rs4}, [%in]; st.global.cs.v2.u16 [%out+48], {%rs4,%rs1};\n"
        "ld.global.v2.u64 {%rd1,%rd2}, [%in]; st.global.v2.b64 [%out+64], {%rd2,%rd1};\n"
        "ld.acquire.sys.global.u32 %r2, [%in+4]; st.release.cta.global.u32 [%out+56], %r2;");
    const Outcome outcome = machine.run({0x8765'4321'abcd'ef98, 0x4008'0000'0000'0001}, 10);
    INFO(outcome.report);
    REQUIRE(outcome);
    CHECK(machine.out[0] == 0xffff'ff98'0000'0098);
    CHECK(machine.out[1] == 0xffff'ffff'ffff'ef98);
    CHECK(machine.out[2] == 0xabcd);
    CHECK(machine.out[3] == 0xffff'ffff'8765'4321);
    CHECK((machine.out[4] & 0xffff) == 0xff98);
    CHECK((machine.out[4] >> 32 & 0xff) == 0x98);
    CHECK(machine.out[4] >> 48 == 0xef98);
    CHECK(machine.out[5] == 0x4008'0000'0000'0001);
    CHECK((machine.out[6] & 0xffffffff) == 0xef98'8765);
    CHECK((machine.out[7] & 0xffffffff) == 0x87654321);
    CHECK(machine.out[8] == 0x4008'0000'0000'0001);
    CHECK(machine.out[9] == 0x8765'4321'abcd'ef98);
}

TEST_CASE("Every state space is its own memory, and generic addresses lead to each", "[ptx][memory]") {
    Machine machine(
        ".local .align 8 .b8 depot[16]; .shared .align 8 .u64 board[2];\n"
        "ld.global.u64 %rd1, [%in];\n"
        "st.local.u64 [depot+8], %rd1; st.shared.u64 [board+8], %rd1;\n"
        "mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2; ld.u64 %rd4, [%rd3+8]; add.u64 %rd4, %rd4, 1; st.global.u64 [%out], %rd4;\n"
        "mov.u64 %rd2, board; cvta.shared.u64 %rd5, %rd2; ld.u64 %rd4, [%rd5+8]; add.u64 %rd4, %rd4, 2; st.u64 [%out+8], %rd4;\n"
        "mov.u32 %r1, board; ld.shared.u64 %rd4, [%r1+8]; st.global.u64 [%out+16], %rd4;\n"
        "cvta.to.local.u64 %rd6, %rd3; sub.u64 %rd6, %rd6, 0; ld.local.u64 %rd4, [%rd6+8]; st.global.u64 [%out+24], %rd4;\n"
        "ld.const.u32 %r2, [numbers+4]; mov.u64 %rd7, numbers; ld.const.u32 %r3, [%rd7+8]; mov.b64 %rd4, {%r2, %r3}; st.global.u64 "
        "[%out+32], %rd4;\n"
        "ld.global.u64 %rd4, [link]; ld.u32 %r4, [%rd4]; st.global.u32 [%out+40], %r4; atom.global.add.u32 %r5, [counter], 5; "
        "st.global.u32 [%out+44], %r5;\n"
        "isspacep.local %p1, %rd3; isspacep.shared %p2, %rd3; isspacep.global %p3, %rd3; isspacep.shared %p4, %rd5; isspacep.global %p5, "
        "%out;\n"
        "selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 2, 0, %p2; selp.u32 %r3, 4, 0, %p3; selp.u32 %r4, 8, 0, %p4; selp.u32 %r5, 16, 0, %p5;\n"
        "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; st.global.u32 [%out+48], %r1;",
        ".const .u32 numbers[3] = {7, 8, 9};\n.global .u32 counter = 100;\n.global .u64 link = numbers+4;\n");
    const Outcome outcome = machine.run({0x1111'2222'3333'4444});
    INFO(outcome.report);
    REQUIRE(outcome);
    CHECK(machine.out[0] == 0x1111'2222'3333'4445);
    CHECK(machine.out[1] == 0x1111'2222'3333'4446);
    CHECK(machine.out[2] == 0x1111'2222'3333'4444);
    CHECK(machine.out[3] == 0x1111'2222'3333'4444);
    CHECK(machine.out[4] == 0x0000'0009'0000'0008);
    CHECK(machine.out[5] == 0x0000'0064'0000'0008);
    CHECK((machine.out[6] & 0xffffffff) == (1 | 8 | 16));
    CHECK(machine.memory.download<std::uint32_t>(machine.loaded.addresses[1], 1)[0] == 105);
}

TEST_CASE("A bad access is a fault that names the kernel, line, block, thread and address", "[ptx][memory][fault]") {
    struct Bad {
        std::string body;
        Fault fault;
    };
    const Bad all[] = {
        {"ld.global.u32 %r1, [%in+8];", Fault::illegal_address},
        {"ld.global.u32 %r1, [%in+-4];", Fault::illegal_address},
        {"st.global.u64 [0], %rd1;", Fault::illegal_address},
        {"ld.global.v2.u64 {%rd1,%rd2}, [%in];", Fault::illegal_address},  // half of it is past the end
        {"ld.global.u32 %r1, [%in+2];", Fault::misaligned_address},
        {"ld.global.v2.u32 {%r1,%r2}, [%out+4];", Fault::misaligned_address},
        {"atom.global.add.u64 %rd1, [%out+4], 1;", Fault::misaligned_address},
        {"red.global.add.u32 [%in+1000], 1;", Fault::illegal_address},
        {".shared .u32 s[4]; ld.shared.u32 %r1, [s+16];", Fault::illegal_address},
        {".local .u32 s[4]; mov.u64 %rd1, s; ld.local.u32 %r1, [%rd1+0x100000];", Fault::illegal_address},
        {"mov.u64 %rd1, numbers; st.global.u32 [%rd1], %r1;", Fault::illegal_address},  // constant memory is not written
        {"mov.u64 %rd1, 0xf00000000000; ld.u32 %r1, [%rd1];", Fault::illegal_address},
        {"trap;", Fault::launch_failed},
        {"mov.u32 %r1, 16; bar.sync %r1;", Fault::illegal_instruction},
    };
    for (const Bad& bad : all) {
        INFO(bad.body);
        Machine guarded(
            "mov.u32 %r1, %tid.y; setp.ne.u32 %p1, %r1, 2; @%p1 ret; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 3; @%p1 ret;\n" + bad.body,
            ".const .u32 numbers[3] = {7, 8, 9};\n");
        const Outcome faulted = guarded.run({1}, 8, {4, 3, 1});
        CHECK(faulted.fault == bad.fault);
        CHECK(faulted.kernel == "k");
        CHECK(faulted.line == 12);
        CHECK(faulted.thread.x == 3);
        CHECK(faulted.thread.y == 2);
        CHECK(faulted.report.find("line 12") != std::string::npos);
    }
}

TEST_CASE("A fault's address is the lane's own", "[ptx][memory][fault]") {
    Memory memory;
    Loaded loaded(memory,
                  header +
                      ".visible .entry k(.param .u64 a) {\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\nld.param.u64 %rd1, [a]; mov.u32 %r1, "
                      "%tid.x; mov.u32 %r2, %ctaid.x;\n"
                      "mad.lo.u32 %r1, %r2, 64, %r1; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1; }\n");
    const std::uint64_t a = memory.allocate(4 * 200);
    const Outcome outcome = loaded.run("k", {4}, {64}, a);
    CHECK(outcome.fault == Fault::illegal_address);
    CHECK(outcome.address == a + 800);
    CHECK(outcome.block.x == 3);
    CHECK(outcome.thread.x == 8);
    CHECK(outcome.opcode == "st.global.u32");
    CHECK(memory.download<std::uint32_t>(a, 200)[199] == 199);
}

TEST_CASE("Atomics in every space count every lane once", "[ptx][memory][atomic]") {
    Machine machine(
        ".shared .u32 total; .shared .u64 wide;\n"
        "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u32 [total], 0; @!%p1 st.shared.u64 [wide], 5; bar.sync 0;\n"
        "atom.shared.add.u32 %r2, [total], 1; red.shared.max.u64 [wide], 77; red.global.add.u32 [%out], %r1; bar.sync 0;\n"
        "mov.u64 %rd1, total; cvta.shared.u64 %rd1, %rd1; atom.add.u32 %r3, [%rd1], 1000;\n"
        "atom.global.inc.u32 %r4, [%out+4], 9; atom.global.dec.u32 %r4, [%out+8], 6;\n"
        "atom.global.min.s32 %r5, [%out+12], -4; atom.global.max.u32 %r5, [%out+16], 0xfffffff0; atom.global.and.b32 %r5, [%out+20], 12;\n"
        "atom.global.or.b32 %r5, [%out+24], %r1; atom.global.xor.b32 %r5, [%out+28], 1; atom.global.min.s64 %rd2, [%out+32], -1;\n"
        "atom.global.add.f32 %f1, [%out+40], 0f3F800000; atom.global.add.f64 %fd1, [%out+48], 0d3FE0000000000000;\n"
        "bar.sync 0; @%p1 ret; ld.shared.u32 %r6, [total]; st.global.u32 [%out+56], %r6; ld.shared.u64 %rd3, [wide]; st.global.u64 "
        "[%out+64], %rd3;\n"
        "atom.global.exch.b64 %rd4, [%out+72], 123; atom.global.cas.b64 %rd4, [%out+72], 123, 456; st.global.u64 [%out+80], %rd4;");
    const Outcome outcome = machine.run({0}, 11, {100});
    INFO(outcome.report);
    REQUIRE(outcome);
    const auto words = machine.memory.download<std::uint32_t>(machine.to, 22);
    CHECK(words[0] == 4950);
    CHECK(words[1] == 100 % 10);
    CHECK(words[2] == 5);  // 0, 6, 5, ..., 0, 6: seven values in a round, the hundredth step is the second of one
    CHECK(words[3] == 0xfffffffc);
    CHECK(words[4] == 0xfffffff0);
    CHECK(words[5] == 0);
    CHECK(words[6] == 127);
    CHECK(words[7] == 0);
    CHECK(machine.out[4] == ~std::uint64_t{0});
    CHECK(words[10] == 0x42c80000);               // 100.0f
    CHECK(machine.out[6] == 0x4049000000000000);  // 50.0
    CHECK(words[14] == 100 + 100 * 1000);
    CHECK(machine.out[8] == 77);
    CHECK(machine.out[9] == 456);
    CHECK(machine.out[10] == 123);
}

TEST_CASE("Atomics of two launches at once are atomic to each other", "[ptx][memory][atomic]") {
    Memory memory;
    Loaded loaded(
        memory,
        header +
            ".visible .entry k(.param .u64 a) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [a]; atom.global.add.u32 %r, [%rd], 1; }\n");
    const std::uint64_t a = memory.upload(std::vector<std::uint32_t>{0});
    std::vector<std::thread> devices;
    for (int i = 0; i < 2; ++i) devices.emplace_back([&] { loaded.run("k", {200}, {256}, a); });
    for (std::thread& device : devices) device.join();
    CHECK(memory.download<std::uint32_t>(a, 1)[0] == 2 * 200 * 256);
}

TEST_CASE("The ranges found last are remembered, and still checked", "[ptx][memory]") {
    Machine machine(
        "mov.u32 %r1, 0;\nloop: ld.global.u32 %r2, [%in]; st.global.u32 [%out], %r2; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 "
        "bra loop;\n"
        "ld.global.u32 %r2, [%in+4096];");
    machine.memory.lookups = 0;
    const Outcome outcome = machine.run({1});
    CHECK(outcome.fault == Fault::illegal_address);
    CHECK(machine.memory.lookups < 12);
}

}  // namespace cupool::ptx::test
