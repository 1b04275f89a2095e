// A simulated machine and its driver's raw entry points, for one test.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <cupool/simulator/simulator.hpp>

#include "catch.hpp"
#include "library.hpp"

namespace cupool::test {

struct Machine {
    explicit Machine(const std::vector<SimulatedDevice>& devices = {{}})
        : simulator(CUPOOL_SIMULATOR_LIBRARY, devices), cuda(CUPOOL_SIMULATOR_LIBRARY) {}

    /// Initialises the driver and makes the primary context of device 0 current.
    Context begin() {
        REQUIRE(cuda.init(0) == Status::success);
        return enter(0);
    }
    /// Retains a device's primary context and makes it current.
    Context enter(int device) {
        Context context{};
        REQUIRE(cuda.primary_context_retain(&context, device) == Status::success);
        REQUIRE(cuda.context_set_current(context) == Status::success);
        return context;
    }
    void leave(int device) { REQUIRE(cuda.primary_context_release(device) == Status::success); }

    Stream stream(StreamFlags flags = StreamFlags::non_blocking) {
        Stream stream{};
        REQUIRE(cuda.stream_create(&stream, static_cast<unsigned>(flags), 0) == Status::success);
        return stream;
    }
    Event event(unsigned flags = 0) {
        Event event{};
        REQUIRE(cuda.event_create(&event, flags) == Status::success);
        return event;
    }
    DevicePointer memory(std::size_t bytes) {
        DevicePointer pointer = 0;
        REQUIRE(cuda.memory_allocate(&pointer, bytes) == Status::success);
        return pointer;
    }
    template <class Value>
    Value* pinned(std::size_t count) {
        void* pointer = nullptr;
        REQUIRE(cuda.host_allocate(&pointer, count * sizeof(Value), 1) == Status::success);
        return static_cast<Value*>(pointer);
    }
    Function function(Module module, const char* name) {
        Function function{};
        REQUIRE(cuda.module_get_function(&function, module, name) == Status::success);
        return function;
    }
    Module module(const std::string& text) {
        Module module{};
        REQUIRE(cuda.module_load_data(&module, text.c_str(), 0, nullptr, nullptr) == Status::success);
        return module;
    }
    std::uint32_t read(DevicePointer from) {
        std::uint32_t value = 0;
        REQUIRE(cuda.copy_device_to_host(&value, from, sizeof(value)) == Status::success);
        return value;
    }
    std::uint64_t pool_number(MemoryPool pool, MemoryPoolAttribute attribute) {
        std::uint64_t value = 0;
        REQUIRE(cuda.memory_pool_get_attribute(pool, attribute, &value) == Status::success);
        return value;
    }

    Simulator simulator;
    const Library cuda;
};

/// Blocks a stream until the gate is opened.
class Gate {
public:
    Gate(const Library& cuda, Stream stream) : open_(flags().emplace_back(false)) {
        const auto wait = [](void* open) {
            while (!*static_cast<std::atomic<bool>*>(open)) {
                std::this_thread::yield();
            }
        };
        REQUIRE(cuda.stream_launch_host_function(stream, wait, &open_) == Status::success);
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    void open() { open_ = true; }

private:
    // Never freed: a host function may read its flag after the gate is destroyed.
    static std::deque<std::atomic<bool>>& flags() {
        static std::deque<std::atomic<bool>> all;
        return all;
    }

    std::atomic<bool>& open_;
};

/// The text of a module with one entry of this head and body.
inline std::string module_text(const std::string& entry) { return ".version 6.3\n.target sm_75\n.address_size 64\n" + entry; }

/// An entry that stores a word at an address.
inline const std::string store_text = module_text(R"(
.visible .entry store(.param .u64 p, .param .u32 v)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [v];
    st.global.u32 [%rd1], %r1;
    ret;
}
)");

}  // namespace cupool::test
