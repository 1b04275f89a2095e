#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>

#include <sys/wait.h>
#include <unistd.h>

#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("copies to, within and from the device") {
    Machine machine({{}, {}});
    machine.begin();
    machine.enter(1);
    const DevicePointer there = machine.memory(4000);
    machine.enter(0);
    const DevicePointer here = machine.memory(4000);
    std::vector<std::uint32_t> in(1000);
    std::iota(in.begin(), in.end(), 7U);
    std::vector<std::uint32_t> out(1000);
    REQUIRE(machine.cuda.copy_host_to_device(here, in.data(), 4000) == Status::success);
    REQUIRE(machine.cuda.copy_peer_async(there, nullptr, here, nullptr, 4000, nullptr) == Status::success);
    REQUIRE(machine.cuda.set_words_async(here, 0xabcdef01, 500, nullptr) == Status::success);
    REQUIRE(machine.cuda.set_bytes_async(here + 2000, 0x11, 2000, nullptr) == Status::success);
    REQUIRE(machine.cuda.copy_device_to_host(out.data(), there, 4000) == Status::success);
    CHECK(out == in);
    REQUIRE(machine.cuda.copy_device_to_host(out.data(), here, 4000) == Status::success);
    CHECK(out[499] == 0xabcdef01);
    CHECK(out[500] == 0x11111111);
    REQUIRE(machine.cuda.memory_free(here) == Status::success);
    REQUIRE(machine.cuda.memory_free(there) == Status::success);
    machine.leave(0);
    machine.leave(0);
    machine.leave(1);
    machine.simulator.reset();
}

TEST_CASE("fresh memory is not zero") {
    Machine machine;
    machine.begin();
    CHECK(machine.read(machine.memory(16)) != 0);
}

TEST_CASE("a device pointer is no host pointer") {
    Machine machine;
    machine.begin();
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 20, std::size_t{1} << 33}) {
        const DevicePointer pointer = machine.memory(bytes);
        CHECK(pointer % 256 == 0);
        CHECK(pointer % 512 != 0);
        const pid_t child = fork();
        if (child == 0) {
            std::signal(SIGSEGV, SIG_DFL);
            std::signal(SIGBUS, SIG_DFL);
            std::_Exit(*reinterpret_cast<volatile unsigned char*>(pointer) == 0 ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status));
    }
}

TEST_CASE("addresses do not come back soon") {
    Machine machine;
    machine.begin();
    std::set<DevicePointer> seen;
    for (int i = 0; i < 1000; ++i) {
        const DevicePointer pointer = machine.memory(100);
        CHECK(seen.insert(pointer).second);
        REQUIRE(machine.cuda.memory_free(pointer) == Status::success);
    }
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("addresses come back when all are used up") {
    Machine machine;
    machine.begin();
    const DevicePointer stays = machine.memory(1000);
    for (int i = 0; i < 40; ++i) {
        const DevicePointer pointer = machine.memory(std::size_t{100} << 30);
        CHECK((pointer + (std::size_t{100} << 30) <= stays || pointer >= stays + 1000));
        REQUIRE(machine.cuda.memory_free(pointer) == Status::success);
    }
    CHECK(machine.cuda.set_bytes_async(stays, 1, 1000, nullptr) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("a card's memory is its own and ends") {
    Machine machine;
    machine.begin();
    std::size_t free = 0;
    std::size_t total = 0;
    REQUIRE(machine.cuda.memory_get_info(&free, &total) == Status::success);
    CHECK(total == 150'754'820'096);
    const DevicePointer large = machine.memory(std::size_t{140} << 30);
    const std::uint32_t value = 42;
    const DevicePointer last = large + (std::size_t{140} << 30) - 4;
    REQUIRE(machine.cuda.copy_host_to_device(last, &value, 4) == Status::success);
    CHECK(machine.read(last) == 42);
    DevicePointer pointer = 0;
    CHECK(machine.cuda.memory_allocate(&pointer, std::size_t{1} << 30) == Status::out_of_memory);
    CHECK(machine.cuda.memory_allocate_async(&pointer, std::size_t{1} << 30, nullptr) == Status::out_of_memory);
    REQUIRE(machine.cuda.memory_free(large) == Status::success);
    std::size_t free_again = 0;
    REQUIRE(machine.cuda.memory_get_info(&free_again, &total) == Status::success);
    CHECK(free_again == free);
    CHECK(machine.cuda.memory_allocate(&pointer, std::size_t{1} << 30) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("freeing waits for what is queued") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const DevicePointer memory = machine.memory(256);
    auto* const result = machine.pinned<std::uint32_t>(1);
    Gate gate(machine.cuda, stream);
    REQUIRE(machine.cuda.set_words_async(memory, 5, 64, stream) == Status::success);
    REQUIRE(machine.cuda.copy_device_to_host_async(result, memory, 4, stream) == Status::success);
    std::thread opener([&] { gate.open(); });
    REQUIRE(machine.cuda.memory_free(memory) == Status::success);
    CHECK(*result == 5);
    opener.join();
    REQUIRE(machine.cuda.host_free(result) == Status::success);
    REQUIRE(machine.cuda.stream_destroy(stream) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("an asynchronous copy to pageable memory is over when it returns") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const DevicePointer memory = machine.memory(4);
    REQUIRE(machine.cuda.set_words_async(memory, 9, 1, stream) == Status::success);
    std::uint32_t value = 0;
    REQUIRE(machine.cuda.copy_device_to_host_async(&value, memory, 4, stream) == Status::success);
    CHECK(value == 9);
}

TEST_CASE("many small allocations at once") {
    Machine machine;
    machine.begin();
    std::vector<DevicePointer> pointers;
    for (int i = 0; i < 20'000; ++i) {
        DevicePointer pointer = 0;
        REQUIRE(machine.cuda.memory_allocate(&pointer, 4096) == Status::success);
        pointers.push_back(pointer);
    }
    for (const DevicePointer pointer : pointers) {
        REQUIRE(machine.cuda.memory_free(pointer) == Status::success);
    }
    machine.leave(0);
    machine.simulator.reset();
}
