// Copies between two devices: PeerManager beside the driver's own call, in one run, in turn. Medians;
// the copies are compared.
//
//   cupool_peer_copy [MEBIBYTES]     default 512; needs two devices

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupool/cupool.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace cupool;

constexpr int repetitions = 15;
constexpr int latency_copies = 500;

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Medians {
    double ours;
    double raw;
};

/// Measures both in turn, so that drift affects both. The first run of each is not counted.
Medians measure(const std::function<void()>& ours, const std::function<void()>& raw) {
    std::vector<double> ours_seconds;
    std::vector<double> raw_seconds;
    for (int i = 0; i <= repetitions; ++i) {
        const double of_ours = seconds_of(ours);
        const double of_raw = seconds_of(raw);
        if (i == 0) continue;
        ours_seconds.push_back(of_ours);
        raw_seconds.push_back(of_raw);
    }
    return {median(ours_seconds), median(raw_seconds)};
}

/// One of the two devices, with a source, a target and a stream.
struct Side {
    Side(const DeviceContext& own_context, std::size_t words)
        : context(own_context.with_memory_pool({})), stream(context.context()), source(words, context), target(words, context) {}

    DeviceContext context;
    Stream stream;
    DeviceBuffer<std::uint32_t> source;
    DeviceBuffer<std::uint32_t> target;
};

class Bench {
public:
    Bench(const DevicePool& pool, std::size_t words)
        : pool_(pool), numbers_(words), one_(pool.context_at(0), words), other_(pool.context_at(1), words) {
        std::uint32_t value = 1;
        for (std::uint32_t& number : numbers_) number = value = value * 1664525 + 1013904223;
        for (Side* side : {&one_, &other_}) copy<std::uint32_t>(side->source.span(), numbers_, side->stream);
    }

    void run(const char* name, const PeerManager& peers) {
        const auto ours_forth = [&] { peers.copy_async<std::uint32_t>(other_.target.span(), one_.source.span(), one_.stream); };
        const auto ours_back = [&] { peers.copy_async<std::uint32_t>(one_.target.span(), other_.source.span(), other_.stream); };
        const auto raw_forth = [&] { copy_raw(other_, one_, other_.target.size()); };
        const auto raw_back = [&] { copy_raw(one_, other_, one_.target.size()); };
        check("ours", ours_forth, ours_back);
        check("raw", raw_forth, raw_back);
        report_rate(name, "one way", 1, measure(awaited(ours_forth), awaited(raw_forth)));
        report_rate(name, "both ways", 2, measure(awaited(both(ours_forth, ours_back)), awaited(both(raw_forth, raw_back))));
        const auto small_ours = [&] {
            peers.copy_async<std::uint32_t>(other_.target.span().subspan(0, 1), one_.source.span().subspan(0, 1), one_.stream);
        };
        const auto small_raw = [&] { copy_raw(other_, one_, 1); };
        const Medians latency = measure(repeated(awaited(small_ours)), repeated(awaited(small_raw)));
        std::printf("%-7s 4 bytes, awaited   ours %7.2f us   raw %7.2f us   ours/raw %.3f\n", name, latency.ours / latency_copies * 1e6,
                    latency.raw / latency_copies * 1e6, latency.ours / latency.raw);
    }

private:
    using Work = std::function<void()>;

    void copy_raw(Side& to, Side& from, std::size_t words) const {
        const Driver& driver = one_.context.context().driver();
        const CurrentContext current(from.context.context());
        const abi::Status result =
            driver.api().copy_peer_async(to.target.span().pointer(), to.context.context().handle(), from.source.span().pointer(),
                                         from.context.context().handle(), words * sizeof(std::uint32_t), from.stream.handle());
        if (result != abi::Status::success) throw std::runtime_error(describe(result));
    }

    Work awaited(Work work) const {
        return [this, work = std::move(work)] {
            work();
            one_.stream.synchronize();
            other_.stream.synchronize();
        };
    }
    static Work both(Work first, Work second) {
        return [first = std::move(first), second = std::move(second)] {
            first();
            second();
        };
    }
    static Work repeated(Work work) {
        return [work = std::move(work)] {
            for (int i = 0; i < latency_copies; ++i) work();
        };
    }

    void check(const char* whose, const Work& forth, const Work& back) {
        for (Side* side : {&one_, &other_}) fill(side->target.span(), 0U, side->stream);
        awaited(both(forth, back))();
        for (Side* side : {&one_, &other_}) {
            std::vector<std::uint32_t> read(numbers_.size());
            copy<std::uint32_t>(read, side->target.span(), side->stream);
            if (read != numbers_) throw std::runtime_error(std::string(whose) + ": what arrived is not what was sent");
        }
    }

    void report_rate(const char* name, const char* what, int ways, Medians seconds) const {
        const double gigabytes = ways * static_cast<double>(numbers_.size() * sizeof(std::uint32_t)) / 1e9;
        std::printf("%-7s %-9s %6.0f MiB   ours %7.1f GB/s  raw %7.1f GB/s  ours/raw %.3f\n", name, what,
                    static_cast<double>(numbers_.size()) / (1 << 18), gigabytes / seconds.ours, gigabytes / seconds.raw,
                    seconds.raw / seconds.ours);
    }

    DevicePool pool_;
    std::vector<std::uint32_t> numbers_;
    Side one_;
    Side other_;
};

}  // namespace

int main(int count, char** words) {
    try {
        const std::size_t mebibytes = count > 1 ? std::strtoull(words[1], nullptr, 10) : 512;
        if (mebibytes == 0) throw std::invalid_argument("there is nothing to copy: MEBIBYTES is 0");
        const DevicePool pool = DevicePool::all();
        if (pool.device_count() < 2) throw std::runtime_error("there are fewer than two devices");
        Bench bench(pool, mebibytes << 18);
        // This comes first: peer access, once enabled, stays, and without it the driver stages copies, too.
        bench.run("staged", PeerManager(pool, {.allows_direct = false}));
        const PeerManager peers(pool);
        std::printf("%s", to_string(peers).c_str());
        bench.run(std::string(to_string(peers.path(pool.device_at(0), pool.device_at(1)).route)).c_str(), peers);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
