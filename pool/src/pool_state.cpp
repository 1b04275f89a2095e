#include "pool_state.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/log.hpp>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "msm/msm_distributor.hpp"
#include "scheduling/divide.hpp"
#include "scheduling/make_balancer.hpp"
#include "scheduling/served_pool.hpp"
#include "scheduling/wait_all.hpp"

namespace cupool::detail {

namespace {

/// The memory that can be allocated now: the free memory of the device and the unused reserve of its memory pool.
std::size_t free_memory(const DeviceContext& context) {
    const std::size_t free_bytes = context.context().memory_info().free;
    const MemoryPoolView pool = context.memory_pool();
    if (!pool) return free_bytes;
    const std::uint64_t used = pool.used();
    const std::uint64_t reserved = pool.reserved();
    return free_bytes +
           static_cast<std::size_t>(reserved - std::min(used, reserved));  // other threads may free and trim between the two queries
}

}  // namespace

PoolState::PoolState(unsigned host_threads) : peers_({}, {}, {}) {
    members_.push_back(std::make_unique<PoolMember>(DeviceContext::host(host_threads)));
    msms_ = std::make_unique<MsmDistributor>(*this);
    threads_ = std::make_unique<DeviceThreads>(members_.size(), thread_hooks());
}

PoolState::PoolState(const std::shared_ptr<const Driver>& driver, std::vector<int> ordinals)
    : ordinals_(std::move(ordinals)),
      peers_(ordinals_, [this](std::size_t index) -> const DeviceContext& { return member(index).context(); }, {}) {
    for (const int ordinal : ordinals_) members_.push_back(std::make_unique<PoolMember>(driver, ordinal));
    msms_ = std::make_unique<MsmDistributor>(*this);
    update_rotation();
    threads_ = std::make_unique<DeviceThreads>(members_.size(), thread_hooks());
}

PoolState::~PoolState() { threads_->finish(); }

DeviceThreads::Hooks PoolState::thread_hooks() {
    return {.prepare =
                [this](std::size_t index) {
                    served_pool = this;
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
bool PoolState::can_open(std::size_t index) noexcept {
    try {
        guard([&] { (void)member(index).context(); });
        return true;
    } catch (const std::exception& error) {
        log(LogLevel::debug, "pool: a device takes no work over, as it cannot be opened:");
        log(LogLevel::debug, error.what());
        return false;
    }
}

std::shared_ptr<PoolState> PoolState::of_host(unsigned threads, std::vector<ExcludedDevice> excluded) {
    std::shared_ptr<PoolState> state(new PoolState(threads), release);
    state->excluded_devices_ = std::move(excluded);
    return state;
}

std::shared_ptr<PoolState> PoolState::of_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals,
                                                 std::vector<ExcludedDevice> excluded) {
    std::shared_ptr<PoolState> state(new PoolState(driver, std::vector<int>(ordinals.begin(), ordinals.end())), release);
    state->excluded_devices_ = std::move(excluded);
    return state;
}

void PoolState::release(PoolState* state) noexcept {
    if (state->process_.is_forked()) return;
    if (served_pool != state) {
        delete state;
        return;
    }
    Teardown::begin(std::move(state->teardown_));
}

std::size_t PoolState::index_of(int ordinal) const {
    const auto found = std::find_if(members_.begin(), members_.end(), [=](const auto& member) { return member->ordinal() == ordinal; });
    return static_cast<std::size_t>(found - members_.begin());
}

LoadBalancer& PoolState::balancer() {
    const std::lock_guard lock(mutex_);
    if (balancer_ == nullptr) {
        balancer_ = make_balancer(members_, nullptr);
        threads_->set_balancer(*balancer_);
    }
    return *balancer_;
}

void PoolState::guard(const std::function<void()>& function) {
    faults_.check();
    try {
        function();
    } catch (const Error& error) {
        note(error);
        throw;
    }
}

void PoolState::note(const Error& error) {
    faults_.note(error);
    if (!poisons_process(error)) return;
    {
        const std::lock_guard lock(mutex_);
        update_rotation();
    }
    fail_queued();
}

void PoolState::fail_queued() {
    const void* const before = served_pool;
    served_pool = this;
    threads_->do_waiting();
    served_pool = before;
}

void PoolState::run(std::size_t index, const Work& work, const SourceLocation& where) {
    std::atomic<std::uint64_t>& in_flight = member(index).in_flight;
    ++in_flight;
    try {
        run_task(index, work, where);
    } catch (...) {
        --in_flight;
        throw;
    }
    --in_flight;
}

void PoolState::run_together(std::span<const std::size_t> indices, const std::function<void()>& work) {
    if (indices.empty()) return work();
    run(indices.front(), [&](std::size_t, const DeviceContext&) { run_together(indices.subspan(1), work); });
}

void PoolState::run_task(std::size_t index, const Work& work, const SourceLocation& where) {
    PoolMember& device = member(index);
    ++device.launches;
    const auto begin = std::chrono::steady_clock::now();
    const auto count_time = [&] {
        const auto took = std::chrono::steady_clock::now() - begin;
        device.busy_microseconds += static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    };
    try {
        report_at(where, [&] { faults_.check(); });
        guard([&] { work(index, device.context(where)); });
        count_time();
    } catch (...) {
        count_time();
        ++device.errors;
        throw;
    }
}

void PoolState::post(std::size_t index, std::shared_ptr<PoolTask> task, std::shared_ptr<LoadBalancer::Lease> lease,
                     const SourceLocation& where) {
    faults_.check();
    PoolMember& device = member(index);
    ++device.in_flight;
    try {
        auto run = [this, task = std::move(task), lease, where](std::size_t member) { return perform(member, *task, lease, where); };
        threads_->post(index, {std::move(run), std::move(lease)});
    } catch (...) {
        --device.in_flight;
        throw;
    }
    if (faults_.is_latched()) fail_queued();  // a fault since the check above
}

bool PoolState::perform(std::size_t index, PoolTask& task, std::shared_ptr<LoadBalancer::Lease> lease, const SourceLocation& where) {
    std::exception_ptr failure;
    const auto work = [&](std::size_t, const DeviceContext& context) {
        if (lease) lease->begin();  // after the context was created, which must not count as the device's time
        task.run(context);
    };
    try {
        run_task(index, work, where);
        if (lease) lease->complete();
    } catch (...) {
        failure = std::current_exception();
        if (lease) const LoadBalancer::Lease ended = std::move(*lease);  // released before the failure becomes visible
    }
    --member(index).in_flight;
    if (!failure) {
        try {
            task.succeed();
            return true;
        } catch (...) {  // copying the result failed
            failure = std::current_exception();
        }
    }
    task.fail(std::move(failure));
    return false;
}

void PoolState::perform_here(std::size_t index, PoolTask& task, const SourceLocation& where) {
    ++member(index).in_flight;
    perform(index, task, nullptr, where);
}

void PoolState::give(std::size_t index, const std::shared_ptr<PoolTask>& task, const SourceLocation& where) noexcept {
    if (served_pool == this) return perform_here(index, *task, where);
    try {
        report_at(where, [&] { post(index, task, nullptr, where); });
    } catch (...) {
        task->fail(std::current_exception());
    }
}

std::vector<std::future<void>> PoolState::start_each(std::span<const std::size_t> indices, Work work, const SourceLocation& where) {
    const auto shared = std::make_shared<const Work>(std::move(work));
    const auto task_of = [&shared](std::size_t index) {
        return [index, shared](const DeviceContext& context) { (*shared)(index, context); };
    };
    using Task = FutureTask<decltype(task_of(0))>;
    std::vector<std::shared_ptr<Task>> tasks;
    std::vector<std::future<void>> futures;
    for (const std::size_t index : indices) {
        tasks.push_back(std::make_shared<Task>(task_of(index)));
        futures.push_back(tasks.back()->future());
    }
    // Nothing below throws: the caller must not unwind while tasks use its objects.
    for (std::size_t i = 0; i < indices.size(); ++i) give(indices[i], tasks[i], where);
    return futures;
}

void PoolState::run_each(std::span<const std::size_t> indices, const Work& work, const SourceLocation& where) {
    std::vector<std::future<void>> futures = start_each(indices, work, where);
    wait_all(futures);
}

void PoolState::join(RunReport& whole, const RunReport& part) const {
    for (const int device : part.devices) {
        if (std::find(whole.devices.begin(), whole.devices.end(), device) == whole.devices.end()) whole.devices.push_back(device);
    }
    std::sort(whole.devices.begin(), whole.devices.end(), [this](int left, int right) { return index_of(left) < index_of(right); });
    whole.bytes += part.bytes;
    whole.device_bytes = std::max(whole.device_bytes, part.device_bytes);
}

std::vector<Slice> PoolState::divided(std::uint64_t items, Shares shares, const std::vector<std::size_t>& indices) {
    require_enumerator(shares, Shares::by_capability, "Shares");
    switch (shares) {
        case Shares::by_speed: return divided(items, weights(), indices);
        case Shares::even: return divided(items, std::vector<double>(size(), 1), indices);
        case Shares::by_capability: break;
    }
    std::vector<double> capabilities;
    for (const auto& member : members_) capabilities.push_back(member->capability());
    return divided(items, capabilities, indices);
}

std::vector<Slice> PoolState::divided(std::uint64_t items, std::span<const double> weights, const std::vector<std::size_t>& indices) const {
    std::vector<double> own;
    for (const std::size_t index : indices) own.push_back(weights[index]);
    const std::vector<Slice> of_indices = divide(items, own);
    std::vector<Slice> shares(size());
    for (std::size_t i = 0; i < indices.size(); ++i) shares[indices[i]] = of_indices[i];
    std::uint64_t end = 0;
    for (Slice& share : shares) {
        share.offset = end;
        end += share.count;
    }
    return shares;
}

RelativeSpeeds& PoolState::speeds() {
    const std::lock_guard lock(mutex_);
    if (speeds_ == nullptr) {
        std::vector<double> capabilities;
        for (const auto& member : members_) capabilities.push_back(member->capability());
        speeds_ = std::make_unique<RelativeSpeeds>(std::move(capabilities));
    }
    return *speeds_;
}

std::vector<double> PoolState::weights() {
    {
        const std::lock_guard lock(mutex_);
        if (!own_weights_.empty()) return own_weights_;
    }
    return speeds().speeds();
}

std::vector<double> PoolState::weights_of(std::span<const std::size_t> indices) {
    const std::vector<double> all = weights();
    std::vector<double> own;
    for (const std::size_t index : indices) own.push_back(all[index]);
    return own;
}

void PoolState::set_weights(std::vector<double> weights) {
    const std::lock_guard lock(mutex_);
    own_weights_ = std::move(weights);
}

void PoolState::set_quarantine(std::size_t index, std::optional<std::string> why) {
    const bool available = !why;
    {
        const std::lock_guard lock(mutex_);
        PoolMember& device = member(index);
        if (logs(LogLevel::warning)) {
            log(LogLevel::warning, "pool: device " + std::to_string(device.ordinal()) + (why ? " quarantined: " + *why : " readmitted"));
        }
        device.set_quarantine(std::move(why));
        if (balancer_ != nullptr) balancer_->set_available(device.ordinal(), available);
        msms_->set_available(device.ordinal(), available);
        update_rotation();
    }
    if (available) {
        threads_->look_again();
    } else {
        threads_->redistribute(index);
    }
}

std::vector<std::size_t> PoolState::healthy() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (!members_[i]->quarantine()) indices.push_back(i);
    }
    if (indices.empty()) throw_all_quarantined();
    return indices;
}

std::vector<std::size_t> PoolState::least_busy(std::size_t most) const {
    std::vector<std::size_t> indices = healthy();
    std::vector<std::uint64_t> in_flight;  // read once: it changes
    for (const auto& member : members_) in_flight.push_back(member->in_flight.load());
    std::stable_sort(indices.begin(), indices.end(),
                     [&](std::size_t left, std::size_t right) { return in_flight[left] < in_flight[right]; });
    indices.resize(std::min(most, indices.size()));
    std::sort(indices.begin(), indices.end());
    return indices;
}

std::size_t PoolState::best_available(std::size_t bytes_needed) {
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
                PoolMember& device = member(index);
                const std::size_t free_bytes = free_memory(device.context());
                const Found found{free_bytes >= bytes_needed, device.in_flight, free_bytes, index};
                if (best.index == size() || worse(best, found)) best = found;
            });
        } catch (const Error& error) {
            if (poisons_process(error)) throw;
            failure = std::current_exception();
            log(LogLevel::warning, std::string("pool: a device was left out of the choice: ") + error.what());
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

void PoolState::update_rotation() {
    std::vector<int> turns;
    if (faults_.fault()) return rotation_.store(nullptr, std::memory_order_release);
    for (const auto& member : members_) {
        if (!member->quarantine()) turns.push_back(member->ordinal());
    }
    if (turns.empty()) return rotation_.store(nullptr, std::memory_order_release);
    auto found = std::find_if(rotations_.begin(), rotations_.end(), [&](const auto& rotation) { return rotation->members() == turns; });
    if (found == rotations_.end()) {
        found = rotations_.insert(found, std::make_unique<RoundRobin>(std::move(turns)));
    }
    rotation_.store(found->get(), std::memory_order_release);
}

void PoolState::throw_no_rotation(const SourceLocation& where) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals", where);
    report_at(where, [&] { faults_.check(); });
    throw_all_quarantined(where);
}

void PoolState::throw_all_quarantined(const SourceLocation& where) {
    throw Error(ErrorCategory::no_device, "every device of the pool is quarantined", where);
}

}  // namespace cupool::detail
