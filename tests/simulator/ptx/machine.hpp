#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "ptx/ptx.hpp"

namespace cupool::ptx::test {

/// Device memory for tests: every buffer is a separate allocation with unmapped addresses around it. Uploaded bytes count as written.
class Memory : public GlobalMemory {
public:
    std::uint64_t allocate(std::uint64_t bytes, bool writable = true) {
        auto allocation = std::make_unique<Allocation>();
        allocation->bytes.resize(bytes + 256);
        allocation->initialised.resize(bytes);
        void* begin = allocation->bytes.data();
        std::size_t space = allocation->bytes.size();
        allocation->range = {next_, bytes, static_cast<std::byte*>(std::align(256, bytes, begin, space)), writable,
                             allocation->initialised.data()};
        next_ += (bytes / 4096 + 2) * 4096;
        allocations_.push_back(std::move(allocation));
        return allocations_.back()->range.address;
    }

    template <class T>
    std::uint64_t upload(const std::vector<T>& values) {
        const std::uint64_t address = allocate(values.size() * sizeof(T));
        std::memcpy(find(address).host, values.data(), values.size() * sizeof(T));
        mark_written(address);
        return address;
    }

    /// The whole allocation.
    void mark_written(std::uint64_t address) {
        const MemoryRange range = find(address);
        std::fill_n(range.initialised, range.bytes, initialised_byte);
    }

    template <class T>
    std::vector<T> download(std::uint64_t address, std::size_t count) {
        std::vector<T> values(count);
        std::memcpy(values.data(), find(address).host, count * sizeof(T));
        return values;
    }

    MemoryRange find(std::uint64_t address) override {
        ++lookups;
        for (const auto& allocation : allocations_)
            if (address - allocation->range.address < allocation->range.bytes) return allocation->range;
        return {};
    }

    std::string describe(std::uint64_t address) override {
        for (const auto& allocation : allocations_) {
            const std::uint64_t end = allocation->range.address + allocation->range.bytes;
            if (address >= end && address - end < 4096) return std::to_string(address - end) + " bytes past the end";
        }
        return {};
    }

    std::atomic<int> lookups = 0;

private:
    struct Allocation {
        std::vector<std::byte> bytes;
        std::vector<std::byte> initialised;
        MemoryRange range;
    };
    std::vector<std::unique_ptr<Allocation>> allocations_;
    std::uint64_t next_ = 0x5000'0000'0000;
};

/// A module whose variables are allocated in a memory.
class Loaded {
public:
    Loaded(Memory& memory, std::string_view text) : Loaded(memory, Program::parse(text)) {}
    Loaded(Memory& memory, Program parsed) : program(std::move(parsed)), memory_(memory) {
        for (const Variable& variable : program.variables()) {
            addresses.push_back(memory.allocate(variable.size, !variable.constant));
            std::copy(variable.initial.begin(), variable.initial.end(), memory.find(addresses.back()).host);
            memory.mark_written(addresses.back());
        }
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            for (const Variable::Relocation& relocation : program.variables()[i].relocations) {
                const std::uint64_t value = addresses[relocation.variable] + static_cast<std::uint64_t>(relocation.addend);
                std::memcpy(memory.find(addresses[i]).host + relocation.offset, &value, sizeof value);
            }
        }
    }

    template <class... Arguments>
    Outcome run(std::string_view entry, Dimensions grid, Dimensions block, Arguments... arguments) {
        Launch launch;
        launch.entry = program.find_entry(entry).value();
        launch.grid = grid;
        launch.block = block;
        launch.dynamic_shared_bytes = dynamic_shared_bytes;
        launch.cooperative = cooperative;
        launch.checks = checks;
        launch.seed = seed;
        launch.variable_addresses = addresses;
        const std::vector<Parameter>& parameters = program.entries()[launch.entry].parameters;
        std::vector<std::byte> bytes(program.entries()[launch.entry].parameter_bytes);
        std::size_t next = 0;
        (place(bytes, parameters.at(next++), arguments), ...);
        launch.parameters = bytes;
        return execute(program, launch, memory_, limits);
    }

    Program program;
    std::vector<std::uint64_t> addresses;
    Limits limits;
    std::uint32_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    Checks checks;
    std::uint64_t seed = 0;

private:
    template <class Argument>
    static void place(std::vector<std::byte>& bytes, const Parameter& parameter, const Argument& argument) {
        static_assert(std::is_trivially_copyable_v<Argument>);
        if (parameter.size != sizeof argument) throw std::invalid_argument("argument's size is not its parameter's");
        std::memcpy(bytes.data() + parameter.offset, &argument, sizeof argument);
    }

    Memory& memory_;
};

inline const std::string header = ".version 6.3\n.target sm_75\n.address_size 64\n";

}  // namespace cupool::ptx::test
