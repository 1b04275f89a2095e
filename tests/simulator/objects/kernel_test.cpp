// Modules and launches.
#include <cstring>
#include <functional>

#include "environment_variable.hpp"
#include "machine.hpp"

using namespace cupool::test;

namespace {

// Adds to each of `count` words its index.
const std::string add_index_text = module_text(R"(
.visible .global .align 4 .u32 step = 1;

.visible .entry add_index(.param .u64 words, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd2, %r5, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r6, [%rd3];
    ld.global.u32 %r7, [step];
    mad.lo.u32 %r6, %r5, %r7, %r6;
    st.global.u32 [%rd3], %r6;
done:
    ret;
}
)");

Status launch(const Library& cuda, Function function, unsigned grid, unsigned block, Stream stream, std::vector<void*> parameters) {
    return cuda.launch_kernel(function, grid, 1, 1, block, 1, 1, 0, stream, parameters.data(), nullptr);
}

}  // namespace

TEST_CASE("a kernel runs in its stream's order") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const Module module = machine.module(add_index_text);
    const Function add_index = machine.function(module, "add_index");
    std::uint32_t count = 1000;
    DevicePointer words = 0;
    REQUIRE(machine.cuda.memory_allocate_async(&words, count * 4, stream) == Status::success);
    REQUIRE(machine.cuda.set_words_async(words, 5, count, stream) == Status::success);
    REQUIRE(launch(machine.cuda, add_index, 8, 128, stream, {&words, &count}) == Status::success);
    std::vector<std::uint32_t> out(count);
    REQUIRE(machine.cuda.copy_device_to_host_async(out.data(), words, count * 4, stream) == Status::success);
    for (std::uint32_t i = 0; i < count; ++i) {
        REQUIRE(out[i] == 5 + i);
    }

    DevicePointer step = 0;
    std::size_t bytes = 0;
    REQUIRE(machine.cuda.module_get_global(&step, &bytes, module, "step") == Status::success);
    CHECK(bytes == 4);
    const std::uint32_t three = 3;
    REQUIRE(machine.cuda.copy_host_to_device(step, &three, 4) == Status::success);
    REQUIRE(launch(machine.cuda, add_index, 8, 128, stream, {&words, &count}) == Status::success);
    REQUIRE(machine.cuda.copy_device_to_host_async(out.data(), words, count * 4, stream) == Status::success);
    CHECK(out[999] == 5 + 999 + 3 * 999);

    REQUIRE(machine.cuda.memory_free_async(words, stream) == Status::success);
    REQUIRE(machine.cuda.stream_destroy(stream) == Status::success);
    REQUIRE(machine.cuda.module_unload(module) == Status::success);
    machine.leave(0);
    machine.simulator.reset();
}

TEST_CASE("a product and a sum are contracted unless the program or the environment forbids it") {
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which the product alone rounds away.
    const std::string text = module_text(R"(
.visible .entry square_and_subtract(.param .u64 target)
{
    .reg .b64 %rd<2>;
    .reg .f32 %f<3>;
    ld.param.u64 %rd1, [target];
    mov.f32 %f1, 0f3F800800;
    mul.f32 %f2, %f1, %f1;
    sub.f32 %f2, %f2, 0f3F801000;
    st.global.f32 [%rd1], %f2;
    ret;
}
)");
    Machine machine;
    const auto run = [&](const std::function<void()>& set) {
        set();
        machine.begin();
        DevicePointer target = machine.memory(4);
        const Function function = machine.function(machine.module(text), "square_and_subtract");
        REQUIRE(launch(machine.cuda, function, 1, 1, nullptr, {&target}) == Status::success);
        float result = -1;
        REQUIRE(machine.cuda.copy_device_to_host(&result, target, 4) == Status::success);
        try {
            machine.simulator.reset();
        } catch (const std::logic_error&) {  // left by this round
        }
        return result;
    };
    CHECK(run([] {}) == 0x1p-24F);
    CHECK(run([&] { machine.simulator.set_contraction(false); }) == 0);
    CHECK(run([] {}) == 0x1p-24F);
    {
        const EnvironmentVariable variable("CUPOOL_SIM_CONTRACTION", "off");
        machine.simulator.reset();
        CHECK(run([] {}) == 0);
    }
    machine.simulator.reset();
}

TEST_CASE("parameters are read at the call") {
    Machine machine;
    machine.begin();
    const Stream stream = machine.stream();
    const Function store = machine.function(machine.module(store_text), "store");
    const DevicePointer memory = machine.memory(4);
    {
        Gate gate(machine.cuda, stream);
        DevicePointer target = memory;
        std::uint32_t value = 6;
        REQUIRE(launch(machine.cuda, store, 1, 1, stream, {&target, &value}) == Status::success);
        target = 0;
        value = 0;
        gate.open();
        REQUIRE(machine.cuda.stream_synchronize(stream) == Status::success);
    }
    CHECK(machine.read(memory) == 6);
}

TEST_CASE("a kernel with an invalid access raises a device fault that names it") {
    Machine machine;
    machine.begin();
    const Function store = machine.function(machine.module(store_text), "store");
    DevicePointer memory = machine.memory(4) + 4;
    std::uint32_t value = 6;
    REQUIRE(launch(machine.cuda, store, 1, 1, nullptr, {&memory, &value}) == Status::success);
    CHECK(machine.cuda.context_synchronize() == Status::illegal_address);
    const std::string report = machine.simulator.device_fault_report();
    CHECK_THAT(report, contains_text("store"));
    CHECK_THAT(report, contains_text("line"));
    CHECK_THROWS(machine.simulator.reset());
    CHECK(machine.simulator.device_fault_report().empty());
}

TEST_CASE("a kernel may not touch freed memory") {
    Machine machine;
    machine.begin();
    const Function store = machine.function(machine.module(store_text), "store");
    DevicePointer memory = machine.memory(4);
    REQUIRE(machine.cuda.memory_free(memory) == Status::success);
    std::uint32_t value = 6;
    REQUIRE(launch(machine.cuda, store, 1, 1, nullptr, {&memory, &value}) == Status::success);
    CHECK(machine.cuda.context_synchronize() == Status::illegal_address);
}

TEST_CASE("an invalid module is refused with a log that names the line") {
    Machine machine;
    machine.begin();
    const std::string text = module_text(".visible .entry f()\n{\n    add.u32 1, 2, 3;\n    ret;\n}\n");
    char log[512] = "untouched";
    JitOption options[] = {JitOption::error_log_buffer, JitOption::error_log_buffer_size_bytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
    Module module{};
    CHECK(machine.cuda.module_load_data(&module, text.c_str(), 2, options, values) == Status::invalid_ptx);
    CHECK_THAT(std::string(log), contains_text("line 6"));
    CHECK_THAT(std::string(log), contains_text("add.u32"));
    CHECK(reinterpret_cast<std::size_t>(values[1]) == std::strlen(log));
    CHECK(machine.simulator.live_counts().modules == 0);
}

TEST_CASE("a kernel that cannot be simulated is refused when it is launched, and its module's others run") {
    Machine machine;
    machine.begin();
    const std::string text =
        module_text(".visible .entry f()\n{\n    frobnicate.u32 1, {2, 3};\n    ret;\n}\n.visible .entry g() { ret; }\n");
    char log[512] = "untouched";
    JitOption options[] = {JitOption::info_log_buffer, JitOption::info_log_buffer_size_bytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
    Module module{};
    REQUIRE(machine.cuda.module_load_data(&module, text.c_str(), 2, options, values) == Status::success);
    CHECK_THAT(std::string(log), contains_text("kernel 'f' cannot be launched") && contains_text("line 6") && contains_text("frobnicate"));
    CHECK(launch(machine.cuda, machine.function(module, "f"), 1, 1, nullptr, {}) == Status::not_supported);
    CHECK(launch(machine.cuda, machine.function(module, "g"), 1, 1, nullptr, {}) == Status::success);
    CHECK(machine.cuda.context_synchronize() == Status::success);
}

TEST_CASE("PTX newer than the driver or the device is refused") {
    cupool::SimulatedDevice turing;
    turing.compute_capability_major = 7;
    turing.compute_capability_minor = 5;
    Machine machine({turing});
    machine.simulator.set_driver_version(12000);
    machine.begin();
    Module module{};
    const auto load = [&](const char* head) {
        return machine.cuda.module_load_data(&module, (std::string(head) + "\n.address_size 64\n").c_str(), 0, nullptr, nullptr);
    };
    CHECK(load(".version 8.0\n.target sm_75") == Status::success);
    CHECK(load("// a comment first\n/* and another */\n.version 8.0\n.target sm_70") == Status::success);
    CHECK(load(".version 8.1\n.target sm_75") == Status::unsupported_ptx_version);
    CHECK(load(".version 9.0\n.target sm_75") == Status::unsupported_ptx_version);
    CHECK(load(".version 8.0\n.target sm_80") == Status::invalid_ptx);
}

TEST_CASE("machine code is for no device here") {
    Machine machine;
    machine.begin();
    unsigned char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    cubin[18] = 190;
    const unsigned char fat_binary[16] = {0x50, 0xed, 0x55, 0xba, 1};
    Module module{};
    CHECK(machine.cuda.module_load_data(&module, cubin, 0, nullptr, nullptr) == Status::no_binary_for_gpu);
    CHECK(machine.cuda.module_load_data(&module, fat_binary, 0, nullptr, nullptr) == Status::no_binary_for_gpu);
}

TEST_CASE("kernels of a library are launched as they are, and all variables are found") {
    Machine machine;
    machine.begin();
    const char* const text =
        ".version 6.3\n.target sm_75\n.address_size 64\n.const .align 4 .u32 hidden = 5;\n"
        ".visible .entry fetch(.param .u64 to) { .reg .b64 %rd0; .reg .b32 %r0; ld.param.u64 %rd0, [to]; ld.const.u32 %r0, [hidden]; "
        "st.global.u32 [%rd0], %r0; ret; }\n";
    CodeLibrary library{};
    REQUIRE(machine.cuda.library_load_data(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0) == Status::success);
    LibraryKernel kernel{};
    REQUIRE(machine.cuda.library_get_kernel(&kernel, library, "fetch") == Status::success);
    DevicePointer memory = machine.memory(4);
    CHECK(launch(machine.cuda, reinterpret_cast<Function>(kernel), 1, 1, nullptr, {&memory}) == Status::success);
    std::uint32_t value = 0;
    REQUIRE(machine.cuda.copy_device_to_host(&value, memory, 4) == Status::success);
    CHECK(value == 5);
    DevicePointer variable = 0;
    CHECK(machine.cuda.library_get_global(&variable, nullptr, library, "hidden") == Status::success);
    std::size_t bytes = 0;
    CHECK(machine.cuda.module_get_global(&variable, &bytes, machine.module(text), "hidden") == Status::success);
    CHECK(bytes == 4);
    REQUIRE(machine.cuda.library_unload(library) == Status::success);
    CHECK(launch(machine.cuda, reinterpret_cast<Function>(kernel), 1, 1, nullptr, {&memory}) == Status::invalid_handle);
}

TEST_CASE("functions die with their module") {
    Machine machine;
    machine.begin();
    const Module module = machine.module(store_text);
    const Function store = machine.function(module, "store");
    REQUIRE(machine.cuda.module_unload(module) == Status::success);
    DevicePointer memory = machine.memory(4);
    std::uint32_t value = 6;
    CHECK(launch(machine.cuda, store, 1, 1, nullptr, {&memory, &value}) == Status::invalid_handle);
    CHECK(machine.cuda.module_unload(module) == Status::invalid_handle);
    Function function{};
    CHECK(machine.cuda.module_get_function(&function, module, "store") == Status::invalid_handle);
    int registers = 0;
    CHECK(machine.cuda.function_get_attribute(&registers, FunctionAttribute::register_count, store) == Status::invalid_handle);
    CHECK(launch(machine.cuda, nullptr, 1, 1, nullptr, {}) == Status::invalid_handle);
    Function from_garbage = reinterpret_cast<Function>(module);
    CHECK(launch(machine.cuda, from_garbage, 1, 1, nullptr, {}) == Status::invalid_handle);
}
