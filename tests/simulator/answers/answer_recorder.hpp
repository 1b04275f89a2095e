// Records the answers of a libcuda: the results of correct and incorrect calls. The recorded answers of a real driver lie beside this file;
// those of the simulated driver must be the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "../library.hpp"

namespace cupool::test {

/// Makes the calls of one group and prints their answers. Each group runs in a separate process.
class AnswerRecorder {
public:
    explicit AnswerRecorder(const Library& library) : cuda(library) {}

    /// Prints an answer at once, since the next call may crash.
    void note(const std::string& question, Status answer) { note(question, std::to_string(static_cast<int>(answer))); }
    void note(const std::string& question, bool answer) { note(question, std::string(answer ? "yes" : "no")); }
    void note(const std::string& question, const char* answer) { note(question, std::string(answer)); }
    void note(const std::string& question, const std::string& answer) { std::cout << question << '\t' << answer << std::endl; }
    void note_number(const std::string& question, std::uint64_t answer) { note(question, std::to_string(answer)); }

    /// Initialises the driver and makes device 0's primary context current.
    Context begin() const;
    Context primary(int device) const;
    /// Creates another context on the device; does not change the current one.
    Context created(int device) const;
    Stream stream(unsigned flags = 1) const;
    Event event(unsigned flags = 0) const;
    DevicePointer memory(std::size_t bytes) const;
    void* pinned(std::size_t bytes) const;
    Module module(const char* text) const;
    Function function(Module module, const char* name) const;

    const Library& cuda;
};

/// Blocks a stream until the gate is opened.
class Gate {
public:
    Gate(const Library& cuda, Stream stream);
    ~Gate() { open(); }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    void open() { open_ = true; }

private:
    std::atomic<bool>& open_;
};

struct CallGroup {
    const char* name;
    int devices;  ///< number of required devices
    void (*ask)(AnswerRecorder&);
};

/// All call groups, in the order of their files.
std::vector<CallGroup>& call_groups();

struct CallGroupRegistration {
    CallGroupRegistration(const char* name, int devices, void (*ask)(AnswerRecorder&)) { call_groups().push_back({name, devices, ask}); }
};

/// The kernels that the call groups launch.
extern const char* const kernels_text;

}  // namespace cupool::test

#define CUPOOL_CALL_GROUP_NAMED(ask_it, registration, name, devices)         \
    static void ask_it(AnswerRecorder& recorder);                            \
    static const CallGroupRegistration registration(name, devices, &ask_it); \
    static void ask_it([[maybe_unused]] AnswerRecorder& recorder)
#define CUPOOL_JOIN_(a, b) a##b
#define CUPOOL_JOIN(a, b) CUPOOL_JOIN_(a, b)
#define CALL_GROUP(name) CUPOOL_CALL_GROUP_NAMED(CUPOOL_JOIN(call_group_, __LINE__), CUPOOL_JOIN(registration_, __LINE__), name, 1)
#define CALL_GROUP_ON_TWO_DEVICES(name) \
    CUPOOL_CALL_GROUP_NAMED(CUPOOL_JOIN(call_group_, __LINE__), CUPOOL_JOIN(registration_, __LINE__), name, 2)
