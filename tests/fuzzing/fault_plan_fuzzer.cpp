// Fuzzes the simulated driver's fault plans. The input is a plan's file.
#include <stdexcept>
#include <string>

#include "fuzz_input.hpp"
#include "memory_file.hpp"
#include "simulated_machine.hpp"

using namespace cupool::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    SimulatedMachine& machine = SimulatedMachine::instance();
    const MemoryFile file({data, size});
    try {
        machine.simulator.load_plan(file.path());
    } catch (const std::invalid_argument& error) {
        must_hold(*error.what() != '\0', "a refusal says why");
    }
    machine.simulator.clear_faults();
    machine.simulator.set_driver_version(13000);
    return 0;
}
