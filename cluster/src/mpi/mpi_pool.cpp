#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "mpi_pool_state.hpp"
#include "worker_process/message_bytes.hpp"

namespace cupool {

namespace {

using detail::MessageReader;
using detail::MessageWriter;

/// MpiOptions::weight of a rank whose pool is the host. A GPU is faster than a host by one to two orders of magnitude.
constexpr double host_weight = 1.0 / 50;
constexpr double max_weight = 1e6;

std::string milliseconds(std::chrono::milliseconds time) { return std::to_string(time.count()) + " ms"; }

void check(const MpiOptions& options, const SourceLocation& where) {
    const auto refuse = [&](const std::string& what) { throw Error(ErrorCategory::invalid_argument, "MpiOptions::" + what, where); };
    if (options.heartbeat.count() < 1) refuse("heartbeat is " + milliseconds(options.heartbeat) + "; it must be at least 1 ms");
    if (options.silence < 4 * options.heartbeat)
        refuse("silence is " + milliseconds(options.silence) + "; it must be at least four heartbeats, each of " +
               milliseconds(options.heartbeat));
    if (options.start_deadline.count() < 1)
        refuse("start_deadline is " + milliseconds(options.start_deadline) + "; it must be at least 1 ms");
    if (options.chunk_bytes < 1024 || options.chunk_bytes > detail::RankLink::max_message)
        refuse("chunk_bytes is " + std::to_string(options.chunk_bytes) + "; it must be from 1 KiB to 1 GiB");
    if (!(options.weight >= 0 && options.weight <= max_weight))
        refuse("weight is " + std::to_string(options.weight) + "; it must be a number from 0 to a million");
}

bool are_valid(const MpiOptions& options) {
    return detail::failure_of([&] { check(options, SourceLocation::current()); }) == nullptr;
}

/// The options, but such that messages can travel: with others all ranks are told what is wrong with this one's.
MpiOptions usable(MpiOptions options) {
    const MpiOptions defaults;
    if (!are_valid(options)) {
        options.heartbeat = defaults.heartbeat;
        options.silence = defaults.silence;
        options.start_deadline = defaults.start_deadline;
    }
    return options;
}

std::string host_name() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

RankInfo own_info(const DevicePool& pool, const MpiOptions& options, const SourceLocation& where) {
    RankInfo info{.host = host_name(), .process = static_cast<int>(::getpid()), .engine = pool.engine(where)};
    info.device_count = pool.is_host(where) ? 0 : pool.device_count(where);
    info.weight = options.weight > 0 ? options.weight : info.device_count == 0 ? host_weight : static_cast<double>(info.device_count);
    return info;
}

/// What must be the same on all ranks.
std::string call_of(const MpiOptions& options) {
    return "MpiPool with a heartbeat of " + milliseconds(options.heartbeat) + ", a silence of " + milliseconds(options.silence) +
           " and chunks of " + std::to_string(options.chunk_bytes) + " bytes";
}

std::vector<std::byte> serialized(const RankInfo& info) {
    return MessageWriter()
        .text(info.host)
        .number(info.process)
        .enumerator(info.engine)
        .number<std::uint64_t>(info.device_count)
        .number(info.weight)
        .take();
}

RankInfo parsed(const std::vector<std::byte>& bytes) {
    MessageReader reader(bytes);
    RankInfo info;
    info.host = reader.text();
    info.process = reader.number<int>();
    info.engine = reader.enumerator(Engine::host);
    info.device_count = static_cast<std::size_t>(reader.number<std::uint64_t>());
    info.weight = reader.number<double>();
    return info;
}

std::vector<RankInfo> all_infos(detail::RankLink& link, const DevicePool& pool, const MpiOptions& options, const SourceLocation& where) {
    RankInfo own;
    const std::exception_ptr failure = detail::failure_of([&] {
        check(options, where);
        own = own_info(pool, options, where);
    });
    std::vector<RankInfo> infos;
    for (const std::vector<std::byte>& bytes : detail::agree(link, {call_of(options), serialized(own), failure}))
        infos.push_back(parsed(bytes));
    return infos;
}

}  // namespace

MpiPool::State::State(DevicePool own_pool, const MpiOptions& given, const SourceLocation& where)
    : pool(std::move(own_pool)),
      options(usable(given)),
      library(detail::MpiLibrary::open(options.plugin, where)),
      link(library.mpi(), library.communicator(options.communicator, options.start_deadline, where), options.heartbeat, options.silence),
      ranks(all_infos(link, pool, given, where)) {}

RankShare MpiPool::State::share_of(int rank, std::uint64_t items, const std::vector<double>& weights) const {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto begin_of = [&](int first) {
        if (first == static_cast<int>(weights.size())) return items;
        const long double before = std::accumulate(weights.begin(), weights.begin() + first, 0.0);
        return std::min(items, static_cast<std::uint64_t>(static_cast<long double>(items) * before / total));
    };
    return {begin_of(rank), begin_of(rank + 1) - begin_of(rank)};
}

MpiPool::MpiPool(DevicePool pool, const MpiOptions& options, SourceLocation where) {
    try {
        state_ = detail::make_shared_unless_forked<State>(std::move(pool), options, where);
    } catch (const RankError& error) {
        throw RankError(error.kind(), error.rank(), error.message(), where);
    } catch (const Error& error) {
        throw error.at(where);
    }
}

MpiPool::State& MpiPool::state(const SourceLocation& where) const {
    if (state_ == nullptr) detail::throw_moved_from("an MpiPool", where);
    state_->process.require_own_process("an MpiPool", where);
    return *state_;
}

int MpiPool::rank(SourceLocation where) const { return state(where).link.rank(); }
int MpiPool::size(SourceLocation where) const { return state(where).link.size(); }
const DevicePool& MpiPool::pool(SourceLocation where) const { return state(where).pool; }
const std::vector<RankInfo>& MpiPool::ranks(SourceLocation where) const { return state(where).ranks; }
std::string MpiPool::library(SourceLocation where) const { return state(where).library.mpi().library(); }

RankShare MpiPool::share(std::uint64_t items, SourceLocation where) const { return share_of(rank(where), items, where); }

RankShare MpiPool::share_of(int rank, std::uint64_t items, SourceLocation where) const {
    State& all = state(where);
    if (rank < 0 || rank >= all.link.size())
        throw Error(ErrorCategory::invalid_argument, "there is no rank " + std::to_string(rank) + " of " + std::to_string(all.link.size()),
                    where);
    std::vector<double> weights;
    for (const RankInfo& info : all.ranks) weights.push_back(info.weight);
    return all.share_of(rank, items, weights);
}

void MpiPool::barrier(SourceLocation where) const {
    State& all = state(where);
    all.collective_call(where, [&](MpiReport&) { detail::agree(all.link, {"barrier", {}}); });
}

std::ostream& operator<<(std::ostream& out, const MpiReport& report) {
    return out << report.local << "; " << report.milliseconds << " ms over all ranks, " << report.bytes_sent << " bytes sent, "
               << report.bytes_staged << " staged";
}

}  // namespace cupool
