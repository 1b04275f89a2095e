// The machine as a whole: initialisation, configuration, versions, resets.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "machine.hpp"

using namespace cupool::test;

TEST_CASE("a reset leaves an uninitialised driver") {
    Machine machine({{}, {}});
    int count = 0;
    CHECK(machine.cuda.device_get_count(&count) == Status::not_initialized);
    REQUIRE(machine.cuda.init(0) == Status::success);
    REQUIRE(machine.cuda.device_get_count(&count) == Status::success);
    CHECK(count == 2);
    machine.simulator.reset();
    CHECK(machine.cuda.device_get_count(&count) == Status::not_initialized);
}

TEST_CASE("a machine without devices") {
    Machine machine(std::vector<cupool::SimulatedDevice>{});
    CHECK(machine.cuda.init(0) == Status::no_device);
    int count = 0;
    CHECK(machine.cuda.device_get_count(&count) == Status::not_initialized);
}

TEST_CASE("devices are what they were configured to be") {
    cupool::SimulatedDevice small;
    small.name = "Small";
    small.memory_bytes = 8ULL << 30;
    small.compute_capability_major = 7;
    small.compute_capability_minor = 5;
    small.multiprocessor_count = 40;
    small.memory_pools_supported = false;
    Machine machine({{}, small});
    REQUIRE(machine.cuda.init(0) == Status::success);
    char name[32];
    REQUIRE(machine.cuda.device_get_name(name, sizeof(name), 1) == Status::success);
    CHECK(std::string(name) == "Small");
    std::size_t bytes = 0;
    REQUIRE(machine.cuda.device_total_memory(&bytes, 1) == Status::success);
    CHECK(bytes == 8ULL << 30);
    const auto attribute = [&](DeviceAttribute which, int device) {
        int value = -1;
        REQUIRE(machine.cuda.device_get_attribute(&value, which, device) == Status::success);
        return value;
    };
    CHECK(attribute(DeviceAttribute::compute_capability_major, 1) == 7);
    CHECK(attribute(DeviceAttribute::compute_capability_minor, 1) == 5);
    CHECK(attribute(DeviceAttribute::multiprocessor_count, 1) == 40);
    CHECK(attribute(DeviceAttribute::multiprocessor_count, 0) == 132);
    CHECK(attribute(DeviceAttribute::memory_pools_supported, 1) == 0);
    CHECK(attribute(DeviceAttribute::pci_bus_id, 0) != attribute(DeviceAttribute::pci_bus_id, 1));
    Uuid first{};
    Uuid second{};
    REQUIRE(machine.cuda.device_get_uuid(&first, 0) == Status::success);
    REQUIRE(machine.cuda.device_get_uuid(&second, 1) == Status::success);
    CHECK(std::memcmp(first.bytes, second.bytes, sizeof(first.bytes)) != 0);
    MemoryPool pool{};
    CHECK(machine.cuda.device_get_default_memory_pool(&pool, 1) == Status::not_supported);
    CHECK_THROWS_AS(machine.simulator.set_devices({{}}), std::invalid_argument);
}

TEST_CASE("a device attribute that no driver has is not answered with success") {
    Machine machine;
    REQUIRE(machine.cuda.init(0) == Status::success);
    int value = 0;
    CHECK(machine.cuda.device_get_attribute(&value, static_cast<DeviceAttribute>(9999), 0) == Status::invalid_value);
}

TEST_CASE("an unhealthy device opens no context") {
    Machine machine({{}, {}});
    REQUIRE(machine.cuda.init(0) == Status::success);
    machine.simulator.set_device_health(1, static_cast<int>(Status::ecc_uncorrectable));
    Context context{};
    CHECK(machine.cuda.primary_context_retain(&context, 1) == Status::ecc_uncorrectable);
    CHECK(machine.cuda.context_create(&context, 0, 1) == Status::ecc_uncorrectable);
    CHECK(machine.simulator.live_counts().primary_context_retains == 0);
    machine.enter(0);
    machine.leave(0);
    machine.simulator.set_device_health(1, 0);
    machine.enter(1);
    machine.leave(1);
    machine.simulator.reset();
}

TEST_CASE("a prohibited device opens no context") {
    cupool::SimulatedDevice prohibited;
    prohibited.compute_mode = 2;
    Machine machine({prohibited});
    REQUIRE(machine.cuda.init(0) == Status::success);
    Context context{};
    CHECK(machine.cuda.primary_context_retain(&context, 0) == Status::device_unavailable);
}

TEST_CASE("the driver's version decides what there is") {
    Machine machine;
    machine.simulator.set_driver_version(11000);
    int version = 0;
    REQUIRE(machine.cuda.driver_get_version(&version) == Status::success);
    CHECK(version == 11000);
    void* found = nullptr;
    CHECK(machine.cuda.get_proc_address("cuInit", &found, 11000, 0) == Status::not_supported);
    ProcAddressQueryResult status{};
    CHECK(machine.cuda.get_proc_address_v2("cuInit", &found, 11000, 0, &status) == Status::not_supported);
    machine.begin();
    DevicePointer pointer = 0;
    CHECK(machine.cuda.memory_allocate_async(&pointer, 16, nullptr) == Status::not_supported);

    machine.simulator.set_driver_version(11030);
    CHECK(machine.cuda.get_proc_address("cuMemAllocAsync", &found, 11030, 0) == Status::success);
    CHECK(found == machine.cuda.symbol("cuMemAllocAsync"));
    CHECK(machine.cuda.get_proc_address("cuMemAllocAsync", &found, 11010, 0) == Status::not_found);
    CHECK(machine.cuda.get_proc_address_v2("cuInit", &found, 11030, 0, &status) == Status::not_supported);
    CHECK(machine.cuda.get_proc_address("cuInit", &found, 12000, 0) == Status::invalid_value);

    machine.simulator.set_driver_version(12000);
    CHECK(machine.cuda.get_proc_address_v2("cuEventElapsedTime", &found, 12000, 0, &status) == Status::success);
    CHECK(found == machine.cuda.symbol("cuEventElapsedTime"));
    machine.leave(0);
}

TEST_CASE("a variant that is not simulated returns not_supported when it is called") {
    Machine machine;
    machine.begin();
    void* found = nullptr;
    REQUIRE(machine.cuda.get_proc_address("cuCtxSynchronize", &found, 13000, 0) == Status::success);
    REQUIRE(found != machine.cuda.symbol("cuCtxSynchronize"));
    CHECK(reinterpret_cast<Status (*)()>(found)() == Status::not_supported);
    REQUIRE(machine.cuda.get_proc_address("cuLaunchKernel", &found, 12000, 2) == Status::success);
    REQUIRE(found != machine.cuda.symbol("cuLaunchKernel"));
    machine.leave(0);
}

TEST_CASE("the environment configures a driver that no test does") {
    Machine machine;
    setenv("CUPOOL_SIM_DEVICES", "5", 1);
    setenv("CUPOOL_SIM_DRIVER_VERSION", "12040", 1);
    machine.simulator.reset();
    unsetenv("CUPOOL_SIM_DEVICES");
    unsetenv("CUPOOL_SIM_DRIVER_VERSION");
    REQUIRE(machine.cuda.init(0) == Status::success);
    int number = 0;
    REQUIRE(machine.cuda.device_get_count(&number) == Status::success);
    CHECK(number == 5);
    REQUIRE(machine.cuda.driver_get_version(&number) == Status::success);
    CHECK(number == 12040);
}

TEST_CASE("the environment plans faults for programs that cannot") {
    Machine machine;
    setenv("CUPOOL_SIM_FAULTS", "cuInit:1:802:once,cuDeviceGetCount:2:999:always", 1);
    machine.simulator.reset();
    unsetenv("CUPOOL_SIM_FAULTS");
    int count = 0;
    CHECK(machine.cuda.init(0) == Status::system_not_ready);
    CHECK(machine.cuda.init(0) == Status::success);
    CHECK(machine.cuda.device_get_count(&count) == Status::success);
    CHECK(machine.cuda.device_get_count(&count) == Status::unknown);
    CHECK(machine.cuda.device_get_count(&count) == Status::unknown);
    machine.simulator.reset();
    CHECK(machine.cuda.init(0) == Status::success);
}

TEST_CASE("an invalid card is refused") {
    Machine machine;
    cupool::SimulatedDevice impossible;
    impossible.memory_bytes = std::uint64_t{1} << 40;
    CHECK_THROWS_AS(machine.simulator.set_devices({impossible}), std::invalid_argument);
    impossible = {};
    impossible.multiprocessor_count = 0;
    CHECK_THROWS_AS(machine.simulator.set_devices({{}, impossible}), std::invalid_argument);
    CHECK_THROWS_AS(machine.simulator.set_devices(std::vector<cupool::SimulatedDevice>(65)), std::invalid_argument);
}

TEST_CASE("objects that a test leaves alive are counted and named") {
    Machine machine;
    machine.begin();
    Context created{};
    REQUIRE(machine.cuda.context_create(&created, 0, 0) == Status::success);
    machine.stream();
    machine.event();
    machine.memory(100);
    machine.memory(200);
    machine.pinned<char>(50);
    machine.module(store_text);
    MemoryPoolProperties properties{};
    properties.allocation_type = MemoryAllocationType::pinned;
    properties.location = {MemoryLocationType::device, 0};
    MemoryPool pool{};
    REQUIRE(machine.cuda.memory_pool_create(&pool, &properties) == Status::success);
    DevicePointer pooled = 0;
    REQUIRE(machine.cuda.memory_allocate_async(&pooled, 1000, nullptr) == Status::success);

    const CupoolSimLiveCounts counts = machine.simulator.live_counts();
    CHECK(counts.primary_context_retains == 1);
    CHECK(counts.contexts == 1);
    CHECK(counts.streams == 1);
    CHECK(counts.events == 1);
    CHECK(counts.memory_pools == 1);
    CHECK(counts.modules == 1);
    CHECK(counts.device_allocations == 3);
    CHECK(counts.device_bytes == 1300);
    CHECK(counts.host_allocations == 1);
    CHECK(counts.host_bytes == 50);
    CHECK_THROWS_WITH(machine.simulator.reset(),
                      "left alive: 1 primary context retains, 1 contexts, 1 streams, 1 events, 1 memory pools, 1 modules, "
                      "3 device allocations, 1 host allocations");
    machine.simulator.reset();
}

TEST_CASE("handles from before a reset are invalid") {
    Machine machine;
    const Context context = machine.begin();
    const Stream stream = machine.stream();
    const DevicePointer memory = machine.memory(16);
    CHECK_THROWS(machine.simulator.reset());
    REQUIRE(machine.cuda.init(0) == Status::success);
    Context current = context;
    REQUIRE(machine.cuda.context_get_current(&current) == Status::success);
    CHECK(current == nullptr);
    CHECK(machine.cuda.context_set_current(context) == Status::invalid_context);
    CHECK(machine.cuda.stream_query(stream) == Status::invalid_handle);
    CHECK(machine.cuda.memory_free(memory) == Status::invalid_value);
}

TEST_CASE("the library has a name of its own and is one however it is opened") {
    Machine machine;
    const std::string path = CUPOOL_SIMULATOR_LIBRARY;
    const std::string link = path.substr(0, path.rfind('/')) + "/libcuda-path/libcuda.so.1";
    const Library by_link(link);
    CHECK(by_link.symbol("cuInit") == machine.cuda.symbol("cuInit"));
}

namespace {

// A static object whose destructor calls the driver, as in some programs.
struct LastCaller {
    const Library* cuda = nullptr;
    Context context{};
    ~LastCaller() {
        if (cuda == nullptr) {
            return;
        }
        Context current{};
        const bool works = cuda->context_push_current(context) == Status::success &&
                           cuda->context_get_current(&current) == Status::success && current == context &&
                           cuda->context_synchronize() == Status::success;
        if (!works) {
            std::_Exit(1);
        }
    }
};

}  // namespace

TEST_CASE("the driver can be called while the process exits") {
    const pid_t child = fork();
    if (child == 0) {
        static LastCaller last;
        Machine machine;
        machine.begin();
        static const Library cuda(CUPOOL_SIMULATOR_LIBRARY);
        cuda.context_get_current(&last.context);
        last.cuda = &cuda;
        std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}
