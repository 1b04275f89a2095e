#include "pool_state.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/log.hpp>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "scheduling/all_pieces.hpp"
#include "scheduling/served_pool.hpp"

namespace cupool {

namespace {

/// What can be allocated now: the device's free memory, and what its pool keeps without using it.
std::size_t free_memory(const DeviceContext& context) {
    const std::size_t free_bytes = context.context().memory_info().free;
    const MemoryPoolView pool = context.memory_pool();
    if (!pool) return free_bytes;
    const std::uint64_t used = pool.used();
    const std::uint64_t reserved = pool.reserved();
    return free_bytes + static_cast<std::size_t>(reserved - std::min(used, reserved));  // others may free and trim meanwhile
}

/// The device that will have finished first, where a piece of work that is in flight without a lease of this balancer, and whose size is
/// counted in another unit, stands for one as large as the work in question.
class EarliestAmongAll final : public BalancingPolicy {
public:
    explicit EarliestAmongAll(const std::vector<std::unique_ptr<detail::PoolMember>>& members) : members_(members) {}

    std::size_t select(std::span<const DeviceLoad> loads, double work) override {
        with_others_.assign(loads.begin(), loads.end());
        for (std::size_t i = 0; i < loads.size(); ++i) {
            const std::uint64_t pieces = members_[i]->in_flight;
            const std::uint64_t others = pieces - std::min<std::uint64_t>(pieces, loads[i].in_flight);
            with_others_[i].outstanding += static_cast<double>(others) * work;
        }
        return earliest_.select(with_others_, work);
    }

private:
    const std::vector<std::unique_ptr<detail::PoolMember>>& members_;
    std::vector<DeviceLoad> with_others_;
    EarliestCompletion earliest_;
};

}  // namespace

DevicePool::State::State(unsigned host_threads) : peers_({}, {}, {}) {
    members_.push_back(std::make_unique<detail::PoolMember>(DeviceContext::host(host_threads)));
    workers_ = std::make_unique<detail::Workers>(members_.size(), worker_hooks());
}

DevicePool::State::State(const std::shared_ptr<const Driver>& driver, std::vector<int> ordinals)
    : ordinals_(std::move(ordinals)),
      peers_(ordinals_, [this](std::size_t index) -> const DeviceContext& { return member(index).context(); }, {}) {
    for (const int ordinal : ordinals_) members_.push_back(std::make_unique<detail::PoolMember>(driver, ordinal));
    take_turns();
    workers_ = std::make_unique<detail::Workers>(members_.size(), worker_hooks());
}

DevicePool::State::~State() { workers_->finish(); }

detail::Workers::Hooks DevicePool::State::worker_hooks() {
    return {.prepare =
                [this](std::size_t index) {
                    detail::served_pool = this;
                    member(index).settle_near_device();
                },
            .can_take_over = [this](std::size_t index) { return can_open(index); },
            .on_move =
                [this](std::size_t from, std::size_t to) {
                    --member(from).in_flight;
                    ++member(to).in_flight;
                    ++member(to).taken_over;
                }};
}

/// A device that cannot be opened would fail all work that it took over.
bool DevicePool::State::can_open(std::size_t index) noexcept {
    try {
        guard([&] { (void)member(index).context(); });
        return true;
    } catch (const std::exception& error) {
        detail::log(LogLevel::debug, "pool: a device takes no work over, as it cannot be opened:");
        detail::log(LogLevel::debug, error.what());
        return false;
    }
}

std::shared_ptr<DevicePool::State> DevicePool::State::of_host(unsigned threads, std::vector<ExcludedDevice> excluded) {
    std::shared_ptr<State> state(new State(threads), release);
    state->excluded_devices_ = std::move(excluded);
    return state;
}

std::shared_ptr<DevicePool::State> DevicePool::State::of_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals,
                                                                 std::vector<ExcludedDevice> excluded) {
    std::shared_ptr<State> state(new State(driver, std::vector<int>(ordinals.begin(), ordinals.end())), release);
    state->excluded_devices_ = std::move(excluded);
    return state;
}

void DevicePool::State::release(State* state) noexcept {
    if (state->process_.is_forked()) return;
    if (detail::served_pool != state) {
        delete state;
        return;
    }
    detail::Teardown::begin(std::move(state->teardown_));
}

std::size_t DevicePool::State::index_of(int ordinal) const {
    const auto found = std::find_if(members_.begin(), members_.end(), [=](const auto& member) { return member->ordinal() == ordinal; });
    return static_cast<std::size_t>(found - members_.begin());
}

LoadBalancer& DevicePool::State::balancer() {
    const std::lock_guard lock(mutex_);
    const bool is_new = balancer_ == nullptr;
    LoadBalancer& balancer = balancer_in(balancer_, nullptr);
    if (is_new) workers_->set_balancer(balancer);
    return balancer;
}

LoadBalancer& DevicePool::State::msm_balancer() {
    const std::lock_guard lock(mutex_);
    return balancer_in(msm_balancer_, std::make_unique<EarliestAmongAll>(members_));
}

LoadBalancer& DevicePool::State::balancer_in(std::unique_ptr<LoadBalancer>& balancer, std::unique_ptr<BalancingPolicy> policy) {
    if (balancer == nullptr) {
        std::vector<LoadBalancer::Candidate> candidates;
        for (const auto& member : members_) candidates.push_back({member->ordinal(), member->capability()});
        balancer = std::make_unique<LoadBalancer>(candidates, std::move(policy));
        for (const auto& member : members_) balancer->set_available(member->ordinal(), !member->quarantine());
    }
    return *balancer;
}

void DevicePool::State::guard(const std::function<void()>& function) {
    faults_.check();
    try {
        function();
    } catch (const Error& error) {
        note(error);
        throw;
    }
}

void DevicePool::State::note(const Error& error) {
    faults_.note(error);
    if (!detail::poisons_process(error)) return;
    {
        const std::lock_guard lock(mutex_);
        take_turns();
    }
    fail_waiting();
}

void DevicePool::State::fail_waiting() {
    const void* const before = detail::served_pool;
    detail::served_pool = this;
    workers_->do_waiting();
    detail::served_pool = before;
}

void DevicePool::State::run(std::size_t index, const Work& work, const SourceLocation& where) {
    std::atomic<std::uint64_t>& in_flight = member(index).in_flight;
    ++in_flight;
    try {
        run_piece(index, work, where);
    } catch (...) {
        --in_flight;
        throw;
    }
    --in_flight;
}

void DevicePool::State::run_together(std::span<const std::size_t> indices, const std::function<void()>& work) {
    if (indices.empty()) return work();
    run(indices.front(), [&](std::size_t, const DeviceContext&) { run_together(indices.subspan(1), work); });
}

void DevicePool::State::run_piece(std::size_t index, const Work& work, const SourceLocation& where) {
    detail::PoolMember& device = member(index);
    ++device.launches;
    const auto begin = std::chrono::steady_clock::now();
    const auto count_time = [&] {
        const auto took = std::chrono::steady_clock::now() - begin;
        device.busy_microseconds += static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    };
    try {
        detail::report_at(where, [&] { faults_.check(); });
        guard([&] { work(index, device.context(where)); });
        count_time();
    } catch (...) {
        count_time();
        ++device.errors;
        throw;
    }
}

void DevicePool::State::post(std::size_t index, std::shared_ptr<detail::PoolTask> task, std::shared_ptr<LoadBalancer::Lease> lease,
                             const SourceLocation& where) {
    faults_.check();
    detail::PoolMember& device = member(index);
    ++device.in_flight;
    try {
        auto run = [this, task = std::move(task), lease, where](std::size_t member) { return perform(member, *task, lease, where); };
        workers_->post(index, {std::move(run), std::move(lease)});
    } catch (...) {
        --device.in_flight;
        throw;
    }
    if (faults_.is_latched()) fail_waiting();  // since it was asked above
}

bool DevicePool::State::perform(std::size_t index, detail::PoolTask& task, std::shared_ptr<LoadBalancer::Lease> lease,
                                const SourceLocation& where) {
    std::exception_ptr failure;
    const auto run_task = [&](std::size_t, const DeviceContext& context) {
        if (lease) lease->begin();  // with the context there: making it says nothing of the device's speed
        task.run(context);
    };
    try {
        run_piece(index, run_task, where);
        if (lease) lease->complete();
    } catch (...) {
        failure = std::current_exception();
        if (lease) const LoadBalancer::Lease ended = std::move(*lease);  // given back before anybody hears of the failure
    }
    --member(index).in_flight;
    if (!failure) {
        try {
            task.succeed();
            return true;
        } catch (...) {  // the result's own copying
            failure = std::current_exception();
        }
    }
    task.fail(std::move(failure));
    return false;
}

void DevicePool::State::perform_here(std::size_t index, detail::PoolTask& task, const SourceLocation& where) {
    ++member(index).in_flight;
    perform(index, task, nullptr, where);
}

void DevicePool::State::give(std::size_t index, const std::shared_ptr<detail::PoolTask>& task, const SourceLocation& where) noexcept {
    if (detail::served_pool == this) return perform_here(index, *task, where);
    try {
        detail::report_at(where, [&] { post(index, task, nullptr, where); });
    } catch (...) {
        task->fail(std::current_exception());
    }
}

std::vector<std::future<void>> DevicePool::State::start_each(std::span<const std::size_t> indices, Work work, const SourceLocation& where) {
    const auto shared = std::make_shared<const Work>(std::move(work));
    const auto piece_of = [&shared](std::size_t index) {
        return [index, shared](const DeviceContext& context) { (*shared)(index, context); };
    };
    using Task = detail::FutureTask<decltype(piece_of(0))>;
    std::vector<std::shared_ptr<Task>> tasks;
    std::vector<std::future<void>> pieces;
    for (const std::size_t index : indices) {
        tasks.push_back(std::make_shared<Task>(piece_of(index)));
        pieces.push_back(tasks.back()->future());
    }
    // From here on nothing is thrown: pieces under way use what the caller would take down.
    for (std::size_t i = 0; i < indices.size(); ++i) give(indices[i], tasks[i], where);
    return pieces;
}

void DevicePool::State::run_each(std::span<const std::size_t> indices, const Work& work, const SourceLocation& where) {
    std::vector<std::future<void>> pieces = start_each(indices, work, where);
    detail::wait_all(pieces);
}

std::vector<detail::Share> DevicePool::State::divided(std::uint64_t items, Shares shares, const std::vector<std::size_t>& indices) {
    detail::require_enumerator(shares, Shares::by_capability, "Shares");
    switch (shares) {
        case Shares::by_speed: return divided(items, weights(), indices);
        case Shares::even: return divided(items, std::vector<double>(size(), 1), indices);
        case Shares::by_capability: break;
    }
    std::vector<double> capabilities;
    for (const auto& member : members_) capabilities.push_back(member->capability());
    return divided(items, capabilities, indices);
}

std::vector<detail::Share> DevicePool::State::divided(std::uint64_t items, std::span<const double> weights,
                                                      const std::vector<std::size_t>& indices) const {
    std::vector<double> own;
    for (const std::size_t index : indices) own.push_back(weights[index]);
    const std::vector<detail::Share> of_indices = detail::divide(items, own);
    std::vector<detail::Share> shares(size());
    for (std::size_t i = 0; i < indices.size(); ++i) shares[indices[i]] = of_indices[i];
    std::uint64_t end = 0;
    for (detail::Share& share : shares) {
        share.offset = end;
        end += share.count;
    }
    return shares;
}

detail::RelativeSpeeds& DevicePool::State::speeds() {
    const std::lock_guard lock(mutex_);
    if (speeds_ == nullptr) {
        std::vector<double> capabilities;
        for (const auto& member : members_) capabilities.push_back(member->capability());
        speeds_ = std::make_unique<detail::RelativeSpeeds>(std::move(capabilities));
    }
    return *speeds_;
}

std::vector<double> DevicePool::State::weights() {
    {
        const std::lock_guard lock(mutex_);
        if (!own_weights_.empty()) return own_weights_;
    }
    return speeds().speeds();
}

std::vector<double> DevicePool::State::weights_of(std::span<const std::size_t> indices) {
    const std::vector<double> all = weights();
    std::vector<double> own;
    for (const std::size_t index : indices) own.push_back(all[index]);
    return own;
}

void DevicePool::State::set_weights(std::vector<double> weights) {
    const std::lock_guard lock(mutex_);
    own_weights_ = std::move(weights);
}

void DevicePool::State::set_quarantine(std::size_t index, std::optional<std::string> why) {
    const bool available = !why;
    {
        const std::lock_guard lock(mutex_);
        detail::PoolMember& device = member(index);
        if (detail::logs(LogLevel::warning)) {
            detail::log(LogLevel::warning,
                        "pool: device " + std::to_string(device.ordinal()) + (why ? " quarantined: " + *why : " readmitted"));
        }
        device.set_quarantine(std::move(why));
        for (const auto& balancer : {balancer_.get(), msm_balancer_.get()}) {
            if (balancer != nullptr) balancer->set_available(device.ordinal(), available);
        }
        take_turns();
    }
    if (available) {
        workers_->look_again();
    } else {
        workers_->redistribute(index);
    }
}

std::vector<std::size_t> DevicePool::State::healthy() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (!members_[i]->quarantine()) indices.push_back(i);
    }
    if (indices.empty()) throw_all_quarantined();
    return indices;
}

std::size_t DevicePool::State::best_available(std::size_t bytes_needed) {
    struct Found {
        bool fits;
        std::uint64_t in_flight;
        std::size_t free_bytes;
        std::size_t index;
    };
    const auto worse = [](const Found& left, const Found& right) {
        if (left.fits && right.fits && left.in_flight != right.in_flight) return left.in_flight > right.in_flight;
        return std::tuple(left.fits, left.free_bytes) < std::tuple(right.fits, right.free_bytes);
    };
    Found best{false, 0, 0, size()};
    std::exception_ptr failure;
    for (const std::size_t index : healthy()) {
        try {
            guard([&] {
                detail::PoolMember& device = member(index);
                const std::size_t free_bytes = free_memory(device.context());
                const Found found{free_bytes >= bytes_needed, device.in_flight, free_bytes, index};
                if (best.index == size() || worse(best, found)) best = found;
            });
        } catch (const Error& error) {
            if (detail::poisons_process(error)) throw;
            failure = std::current_exception();
            detail::log(LogLevel::warning, std::string("pool: a device was left out of the choice: ") + error.what());
        }
    }
    if (best.index == size()) std::rethrow_exception(failure);
    if (!best.fits) {
        ErrorDetails details;
        details.category = ErrorCategory::out_of_memory;
        details.device = ordinals_[best.index];
        details.message = "no device of the pool has " + std::to_string(bytes_needed) + " bytes free; device " +
                          std::to_string(*details.device) + " has the most, " + std::to_string(best.free_bytes);
        throw Error(std::move(details));
    }
    return best.index;
}

void DevicePool::State::take_turns() {
    std::vector<int> turns;
    if (faults_.fault()) return rotation_.store(nullptr, std::memory_order_release);
    for (const auto& member : members_) {
        if (!member->quarantine()) turns.push_back(member->ordinal());
    }
    if (turns.empty()) return rotation_.store(nullptr, std::memory_order_release);
    auto found = std::find_if(rotations_.begin(), rotations_.end(), [&](const auto& rotation) { return rotation->members() == turns; });
    if (found == rotations_.end()) {
        found = rotations_.insert(found, std::make_unique<detail::RoundRobin>(std::move(turns)));
    }
    rotation_.store(found->get(), std::memory_order_release);
}

void DevicePool::State::throw_no_turns(const SourceLocation& where) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals", where);
    detail::report_at(where, [&] { faults_.check(); });
    throw_all_quarantined(where);
}

void DevicePool::State::throw_all_quarantined(const SourceLocation& where) {
    throw Error(ErrorCategory::no_device, "every device of the pool is quarantined", where);
}

}  // namespace cupool
