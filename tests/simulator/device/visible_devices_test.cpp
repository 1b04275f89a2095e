// CUDA_VISIBLE_DEVICES has the same meaning as with a real driver.
#include "environment_variable.hpp"
#include "machine.hpp"

using namespace cupool::test;

namespace {

// The cards that a program sees, by the last byte of their UUIDs.
std::vector<int> cards_seen(Machine& machine, const char* variable) {
    const EnvironmentVariable visible("CUDA_VISIBLE_DEVICES", variable);
    machine.simulator.reset();
    machine.simulator.set_devices({{}, {}, {}});
    std::vector<int> cards;
    if (machine.cuda.init(0) != Status::success) {
        return cards;
    }
    int count = 0;
    REQUIRE(machine.cuda.device_get_count(&count) == Status::success);
    for (int device = 0; device < count; ++device) {
        Uuid uuid{};
        REQUIRE(machine.cuda.device_get_uuid(&uuid, device) == Status::success);
        cards.push_back(uuid.bytes[15]);
    }
    return cards;
}

using Cards = std::vector<int>;

}  // namespace

TEST_CASE("CUDA_VISIBLE_DEVICES shows devices, in its order, up to the first it does not know") {
    Machine machine;
    CHECK(cards_seen(machine, "0,1,2") == Cards{0, 1, 2});
    CHECK(cards_seen(machine, "2,0") == Cards{2, 0});
    CHECK(cards_seen(machine, " 1, 2") == Cards{1, 2});
    CHECK(cards_seen(machine, "1,7,2") == Cards{1});
    CHECK(cards_seen(machine, "1,-1,2") == Cards{1});
    CHECK(cards_seen(machine, "1,x") == Cards{1});
    CHECK(cards_seen(machine, "+1,02") == Cards{1, 2});
    CHECK(cards_seen(machine, ",1").empty());
    CHECK(cards_seen(machine, "").empty());
    CHECK(cards_seen(machine, "3").empty());
    CHECK(cards_seen(machine, "-1").empty());
    CHECK(cards_seen(machine, "GPU-c00f001d-513d-4c0d-8000-000000000002,0") == Cards{2, 0});
    CHECK(cards_seen(machine, "GPU-c00f").empty());  // ambiguous
    CHECK(cards_seen(machine, "MIG-c00f001d-513d-4c0d-8000-000000000002").empty());
}

TEST_CASE("a list that names a device twice shows none") {
    Machine machine;
    for (const char* const names : {"1,1", "0,2,00", "GPU-c00f001d-513d-4c0d-8000-000000000001,1"}) {
        const EnvironmentVariable visible("CUDA_VISIBLE_DEVICES", names);
        machine.simulator.reset();
        machine.simulator.set_devices({{}, {}, {}});
        CHECK(machine.cuda.init(0) == Status::invalid_device);
    }
    CHECK(cards_seen(machine, "1,7,1") == Cards{1});  // the list ends at the 7
}

TEST_CASE("devices that are not visible have no effect") {
    const EnvironmentVariable visible("CUDA_VISIBLE_DEVICES", "2,0");
    Machine machine({{}, {}, {}});
    machine.simulator.set_device_health(0, 214);
    machine.simulator.set_peer_reachable(2, 1, false);
    machine.begin();
    Context context{};
    CHECK(machine.cuda.primary_context_retain(&context, 1) == Status::ecc_uncorrectable);
    CHECK(machine.cuda.primary_context_retain(&context, 2) == Status::invalid_device);
    int reachable = 0;
    REQUIRE(machine.cuda.device_can_access_peer(&reachable, 0, 1) == Status::success);
    CHECK(reachable == 1);
    machine.simulator.set_peer_reachable(2, 0, false);
    REQUIRE(machine.cuda.device_can_access_peer(&reachable, 0, 1) == Status::success);
    CHECK(reachable == 0);
    const DevicePointer memory = machine.memory(4);
    REQUIRE(machine.cuda.set_words_async(memory, 3, 1, nullptr) == Status::success);
    CHECK(machine.read(memory) == 3);
    machine.leave(0);
}
