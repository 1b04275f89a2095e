#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <cupool/driver/entry_points.hpp>

namespace cupool::test {

/// Work of all kinds for one device, by raw driver calls, that keeps account of what each call which was answered with success must have
/// done: a call that fails must have done nothing.
class DriverWorkload {
public:
    explicit DriverWorkload(const EntryPoints& api);

    /// Work on several streams: sets, copies, launches, host functions, graphs, events, memory, values.
    void queue_work();
    /// The same, while every stream is held up, so that all need threads at once.
    void queue_work_behind_gates();
    /// Objects made and destroyed: contexts, modules, libraries, streams, events, memory.
    void make_objects();
    /// Tries again what could not be ended, and waits for all work. Answers the device's fault, if there is one.
    abi::Status settle();
    /// To be called when all is settled without a fault. Throws where memory is not what the calls have made it, or a call was answered
    /// other than with success, 2 or 304 (out of memory, operating system).
    void finish();

private:
    static constexpr std::size_t stream_count = 3;
    static constexpr std::size_t word_count = 16;

    void build_graph();
    void queue_kernels_and_graphs();
    void queue_on(std::size_t stream);
    void copy_between_streams(std::size_t from, std::size_t to);
    void capture_and_launch();
    void use_memory(abi::Stream stream);
    void pass_value();
    void make_context();
    void make_modules();

    bool ok(abi::Status result);
    void must(abi::Status result, const char* call) const;
    void end(std::function<abi::Status()> end);
    abi::Status launch_add(abi::DevicePointer to, std::uint32_t value, abi::Stream stream);
    abi::DevicePointer word(std::size_t index) const { return words_ + index * sizeof(std::uint32_t); }

    EntryPoints api_;
    abi::Context context_{};
    abi::Module module_{};
    abi::Function add_{};
    abi::DevicePointer words_ = 0;
    std::array<abi::Stream, stream_count> streams_{};
    std::array<abi::Event, stream_count> events_{};
    abi::Stream capturing_{};
    abi::Event of_graph_{};
    abi::Graph graph_{};
    abi::GraphExec exec_{};
    /// Ends that failed, to be tried again by finish().
    std::vector<std::function<abi::Status()>> ends_;

    std::array<std::uint32_t, word_count> expected_{};
    int expected_calls_ = 0;
    std::atomic<int> calls_{0};
    std::atomic<bool> are_gates_open_{false};
    std::string complaint_;
};

}  // namespace cupool::test
