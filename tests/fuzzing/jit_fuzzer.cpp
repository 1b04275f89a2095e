// Fuzzes cuModuleLoadDataEx: an image, PTX or not, with options of the JIT. The input is the number of options, for each of them its
// number and a size, and the image.
#include <algorithm>
#include <array>
#include <string>

#include "fuzz_input.hpp"
#include "simulated_machine.hpp"

using namespace cupool::test;

namespace {

constexpr unsigned max_options = 8;
constexpr std::size_t log_bytes = 256;
constexpr char untouched = '#';

/// A buffer for a log, and how much of it the JIT is told of.
struct LogBuffer {
    LogBuffer() { bytes.fill(untouched); }

    bool is_untouched_from(std::size_t first) const {
        return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end(), [](char c) { return c == untouched; });
    }

    std::array<char, log_bytes> bytes;
};

/// A driver is told no length: text ends at its NUL, but what begins as an ELF file is read as far as its header goes.
constexpr std::size_t elf_header_bytes = 64;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const SimulatedMachine& machine = SimulatedMachine::instance();
    FuzzInput input(data, size);
    LogBuffer buffer;
    std::size_t told = 0;
    const unsigned count = input.take_byte() % (max_options + 1);
    std::array<JitOption, max_options> options{};
    std::array<void*, max_options> values{};
    for (unsigned i = 0; i < count; ++i) {
        options[i] = static_cast<JitOption>(static_cast<std::int8_t>(input.take_byte()));
        const std::uint8_t value = input.take_byte();
        const bool is_buffer = options[i] == JitOption::info_log_buffer || options[i] == JitOption::error_log_buffer;
        told = std::max<std::size_t>(told, value);
        values[i] =
            is_buffer ? static_cast<void*>(value == 0 ? nullptr : buffer.bytes.data()) : reinterpret_cast<void*>(std::uintptr_t{value});
    }
    std::string image(input.text());
    image.append(elf_header_bytes, '\0');
    Module module{};
    const Status result = machine.cuda.module_load_data(&module, image.c_str(), count, options.data(), values.data());
    must_hold(buffer.is_untouched_from(told), "the JIT wrote past the end of a log");
    if (result == Status::success) {
        must_hold(machine.cuda.module_unload(module) == Status::success, "a module that was loaded can be unloaded");
    }
    return 0;
}
