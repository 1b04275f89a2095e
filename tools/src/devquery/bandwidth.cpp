#include "devquery/bandwidth.hpp"

#include <algorithm>
#include <cstdint>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/peer_access.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <functional>
#include <memory>
#include <new>

#include "devquery/copy_kernel.hpp"
#include "devquery/copy_timer.hpp"
#include "program/error_text.hpp"

namespace cupool::tools {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t words_of_vector = 4;
constexpr int small_copies_of_run = 20;

Words pattern(std::size_t count) {
    Words words(count);
    std::uint32_t value = 1;
    for (auto& word : words) word = value = value * 1664525 + 1013904223;
    return words;
}

/// A device with the memory and the streams of its copies. The memory is plain, because peer access does not cover that of pools.
struct Side {
    Side(const std::shared_ptr<const Driver>& driver, int ordinal, const Words& words)
        : context(DeviceContext::for_device(driver, ordinal).with_memory_pool({})),
          stream(context.context()),
          second_stream(context.context()),
          source(words.size(), context),
          target(words.size(), context),
          kernel(context.context()) {
        copy<std::uint32_t>(source.span(), words, stream);
    }

    int ordinal() const { return context.device(); }

    DeviceContext context;
    Stream stream;
    Stream second_stream;
    DeviceBuffer<std::uint32_t> source;
    DeviceBuffer<std::uint32_t> target;
    CopyKernel kernel;
};

/// The host's memory for the copies of one device.
struct HostSide {
    HostSide(const Side& side, const Words& words)
        : pinned_source(words.size(), side.context.context()),
          pinned_target(words.size(), side.context.context()),
          pageable_target(words.size()) {
        std::copy(words.begin(), words.end(), pinned_source.data());
    }

    PinnedBuffer<std::uint32_t> pinned_source;
    PinnedBuffer<std::uint32_t> pinned_target;
    Words pageable_target;
};

class Bandwidth {
public:
    Bandwidth(const BandwidthOptions& options, Progress& progress, std::size_t expected)
        : options_(options),
          progress_(progress),
          expected_(expected),
          words_(pattern((options.bytes + 4 * words_of_vector - 1) / (4 * words_of_vector) * words_of_vector)) {}

    const Words& words() const { return words_; }
    std::vector<CopyMeasurement> take() { return std::move(measurements_); }

    /// Notes what happens to a measurement that could not even begin.
    void fail(const CopyPath& path, const std::string& failure) {
        CopyMeasurement measurement;
        measurement.path = path;
        measurement.failure = failure;
        measurements_.push_back(std::move(measurement));
    }

    void measure_host(Side& side);
    void measure_within(Side& side);
    void measure_pair(Side& one, Side& other);

private:
    using Verify = std::function<bool()>;

    /// Makes one measurement: clears the target, copies and times, compares.
    void measure(const CopyPath& path, const std::function<void()>& clear, const std::function<CopyTimes()>& copies, const Verify& verify,
                 bool is_latency = false) {
        progress_.update(measurements_.size(), expected_);
        CopyMeasurement measurement;
        measurement.path = path;
        try {
            clear();
            const auto times = copies();
            const double ways = path.is_both_ways ? 2 : 1;
            const double bytes = ways * static_cast<double>(words_.size() * sizeof(std::uint32_t));
            if (is_latency) {
                measurement.seconds = {times.median(), times.shortest(), times.longest()};
            } else if (times.shortest() > 0) {
                measurement.bytes_per_second = {bytes / times.median(), bytes / times.longest(), bytes / times.shortest()};
            } else {
                measurement.failure = "the copy took no measurable time: choose a larger --size";
            }
            measurement.is_verified = verify();
        } catch (const Error& error) {
            measurement.failure = error_text(error);
        }
        measurements_.push_back(std::move(measurement));
    }

    CopyTimes timed(const std::vector<CopyLane>& lanes) const { return time_by_events(lanes, options_.runs); }
    void measure_latency(const CopyPath& path, StreamView stream, const std::function<void()>& clear, const std::function<void()>& enqueue,
                         const Verify& verify) {
        measure(
            path, clear,
            [&] {
                return time_by_clock({stream, enqueue}, options_.runs * small_copies_of_run);
            },
            verify, true);
    }
    void measure_host_by_engine(Side& side, HostSide& host);
    void measure_host_by_kernel(Side& side, HostSide& host);
    void measure_host_latency(Side& side, HostSide& host);
    void measure_pair_by_kernel(Side& one, Side& other);

    static void clear(Side& side) { fill(side.target.span(), 0U, side.stream); }
    bool has_arrived(const Side& side) const {
        Words read(words_.size());
        copy<const std::uint32_t>(read, side.target.span(), side.stream);
        return read == words_;
    }
    bool has_first_arrived(Side& side) const {
        std::uint32_t read = 0;
        copy<std::uint32_t>(std::span(&read, 1), side.target.span().subspan(0, 1), side.stream);
        return read == words_.front();
    }
    bool is_equal(std::span<const std::uint32_t> read) const { return std::equal(words_.begin(), words_.end(), read.begin(), read.end()); }

    const BandwidthOptions& options_;
    Progress& progress_;
    std::size_t expected_;
    Words words_;
    std::vector<CopyMeasurement> measurements_;
};

void Bandwidth::measure_host(Side& side) {
    try {
        HostSide host(side, words_);
        measure_host_by_engine(side, host);
        measure_host_by_kernel(side, host);
        measure_host_latency(side, host);
    } catch (const Error& error) {
        fail({{}, side.ordinal(), "pinned", "copy engine", false, {}}, error_text(error));
    }
}

void Bandwidth::measure_host_by_engine(Side& side, HostSide& host) {
    const int gpu = side.ordinal();
    const auto clear_target = [&] { clear(side); };
    const auto clear_pinned = [&] { std::fill_n(host.pinned_target.data(), host.pinned_target.size(), 0U); };
    const CopyLane down = {side.stream, [&] { copy_async<std::uint32_t>(side.target.span(), host.pinned_source.span(), side.stream); }};
    const CopyLane up = {side.second_stream,
                         [&] { copy_async<std::uint32_t>(host.pinned_target.span(), side.source.span(), side.second_stream); }};
    measure(
        {{}, gpu, "pinned", "copy engine", false, {}}, clear_target, [&] { return timed({down}); }, [&] { return has_arrived(side); });
    measure(
        {gpu, {}, "pinned", "copy engine", false, {}}, clear_pinned, [&] { return timed({up}); },
        [&] { return is_equal(host.pinned_target.span()); });
    measure(
        {{}, gpu, "pinned", "copy engine", true, {}},
        [&] {
            clear_target();
            clear_pinned();
        },
        [&] {
            return timed({down, up});
        },
        [&] { return has_arrived(side) && is_equal(host.pinned_target.span()); });
    // The calling thread takes part in copies of pageable memory, so the clock of the host measures them, and both ways would take turns.
    const CopyLane pageable_down = {side.stream, [&] { copy_async<std::uint32_t>(side.target.span(), words_, side.stream); }};
    const CopyLane pageable_up = {side.stream, [&] { copy_async<std::uint32_t>(host.pageable_target, side.source.span(), side.stream); }};
    measure(
        {{}, gpu, "pageable", "copy engine", false, {}}, clear_target, [&] { return time_by_clock(pageable_down, options_.runs); },
        [&] { return has_arrived(side); });
    measure(
        {gpu, {}, "pageable", "copy engine", false, {}}, [] {}, [&] { return time_by_clock(pageable_up, options_.runs); },
        [&] { return is_equal(host.pageable_target); });
}

void Bandwidth::measure_host_by_kernel(Side& side, HostSide& host) {
    const int gpu = side.ordinal();
    const auto bytes = side.source.size_bytes();
    measure(
        {{}, gpu, "pinned", "kernel", false, {}}, [&] { clear(side); },
        [&] {
            const auto from = host.pinned_source.device_span().pointer();
            return timed({{side.stream, [&, from] { side.kernel.launch(side.target.span().pointer(), from, bytes, side.stream); }}});
        },
        [&] { return has_arrived(side); });
    measure(
        {gpu, {}, "pinned", "kernel", false, {}}, [&] { std::fill_n(host.pinned_target.data(), host.pinned_target.size(), 0U); },
        [&] {
            const auto to = host.pinned_target.device_span().pointer();
            return timed({{side.stream, [&, to] { side.kernel.launch(to, side.source.span().pointer(), bytes, side.stream); }}});
        },
        [&] { return is_equal(host.pinned_target.span()); });
}

void Bandwidth::measure_host_latency(Side& side, HostSide& host) {
    const int gpu = side.ordinal();
    measure_latency(
        {{}, gpu, "pinned", "copy engine", false, {}}, side.stream, [&] { clear(side); },
        [&] {
            copy_async<std::uint32_t>(side.target.span().subspan(0, 1), std::span<const std::uint32_t>(host.pinned_source.data(), 1),
                                      side.stream);
        },
        [&] { return has_first_arrived(side); });
    measure_latency(
        {gpu, {}, "pinned", "copy engine", false, {}}, side.stream, [&] { host.pinned_target[0] = 0; },
        [&] {
            copy_async<std::uint32_t>(std::span<std::uint32_t>(host.pinned_target.data(), 1), side.source.span().subspan(0, 1),
                                      side.stream);
        },
        [&] { return host.pinned_target[0] == words_.front(); });
}

void Bandwidth::measure_within(Side& side) {
    const int gpu = side.ordinal();
    const auto clear_target = [&] { clear(side); };
    const auto verify = [&] { return has_arrived(side); };
    measure(
        {gpu, gpu, "", "copy engine", false, {}}, clear_target,
        [&] {
            return timed({{side.stream, [&] { copy_async<std::uint32_t>(side.target.span(), side.source.span(), side.stream); }}});
        },
        verify);
    measure(
        {gpu, gpu, "", "kernel", false, {}}, clear_target,
        [&] {
            return timed({{side.stream, [&] {
                               side.kernel.launch(side.target.span().pointer(), side.source.span().pointer(), side.source.size_bytes(),
                                                  side.stream);
                           }}});
        },
        verify);
}

/// A copy from one device to another on the stream of the first.
void enqueue_between(Side& to, Side& from, std::size_t words) {
    copy_peer_async<std::uint32_t>(to.target.span().subspan(0, words), to.context.context(), from.source.span().subspan(0, words),
                                   from.context.context(), from.stream);
}

void Bandwidth::measure_pair(Side& one, Side& other) {
    bool is_direct = false;
    std::vector<PeerAccess> access;
    try {
        is_direct = one.context.context().device().can_access_peer(other.context.context().device());
        if (is_direct) access.emplace_back(one.context.context(), other.context.context());
        if (is_direct) access.emplace_back(other.context.context(), one.context.context());
    } catch (const Error& error) {
        fail({one.ordinal(), other.ordinal(), "", "copy engine", false, is_direct}, error_text(error));
        return;
    }
    const CopyLane forth = {one.stream, [&] { enqueue_between(other, one, words_.size()); }};
    const CopyLane back = {other.stream, [&] { enqueue_between(one, other, words_.size()); }};
    const CopyPath path = {one.ordinal(), other.ordinal(), "", "copy engine", false, is_direct};
    measure(
        path, [&] { clear(other); }, [&] { return timed({forth}); }, [&] { return has_arrived(other); });
    if (is_direct) measure_pair_by_kernel(one, other);
    measure_latency(
        path, one.stream, [&] { clear(other); }, [&] { enqueue_between(other, one, 1); }, [&] { return has_first_arrived(other); });
    if (one.ordinal() > other.ordinal()) return;  // both ways were measured from the other side
    auto both = path;
    both.is_both_ways = true;
    measure(
        both,
        [&] {
            clear(one);
            clear(other);
        },
        [&] {
            return timed({forth, back});
        },
        [&] { return has_arrived(one) && has_arrived(other); });
}

void Bandwidth::measure_pair_by_kernel(Side& one, Side& other) {
    const CopyLane lane = {
        one.stream,
        [&] { one.kernel.launch(other.target.span().pointer(), one.source.span().pointer(), one.source.size_bytes(), one.stream); }};
    measure(
        {one.ordinal(), other.ordinal(), "", "kernel", false, true}, [&] { clear(other); }, [&] { return timed({lane}); },
        [&] { return has_arrived(other); });
}

std::size_t expected_measurements(std::size_t devices) {
    constexpr std::size_t of_device = 11;
    constexpr std::size_t of_pair = 7;
    return devices * of_device + devices * (devices - 1) / 2 * of_pair;
}

}  // namespace

std::vector<CopyMeasurement> measure_bandwidth(const ProbeReport& report, const std::vector<ProbedDevice>& devices,
                                               const BandwidthOptions& options, Progress& progress) {
    Bandwidth bandwidth(options, progress, expected_measurements(devices.size()));
    std::vector<std::unique_ptr<Side>> sides;
    for (const auto& device : devices) {
        try {
            sides.push_back(std::make_unique<Side>(report.driver, device.ordinal, bandwidth.words()));
        } catch (const Error& error) {
            bandwidth.fail({{}, device.ordinal, "pinned", "copy engine", false, {}}, error_text(error));
        }
    }
    for (const auto& side : sides) {
        bandwidth.measure_host(*side);
        bandwidth.measure_within(*side);
    }
    for (const auto& one : sides) {
        for (const auto& other : sides) {
            if (one != other) bandwidth.measure_pair(*one, *other);
        }
    }
    return bandwidth.take();
}

}  // namespace cupool::tools
