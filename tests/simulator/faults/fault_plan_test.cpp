// Fault plans: by call, kernel and device, from code and from files.
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "environment_variable.hpp"
#include "machine.hpp"

using namespace cupool::test;
using cupool::SimulatedFault;

namespace {

/// A temporary file with this text.
class PlanFile {
public:
    explicit PlanFile(const std::string& text) : path_("cupool_plan_" + std::to_string(getpid()) + ".json") {
        std::ofstream(path_) << text;
    }
    ~PlanFile() { std::remove(path_.c_str()); }
    PlanFile(const PlanFile&) = delete;
    PlanFile& operator=(const PlanFile&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

Status launch_store(Machine& machine, Function store, DevicePointer memory, Stream stream = nullptr) {
    std::uint32_t value = 9;
    void* parameters[] = {&memory, &value};
    return machine.cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
}

float milliseconds_of_store(Machine& machine, Function store, DevicePointer memory) {
    const Event start = machine.event();
    const Event end = machine.event();
    REQUIRE(machine.cuda.event_record(start, nullptr) == Status::success);
    REQUIRE(launch_store(machine, store, memory) == Status::success);
    REQUIRE(machine.cuda.event_record(end, nullptr) == Status::success);
    REQUIRE(machine.cuda.event_synchronize(end) == Status::success);
    float milliseconds = 0;
    REQUIRE(machine.cuda.event_elapsed_time(&milliseconds, start, end) == Status::success);
    return milliseconds;
}

}  // namespace

TEST_CASE("a fault may be for the calls of one device") {
    Machine machine({{}, {}});
    machine.begin();
    machine.enter(1);
    machine.simulator.plan_fault({.call = "cuMemAlloc", .device = 1, .nth = 2, .result = 2});
    DevicePointer pointer = 0;
    CHECK(machine.cuda.memory_allocate(&pointer, 16) == Status::success);
    machine.enter(0);
    CHECK(machine.cuda.memory_allocate(&pointer, 16) == Status::success);
    machine.enter(1);
    CHECK(machine.cuda.memory_allocate(&pointer, 16) == Status::out_of_memory);
    CHECK(machine.cuda.memory_allocate(&pointer, 16) == Status::success);
    machine.simulator.plan_fault({.call = "cuDeviceGetName", .device = 1, .result = 999});
    char name[8];
    CHECK(machine.cuda.device_get_name(name, 8, 0) == Status::success);
    CHECK(machine.cuda.device_get_name(name, 8, 1) == Status::unknown);
}

TEST_CASE("a fault may be for the nth call, whatever it is") {
    Machine machine;
    machine.simulator.plan_fault({.nth = 3, .result = 999});
    CHECK(machine.cuda.init(0) == Status::success);
    int count = 0;
    CHECK(machine.cuda.device_get_count(&count) == Status::success);
    CHECK(machine.cuda.driver_get_version(&count) == Status::unknown);
    CHECK(machine.cuda.driver_get_version(&count) == Status::success);
}

TEST_CASE("a fault may be for the launches of one kernel") {
    Machine machine;
    machine.begin();
    const Module module = machine.module(store_text + ".visible .entry other(.param .u64 p, .param .u32 v)\n{\n    ret;\n}\n");
    const Function store = machine.function(module, "store");
    const Function other = machine.function(module, "other");
    const DevicePointer memory = machine.memory(4);
    machine.simulator.plan_fault({.kernel = "store", .nth = 2, .result = 701});
    CHECK(launch_store(machine, store, memory) == Status::success);
    CHECK(launch_store(machine, other, memory) == Status::success);
    CHECK(launch_store(machine, store, memory) == Status::launch_out_of_resources);
    CHECK(launch_store(machine, store, memory) == Status::success);
    CHECK(machine.read(memory) == 9);

    machine.simulator.plan_fault({.kernel = "store", .result = 719, .duration = cupool_sim_sticky});
    CHECK(launch_store(machine, store, memory) == Status::success);
    CHECK(machine.cuda.context_synchronize() == Status::launch_failed);
    CHECK_THAT(machine.simulator.device_fault_report(), contains_text("kernel 'store'"));
}

TEST_CASE("losing a device does not affect others, and its queued operations do not run") {
    Machine machine({{}, {}});
    machine.begin();
    const DevicePointer here = machine.memory(4);
    machine.enter(1);
    const DevicePointer there = machine.memory(4);
    const Stream stream = machine.stream();
    static std::atomic<bool> ran{false};
    {
        Gate gate(machine.cuda, stream);
        REQUIRE(machine.cuda.stream_launch_host_function(
                    stream, [](void*) { ran = true; }, nullptr) == Status::success);
        machine.simulator.plan_fault({.device = 1, .nth = 2, .result = 46, .duration = cupool_sim_lost});
        CHECK(machine.cuda.set_words_async(there, 1, 1, stream) == Status::success);
        CHECK(machine.cuda.set_words_async(there, 1, 1, stream) == Status::device_unavailable);
        CHECK(machine.cuda.set_words_async(there, 1, 1, stream) == Status::device_unavailable);
        gate.open();
    }
    CHECK(machine.cuda.stream_synchronize(stream) == Status::device_unavailable);
    CHECK(machine.cuda.memory_free(there) == Status::device_unavailable);
    CHECK(machine.cuda.stream_destroy(stream) == Status::device_unavailable);
    Context context{};
    CHECK(machine.cuda.context_create(&context, 0, 1) == Status::device_unavailable);
    machine.enter(0);
    CHECK(machine.cuda.set_words_async(here, 5, 1, nullptr) == Status::success);
    CHECK(machine.read(here) == 5);
    CHECK_THROWS(machine.simulator.reset());
    CHECK_FALSE(ran);
    machine.simulator.set_devices({{}, {}});
    machine.begin();
    machine.enter(1);
    CHECK(machine.cuda.context_synchronize() == Status::success);
}

TEST_CASE("running operations of a lost device do not affect other devices") {
    const std::string text = module_text(R"(
.visible .entry fault_when_told(.param .u64 flag)
{
    .reg .pred %p;
    .reg .b32 %told;
    .reg .b64 %flag, %nowhere;
    ld.param.u64 %flag, [flag];
    mov.u32 %told, 1;
    st.volatile.global.u32 [%flag+4], %told;
again:
    ld.volatile.global.u32 %told, [%flag];
    setp.eq.u32 %p, %told, 0;
    @%p bra again;
    mov.u64 %nowhere, 16;
    st.global.u32 [%nowhere], %told;
    ret;
}
)");
    Machine machine({{}, {}});
    machine.begin();
    auto* flag = machine.pinned<std::uint32_t>(2);
    std::uint32_t& has_begun = flag[1];
    flag[0] = flag[1] = 0;
    machine.enter(1);
    const Function kernel = machine.function(machine.module(text), "fault_when_told");
    const Event done = machine.event();
    void* parameters[] = {&flag};
    REQUIRE(machine.cuda.launch_kernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) == Status::success);
    REQUIRE(machine.cuda.event_record(done, nullptr) == Status::success);
    machine.enter(0);
    const Stream stream = machine.stream();
    REQUIRE(machine.cuda.stream_wait_event(stream, done, 0) == Status::success);
    machine.enter(1);
    while (__atomic_load_n(&has_begun, __ATOMIC_SEQ_CST) == 0) std::this_thread::yield();
    machine.simulator.plan_fault({.device = 1, .nth = 1, .result = 46, .duration = cupool_sim_lost});
    CHECK(machine.cuda.context_synchronize() == Status::device_unavailable);
    __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
    machine.enter(0);
    CHECK(machine.cuda.stream_synchronize(stream) == Status::success);
    CHECK(machine.cuda.context_synchronize() == Status::success);
    CHECK(machine.simulator.device_fault_report().empty());
}

TEST_CASE("a device may have only so much memory left") {
    Machine machine({{}, {}});
    constexpr std::uint64_t left = 64 << 20;
    machine.simulator.plan_fault({.device = 1, .memory_left = left});
    machine.begin();
    std::size_t free = 0;
    std::size_t total = 0;
    REQUIRE(machine.cuda.memory_get_info(&free, &total) == Status::success);
    CHECK(free == total);
    machine.enter(1);
    REQUIRE(machine.cuda.memory_get_info(&free, &total) == Status::success);
    CHECK(free == left);
    DevicePointer pointer = 0;
    CHECK(machine.cuda.memory_allocate(&pointer, left + 1) == Status::out_of_memory);
    CHECK(machine.cuda.memory_allocate(&pointer, left) == Status::success);
    CHECK(machine.cuda.memory_allocate(&pointer, 1) == Status::out_of_memory);
    CHECK(machine.cuda.memory_allocate_async(&pointer, 1, nullptr) == Status::out_of_memory);
    machine.simulator.clear_faults();
    CHECK(machine.cuda.memory_allocate(&pointer, 1) == Status::success);
    machine.simulator.plan_fault({.memory_left = 0});
    CHECK(machine.cuda.memory_allocate(&pointer, left) == Status::out_of_memory);
}

TEST_CASE("kernels, devices and calls may be slow") {
    Machine machine;
    machine.simulator.set_seed(11);
    machine.begin();
    const Function store = machine.function(machine.module(store_text), "store");
    const DevicePointer memory = machine.memory(4);
    CHECK(milliseconds_of_store(machine, store, memory) < 5);
    machine.simulator.plan_fault({.kernel = "store", .times_slower = 10'000});
    CHECK(milliseconds_of_store(machine, store, memory) >= 20);
    machine.simulator.clear_faults();
    machine.simulator.plan_fault({.device = 0, .milliseconds = 100});
    CHECK(milliseconds_of_store(machine, store, memory) >= 100);
    machine.simulator.clear_faults();
    machine.simulator.plan_fault({.call = "cuLaunchKernel", .milliseconds = 300});
    CHECK(milliseconds_of_store(machine, store, memory) >= 300);
    CHECK(machine.read(memory) == 9);
}

TEST_CASE("without a seed, slow is really slow") {
    Machine machine;
    machine.begin();
    const Function store = machine.function(machine.module(store_text), "store");
    const DevicePointer memory = machine.memory(4);
    machine.simulator.plan_fault({.kernel = "store", .milliseconds = 20});
    CHECK(milliseconds_of_store(machine, store, memory) >= 20);
}

TEST_CASE("an invalid fault is refused with the reason") {
    Machine machine;
    const auto refusal = [&](const SimulatedFault& fault) -> std::string {
        try {
            machine.simulator.plan_fault(fault);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(refusal({.call = "cuNoSuchThing", .result = 1}), contains_text("cuNoSuchThing"));
    CHECK_THAT(refusal({.call = "cuMemAlloc"}), contains_text("result"));
    CHECK_THAT(refusal({.result = 1, .memory_left = 3}), contains_text("no two"));
    CHECK_THAT(refusal({.call = "cuMemAlloc", .kernel = "store", .result = 1}), contains_text("only one"));
    CHECK_THAT(refusal({.nth = 0, .result = 1}), contains_text("nth"));
    CHECK_THAT(refusal({.result = -1}), contains_text("result: a CUresult, 1 to 999"));
    CHECK_THAT(refusal({.result = 1000}), contains_text("result: a CUresult, 1 to 999"));
    CHECK_THAT(refusal({.device = 64, .result = 1}), contains_text("device"));
    CHECK_THAT(refusal({.device = -2, .result = 1}), contains_text("device"));
    CHECK_THAT(refusal({.times_slower = 0.5}), contains_text("times_slower"));
    CHECK_THAT(refusal({.milliseconds = -1}), contains_text("milliseconds"));
    CHECK_THAT(refusal({.kernel = "store", .memory_left = 3}), contains_text("memory_left"));
    CHECK(refusal({.call = "cuMemAlloc", .result = 1}).empty());
}

TEST_CASE("a file plans faults and the driver's version") {
    const PlanFile file(R"({
        "driver_version": 12040,
        "faults": [
            {"call": "cuMemAlloc", "nth": 2, "result": 2},
            {"call": "cuEventCreate", "result": 999, "duration": "always"},
            {"device": 0, "memory_left": 67108864},
            {"kernel": "store", "times_slower": 10},
            {"call": "cuStreamSynchronize", "milliseconds": 0.5},
            {"kernel": "store", "result": 700, "duration": "sticky"}
        ]
    })");
    Machine machine;
    SECTION("from code") { machine.simulator.load_plan(file.path()); }
    SECTION("from the environment") {
        const EnvironmentVariable variable("CUPOOL_SIM_PLAN", file.path().c_str());
        machine.simulator.reset();
    }
    machine.begin();
    int version = 0;
    REQUIRE(machine.cuda.driver_get_version(&version) == Status::success);
    CHECK(version == 12040);
    std::size_t free = 0;
    REQUIRE(machine.cuda.memory_get_info(&free, nullptr) == Status::success);
    CHECK(free == 67108864);
    const Function store = machine.function(machine.module(store_text), "store");
    const DevicePointer memory = machine.memory(4);
    DevicePointer none = 0;
    CHECK(machine.cuda.memory_allocate(&none, 4) == Status::out_of_memory);
    Event event{};
    CHECK(machine.cuda.event_create(&event, 0) == Status::unknown);
    CHECK(machine.cuda.event_create(&event, 0) == Status::unknown);
    CHECK(launch_store(machine, store, memory) == Status::success);
    CHECK(machine.cuda.context_synchronize() == Status::illegal_address);
}

TEST_CASE("a file's line may be of any length") {
    constexpr std::size_t line_bytes = 1 << 20;
    const std::string plan = R"({"faults": [{"call": "cuEventCreate", "result": 999}]})";
    const PlanFile file(plan + std::string(line_bytes - plan.size(), ' '));
    Machine machine;
    machine.simulator.load_plan(file.path());
    machine.begin();
    Event event{};
    CHECK(machine.cuda.event_create(&event, 0) == Status::unknown);
    CHECK(machine.cuda.event_create(&event, 0) == Status::success);
}

TEST_CASE("a malformed file is refused as a whole, with the position of the error") {
    Machine machine;
    const auto refusal = [&](const std::string& text) -> std::string {
        const PlanFile file(text);
        try {
            machine.simulator.load_plan(file.path());
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(refusal("{\n  \"faults\": [\n    {\"call\" \"cuInit\"}\n  ]\n}"), contains_text("line 3"));
    CHECK_THAT(refusal("[]"), contains_text("an object"));
    CHECK_THAT(refusal(R"({"fault": []})"), contains_text("fault: unknown"));
    CHECK_THAT(refusal(R"({"faults": {}})"), contains_text("faults: a list"));
    CHECK_THAT(refusal(R"({"faults": [{"call": "cuInit", "result": 1}, {"call": "cuInit", "result": "one"}]})"),
               contains_text("faults[1]: result"));
    CHECK_THAT(refusal(R"({"faults": [{"call": "cuInit", "result": 1, "nth": -1}]})"), contains_text("faults[0]: nth"));
    CHECK_THAT(refusal(R"({"faults": [{"call": "cuInit", "result": 1, "duration": "long"}]})"), contains_text("faults[0]: duration"));
    CHECK_THAT(refusal(R"({"faults": [{"call": "cuInit", "result": 1, "when": 1}]})"), contains_text("faults[0]: when: unknown"));
    CHECK_THAT(refusal(R"({"faults": [{"call": "cuinit", "result": 1}]})"), contains_text("cuinit"));
    CHECK_THAT(refusal(R"({"faults": [{"call": "cuInit", "result": 1000}]})"), contains_text("faults[0]: result: a CUresult, 1 to 999"));
    CHECK_THAT(refusal(R"({"driver_version": 12})"), contains_text("driver_version"));
    CHECK_THAT(refusal(R"({"faults": [{"call": "cuInit", "call": "cuMemAlloc", "result": 1}]})"), contains_text("call: given twice"));
    CHECK_THAT(refusal(R"({"faults": [{"call": "cuInit", "milliseconds": 1e300}]})"), contains_text("milliseconds"));
    CHECK_THAT(refusal(R"({"faults": [{"kernel": "store", "times_slower": 1e300}]})"), contains_text("times_slower"));
    CHECK_THROWS_WITH(machine.simulator.load_plan("/tmp"), "fault plan: /tmp: cannot be read");
    CHECK_THROWS_WITH(machine.simulator.load_plan("/no/such/plan.json"), "fault plan: /no/such/plan.json: cannot be read");
    CHECK(machine.cuda.init(0) == Status::success);
}

TEST_CASE("a malformed environment lets no driver start") {
    Machine machine;
    const std::pair<const char*, const char*> malformed[] = {
        {"CUPOOL_SIM_DEVICES", "two"},
        {"CUPOOL_SIM_DEVICES", "65"},
        {"CUPOOL_SIM_DEVICES", "2x"},
        {"CUPOOL_SIM_DRIVER_VERSION", "12.4"},
        {"CUPOOL_SIM_SEED", "-1"},
        {"CUPOOL_SIM_CHECKS", "rases"},
        {"CUPOOL_SIM_CONTRACTION", "yes"},
        {"CUPOOL_SIM_PLAN", "/no/such.json"},
        {"CUPOOL_SIM_PLAN", "/tmp"},
        {"CUPOOL_SIM_FAULTS", "cuInit:1:802"},
        {"CUPOOL_SIM_FAULTS", "cuInit:0:802:once"},
        {"CUPOOL_SIM_FAULTS", "cuNoSuchThing:1:802:once"},
        {"CUPOOL_SIM_FAULTS", "cuInit:1:802:twice"},
        {"CUPOOL_SIM_FAULTS", "cuInit:1:1000:once"},
    };
    for (const auto& [name, value] : malformed) {
        INFO(name << '=' << value);
        const EnvironmentVariable variable(name, value);
        machine.simulator.reset();
        CHECK(machine.cuda.init(0) == Status::unknown);
    }
    machine.simulator.reset();
    CHECK(machine.cuda.init(0) == Status::success);
}
