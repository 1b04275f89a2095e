#include "pool_state.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/log.hpp>
#include <exception>
#include <thread>
#include <type_traits>
#include <utility>

#include "all_pieces.hpp"

namespace cupool {

namespace {

/// The pool whose worker the calling thread is; null for all other threads.
thread_local const void* served_pool = nullptr;

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
}

DevicePool::State::State(const std::shared_ptr<const Driver>& driver, std::vector<int> ordinals)
    : ordinals_(std::move(ordinals)),
      peers_(ordinals_, [this](std::size_t index) -> const DeviceContext& { return member(index).context(); }, {}) {
    for (const int ordinal : ordinals_) members_.push_back(std::make_unique<detail::PoolMember>(driver, ordinal));
    take_turns();
}

DevicePool::State::~State() {
    for (const auto& member : members_) member->worker().finish();
}

std::shared_ptr<DevicePool::State> DevicePool::State::of_host(unsigned threads, std::vector<LeftOutDevice> left_out) {
    std::shared_ptr<State> state(new State(threads), release);
    state->left_out_ = std::move(left_out);
    return state;
}

std::shared_ptr<DevicePool::State> DevicePool::State::of_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals,
                                                                 std::vector<LeftOutDevice> left_out) {
    std::shared_ptr<State> state(new State(driver, std::vector<int>(ordinals.begin(), ordinals.end())), release);
    state->left_out_ = std::move(left_out);
    return state;
}

void DevicePool::State::release(State* state) noexcept {
    if (served_pool != state) {
        delete state;
        return;
    }
    try {
        std::thread([state] { delete state; }).detach();
    } catch (const std::exception&) {
        detail::log(LogLevel::warning,
                    "pool: its last copy went in a piece of its own work, and there is no thread to take it down: it is leaked");
    }
}

std::size_t DevicePool::State::index_of(int ordinal) const {
    const auto found = std::find_if(members_.begin(), members_.end(), [=](const auto& member) { return member->ordinal() == ordinal; });
    return static_cast<std::size_t>(found - members_.begin());
}

LoadBalancer& DevicePool::State::balancer() {
    const std::lock_guard lock(mutex_);
    return balancer_in(balancer_, nullptr);
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
    const void* const before = served_pool;  // which the pieces set
    for (const auto& member : members_) member->worker().do_waiting();
    served_pool = before;
}

void DevicePool::State::run(std::size_t index, const Work& work) {
    std::atomic<std::uint64_t>& in_flight = member(index).in_flight;
    ++in_flight;
    try {
        run_piece(index, work);
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

void DevicePool::State::run_piece(std::size_t index, const Work& work) {
    detail::PoolMember& device = member(index);
    ++device.launches;
    const auto begin = std::chrono::steady_clock::now();
    const auto count_time = [&] {
        const auto took = std::chrono::steady_clock::now() - begin;
        device.busy_microseconds += static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    };
    try {
        guard([&] { work(index, device.context()); });
        count_time();
    } catch (...) {
        count_time();
        ++device.errors;
        throw;
    }
}

void DevicePool::State::post(std::size_t index, std::shared_ptr<detail::PoolTask> task, std::shared_ptr<LoadBalancer::Lease> lease) {
    faults_.check();
    detail::PoolMember& device = member(index);
    ++device.in_flight;
    try {
        device.worker().post([this, index, task = std::move(task), lease = std::move(lease)]() mutable {
            served_pool = this;
            perform(index, *task, std::move(lease));
        });
    } catch (...) {
        --device.in_flight;
        throw;
    }
    if (faults_.is_latched()) fail_waiting();  // since it was asked above
}

void DevicePool::State::perform(std::size_t index, detail::PoolTask& task, std::shared_ptr<LoadBalancer::Lease> lease) {
    std::exception_ptr failure;
    try {
        run_piece(index, [&](std::size_t, const DeviceContext& context) {
            if (lease) lease->begin();  // with the context there: making it says nothing of the device's speed
            task.run(context);
        });
        if (lease) lease->complete();
    } catch (...) {
        failure = std::current_exception();
    }
    lease.reset();
    --member(index).in_flight;
    if (!failure) {
        try {
            return task.succeed();
        } catch (...) {  // the result's own copying
            failure = std::current_exception();
        }
    }
    task.fail(std::move(failure));
}

std::vector<std::future<void>> DevicePool::State::start_each(std::span<const std::size_t> indices, Work work) {
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
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (served_pool == this) {
            ++member(indices[i]).in_flight;
            perform(indices[i], *tasks[i], nullptr);
            continue;
        }
        try {
            post(indices[i], tasks[i], nullptr);
        } catch (...) {
            tasks[i]->fail(std::current_exception());
        }
    }
    return pieces;
}

void DevicePool::State::run_each(std::span<const std::size_t> indices, const Work& work) {
    std::vector<std::future<void>> pieces = start_each(indices, work);
    detail::get_all(pieces);
}

std::vector<detail::Share> DevicePool::State::divided(std::uint64_t items, Shares shares, const std::vector<std::size_t>& indices) const {
    if (shares == Shares::even) return detail::divide_evenly(items, indices.size());
    std::vector<double> weights;
    for (const std::size_t index : indices) weights.push_back(member(index).capability());
    return detail::divide(items, weights);
}

void DevicePool::State::set_quarantine(std::size_t index, std::optional<std::string> why) {
    const std::lock_guard lock(mutex_);
    detail::PoolMember& device = member(index);
    if (detail::logs(LogLevel::warning)) {
        detail::log(LogLevel::warning,
                    "pool: device " + std::to_string(device.ordinal()) + (why ? " quarantined: " + *why : " readmitted"));
    }
    const bool available = !why;
    device.set_quarantine(std::move(why));
    for (const auto& balancer : {balancer_.get(), msm_balancer_.get()}) {
        if (balancer != nullptr) balancer->set_available(device.ordinal(), available);
    }
    take_turns();
}

std::vector<std::size_t> DevicePool::State::healthy() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (!members_[i]->quarantine()) indices.push_back(i);
    }
    if (indices.empty()) throw_all_quarantined();
    return indices;
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

void DevicePool::State::throw_no_turns() const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals");
    faults_.check();
    throw_all_quarantined();
}

void DevicePool::State::throw_all_quarantined() { throw Error(ErrorCategory::no_device, "every device of the pool is quarantined"); }

}  // namespace cupool
