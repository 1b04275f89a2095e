// The kernels that the conformance suite launches, as PTX, and what it needs to feed them.
#pragma once

#include <atomic>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <vector>

#include "gpus.hpp"

namespace cupool::test {

/// `nothing()`; `add(to, value, count)`: to[i] += value; `meet(counter)`: every block counts itself and waits for all others;
/// `cramped()`: takes at most 64 threads; and the variable `offset`, which `add_offset(to, count)` adds.
extern const char* const kernels_ptx;

/// Holds a stream up until it is opened.
class Gate {
public:
    explicit Gate(StreamView stream) {
        stream.launch_host_function([open = open_] {
            while (!*open) {
            }
        });
    }
    ~Gate() { open(); }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    void open() { *open_ = true; }

private:
    std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

inline std::vector<int> fetch(DeviceSpan<const int> span, StreamView stream) {
    std::vector<int> values(span.size());
    copy(std::span<int>(values), span, stream);
    return values;
}

/// What a test of one device has: a stream, the kernels, and 100 zeros in memory.
struct Bench {
    explicit Bench(ContextView own_context)
        : context(own_context),
          stream(context),
          module(context, kernels_ptx),
          add(module.kernel<DeviceSpan<int>, int, unsigned>("add")),
          values(count, DeviceContext::in(context).with_stream(stream).with_memory_pool({})) {
        fill_bytes_async(values.span(), 0, stream);
        stream.synchronize();
    }

    static constexpr unsigned count = 100;
    static constexpr LaunchShape shape{1, 128};

    std::vector<int> result() const { return fetch(values.span(), stream); }
    /// All values alike.
    static std::vector<int> all(int value) { return std::vector<int>(count, value); }

    ContextView context;
    Stream stream;
    Module module;
    Kernel<DeviceSpan<int>, int, unsigned> add;
    DeviceBuffer<int> values;
};

}  // namespace cupool::test
