#include <algorithm>
#include <chrono>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/collectives.hpp>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "checks.hpp"
#include "exchange.hpp"
#include "pool_state.hpp"
#include "reduce/checks.hpp"
#include "reduce/instantiate.hpp"
#include "scheduling/divide.hpp"

namespace cupool {

namespace {

using detail::PeerArray;
using detail::PeerBuffer;

/// Slices of an array begin at multiples of so many bytes, lest two devices write to one line of a cache.
constexpr std::size_t slice_unit = 128;

std::vector<Slice> slices_of(std::uint64_t items, std::size_t item_bytes, std::size_t count) {
    const std::uint64_t unit = std::max<std::uint64_t>(slice_unit / item_bytes, 1);
    std::vector<Slice> slices = detail::divide_evenly(items / unit + (items % unit != 0 ? 1 : 0), count);
    for (Slice& slice : slices) {
        const std::uint64_t begin = std::min(items, slice.offset * unit);
        slice = {begin, std::min(items, (slice.offset + slice.count) * unit) - begin};
    }
    return slices;
}

std::vector<PeerArray> arrays_of(const std::vector<PeerBuffer>& buffers, std::uint64_t offset) {
    std::vector<PeerArray> arrays;
    for (std::size_t i = 0; i < buffers.size(); ++i) arrays.push_back({i, buffers[i].pointer + offset});
    return arrays;
}

/// Where each buffer begins if they lie one behind the other, in bytes.
std::vector<std::uint64_t> offsets_of(const std::vector<PeerBuffer>& buffers) {
    std::vector<std::uint64_t> offsets;
    std::uint64_t end = 0;
    for (const PeerBuffer& buffer : buffers) {
        offsets.push_back(end);
        end += buffer.bytes;
    }
    return offsets;
}

std::size_t bytes_of_all(const std::vector<PeerBuffer>& buffers) {
    return std::accumulate(buffers.begin(), buffers.end(), std::size_t{0},
                           [](std::size_t sum, const PeerBuffer& buffer) { return sum + buffer.bytes; });
}

/// The participants' numbers from `first` on.
std::vector<std::size_t> participants_from(std::size_t first, std::size_t count) {
    std::vector<std::size_t> numbers(count - first);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

/// Who does the parts of a collective that has one for each participant: the first does all of a small one, else each its own.
std::vector<std::size_t> workers_of(const detail::Exchange& exchange, std::size_t bytes, const CollectiveConfig& config) {
    const bool is_for_one = bytes <= config.one_device_bytes && exchange.reaches_all(0);
    return participants_from(0, is_for_one ? 1 : exchange.size());
}

}  // namespace

class Collectives::State {
public:
    State(const DevicePool& own_pool, PeerOptions options)
        : pool(own_pool),
          chunk_bytes(options.chunk_bytes * options.chunks),
          paths(
              pool.devices(), [this](std::size_t index) -> const DeviceContext& { return pool.context_at(index); }, options),
          marks(pool.device_count()) {}

    DevicePool pool;
    std::size_t chunk_bytes;
    detail::PeerPaths paths;

    /// Of the marks, which are recorded and waited for in one go, and of the order in which collectives are queued: the same on all
    /// devices.
    std::mutex mutex;
    std::vector<std::optional<Event>> marks;  ///< one for each member, made when first needed
};

/// What a collective does, once its operands are checked.
class Collectives::Call {
public:
    /// \param inputs  all, or the one of a broadcast \param outputs  one on each device that takes part
    Call(const Buffers& inputs, const Buffers& outputs, std::function<void(detail::Exchange&)> queue)
        : inputs_(inputs), outputs_(outputs), queue_(std::move(queue)) {}

    const Buffers& inputs() const { return inputs_; }
    const Buffers& outputs() const { return outputs_; }
    void queue(detail::Exchange& exchange) const { queue_(exchange); }

private:
    const Buffers& inputs_;
    const Buffers& outputs_;
    std::function<void(detail::Exchange&)> queue_;
};

Collectives::Collectives(const DevicePool& pool, PeerOptions options, SourceLocation where) {
    if (pool.is_host(where)) throw Error(ErrorCategory::unsupported, "a pool of the host has no devices for collectives", where);
    if (options.chunk_bytes == 0 || options.chunks == 0) {
        throw Error(ErrorCategory::invalid_argument, "staged copies need at least one chunk of at least one byte", where);
    }
    state_ = detail::make_shared_unless_forked<State>(pool, options);
}

Collectives::State& Collectives::state(const SourceLocation& where) const {
    if (state_ == nullptr) detail::throw_moved_from("the collectives", where);
    state_->pool.state(where);  // refuses in a forked child
    return *state_;
}

const DevicePool& Collectives::pool(SourceLocation where) const { return state(where).pool; }

RunReport Collectives::run(const Call& call, const CollectiveConfig& config, const SourceLocation& where) const {
    const auto start = std::chrono::steady_clock::now();
    State& own = state(where);
    detail::PoolState& pool_state = own.pool.state(where);
    if (!config.streams.empty() && config.streams.size() != call.outputs().size()) {
        throw Error(ErrorCategory::invalid_argument, "collectives: " + std::to_string(config.streams.size()) + " streams for " +
                                                         std::to_string(call.outputs().size()) + " buffers; give one for each, or none");
    }
    std::vector<std::size_t> members;
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    for (const PeerBuffer& buffer : call.outputs()) {
        members.push_back(pool_state.index_of(buffer.device));
        report.devices.push_back(buffer.device);
    }
    pool_state.run_together(members, [&] {
        if (members.size() > 1) {
            for (const Buffers* const buffers : {&call.inputs(), &call.outputs()}) {
                for (const PeerBuffer& buffer : *buffers) {
                    detail::require_reachable_memory(buffer, pool_state.member(pool_state.index_of(buffer.device)).context(where));
                }
            }
        }
        std::unique_lock lock(own.mutex);
        std::vector<detail::Participant> participants;
        for (std::size_t i = 0; i < members.size(); ++i) {
            DeviceContext context = pool_state.member(members[i]).context(where);
            if (!config.streams.empty()) {
                if (config.streams[i].ordinal() != context.device()) {
                    detail::throw_wrong_device("a buffer", context.device(), "a stream", config.streams[i].ordinal(), where);
                }
                context = context.with_stream(config.streams[i], where);
            }
            std::optional<Event>& mark = own.marks[members[i]];
            if (!mark) mark.emplace(context.context());
            participants.push_back({members[i], std::move(context), &*mark});
        }
        detail::Exchange exchange(std::move(participants), own.paths, own.chunk_bytes, config.is_async);
        try {
            call.queue(exchange);
        } catch (...) {
            exchange.abandon();
            throw;
        }
        lock.unlock();
        if (!config.is_async) exchange.synchronize();
        for (const detail::Exchange::Transfer& transfer : exchange.transfers()) {
            pool_state.count_copy(transfer.from, transfer.to, transfer.bytes);
            report.bytes += transfer.bytes;
        }
    });
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

template <class T>
RunReport Collectives::all_reduce(std::span<const DeviceSpan<const T>> inputs, std::span<const DeviceSpan<T>> outputs,
                                  ReduceOperation operation, const CollectiveConfig& config, SourceLocation where) const {
    return detail::report_at(where, [&] {
        const Buffers from = buffers_of(inputs);
        const Buffers to = buffers_of(outputs);
        detail::require_operation<T>("collectives", operation);
        detail::require_one_of_both_a_device(from, to, alignof(T), pool(where));
        detail::require_size(from, from.front().bytes, "input", "as the first input has");
        detail::require_size(to, from.front().bytes, "output", "as the inputs have");
        for (std::size_t i = 0; i < from.size(); ++i) detail::require_apart(from[i], to[i], from[i].pointer == to[i].pointer);

        const auto queue = [&](detail::Exchange& exchange) {
            const bool is_small = from.front().bytes <= config.one_device_bytes;
            const std::vector<std::size_t> workers = participants_from(0, is_small ? 1 : exchange.size());
            const std::vector<Slice> slices = slices_of(inputs.front().size(), sizeof(T), workers.size());
            exchange.enter(workers);
            for (const std::size_t worker : workers) {
                const std::uint64_t offset = slices[worker].offset * sizeof(T);
                exchange.combine(worker, detail::peer_element<T>(), operation, arrays_of(from, offset), arrays_of(to, offset),
                                 slices[worker].count);
            }
            exchange.leave(workers);
        };
        return run(Call(from, to, queue), config, where);
    });
}

template <class T>
RunReport Collectives::reduce_scatter(std::span<const DeviceSpan<const T>> inputs, std::span<const DeviceSpan<T>> outputs,
                                      ReduceOperation operation, const CollectiveConfig& config, SourceLocation where) const {
    return detail::report_at(where, [&] {
        const Buffers from = buffers_of(inputs);
        const Buffers to = buffers_of(outputs);
        detail::require_operation<T>("collectives", operation);
        detail::require_one_of_both_a_device(from, to, alignof(T), pool(where));
        detail::require_size(from, bytes_of_all(to), "input", "as the outputs have together");
        const std::vector<std::uint64_t> offsets = offsets_of(to);
        for (std::size_t i = 0; i < from.size(); ++i) {
            detail::require_apart(from[i], to[i], from[i].pointer + offsets[i] == to[i].pointer);
        }

        const auto queue = [&](detail::Exchange& exchange) {
            const std::vector<std::size_t> workers = workers_of(exchange, from.front().bytes, config);
            exchange.enter(workers);
            for (std::size_t i = 0; i < to.size(); ++i) {
                exchange.combine(workers[i % workers.size()], detail::peer_element<T>(), operation, arrays_of(from, offsets[i]),
                                 {{i, to[i].pointer}}, outputs[i].size());
            }
            exchange.leave(workers);
        };
        return run(Call(from, to, queue), config, where);
    });
}

RunReport Collectives::gather_bytes(const Buffers& inputs, const Buffers& outputs, std::size_t alignment, const CollectiveConfig& config,
                                    const SourceLocation& where) const {
    return detail::report_at(where, [&] {
        detail::require_one_of_both_a_device(inputs, outputs, alignment, pool(where));
        detail::require_size(outputs, bytes_of_all(inputs), "output", "as the inputs have together");
        const std::vector<std::uint64_t> offsets = offsets_of(inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            detail::require_apart(inputs[i], outputs[i], outputs[i].pointer + offsets[i] == inputs[i].pointer);
        }

        const auto queue = [&](detail::Exchange& exchange) {
            const std::size_t devices = exchange.size();
            const std::vector<std::size_t> workers = workers_of(exchange, outputs.front().bytes, config);
            exchange.enter(workers);
            for (std::size_t from = 0; from < devices; ++from) {
                // Each begins with its own output, so that no two write to the same device at once.
                std::vector<PeerArray> targets;
                for (std::size_t k = from; k < from + devices; ++k) {
                    const PeerArray target{k % devices, outputs[k % devices].pointer + offsets[from]};
                    if (target.pointer != inputs[from].pointer) targets.push_back(target);
                }
                exchange.distribute(workers[from % workers.size()], {from, inputs[from].pointer}, targets, inputs[from].bytes);
            }
            exchange.leave(workers);
        };
        return run(Call(inputs, outputs, queue), config, where);
    });
}

RunReport Collectives::broadcast_bytes(const PeerBuffer& source, const Buffers& targets, std::size_t alignment,
                                       const CollectiveConfig& config, const SourceLocation& where) const {
    return detail::report_at(where, [&] {
        detail::require_one_a_device({source}, alignment, "source", pool(where));
        detail::require_one_a_device(targets, alignment, "target", pool(where));
        detail::require_size(targets, source.bytes, "target", "as the source has");
        const auto home = std::find_if(targets.begin(), targets.end(), [&](const auto& target) { return target.device == source.device; });
        if (home == targets.end()) {
            throw Error(ErrorCategory::invalid_argument, "collectives: the source on device " + std::to_string(source.device) +
                                                             " has no target there; give its device one, or the source itself");
        }
        detail::require_apart(source, *home, source.pointer == home->pointer);
        const auto root = static_cast<std::size_t>(home - targets.begin());

        const auto queue = [&](detail::Exchange& exchange) {
            std::vector<std::size_t> others = participants_from(0, exchange.size());
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(root));
            const auto is_reached = [&](std::size_t other) {
                return exchange.is_direct(root, other) &&
                       std::all_of(others.begin(), others.end(), [&](std::size_t third) { return exchange.is_direct(other, third); });
            };
            const bool is_passed_on =
                source.bytes > config.one_device_bytes && others.size() > 1 && std::all_of(others.begin(), others.end(), is_reached);
            std::vector<std::size_t> workers{root};
            if (is_passed_on) workers.insert(workers.end(), others.begin(), others.end());
            exchange.enter(workers);
            std::vector<PeerArray> own_targets;
            if (source.pointer != home->pointer) own_targets.push_back({root, home->pointer});
            if (!is_passed_on) {
                for (const std::size_t other : others) own_targets.push_back({other, targets[other].pointer});
            }
            exchange.distribute(root, {root, source.pointer}, own_targets, source.bytes);
            if (is_passed_on) {
                const std::vector<Slice> slices = slices_of(source.bytes, 1, others.size());
                for (std::size_t i = 0; i < others.size(); ++i) {
                    std::vector<PeerArray> slice_targets;
                    for (std::size_t k = i; k < i + others.size(); ++k) {
                        const std::size_t to = others[k % others.size()];
                        slice_targets.push_back({to, targets[to].pointer + slices[i].offset});
                    }
                    exchange.distribute(others[i], {root, source.pointer + slices[i].offset}, slice_targets, slices[i].count);
                }
            }
            exchange.leave(workers);
        };
        return run(Call({source}, targets, queue), config, where);
    });
}

#define CUPOOL_INSTANTIATE(T)                                                                                                            \
    template RunReport Collectives::all_reduce<T>(std::span<const DeviceSpan<const T>>, std::span<const DeviceSpan<T>>, ReduceOperation, \
                                                  const CollectiveConfig&, SourceLocation) const;                                        \
    template RunReport Collectives::reduce_scatter<T>(std::span<const DeviceSpan<const T>>, std::span<const DeviceSpan<T>>,              \
                                                      ReduceOperation, const CollectiveConfig&, SourceLocation) const;
CUPOOL_FOR_EACH_REDUCE_ELEMENT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
