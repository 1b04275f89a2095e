#include <algorithm>
#include <chrono>
#include <cmath>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/driver/error.hpp>
#include <cupool/pool/load_balancer.hpp>
#include <numeric>
#include <string>
#include <utility>

namespace cupool {

namespace {

double steady_microseconds() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double completion_time(const DeviceLoad& load, double work) { return (load.outstanding + work) / load.speed + load.reported; }

/// The outstanding and expected work of a device. Nothing is expected of a device that is not available.
double expected_work(const DeviceLoad& load) { return load.outstanding + (load.available ? load.reported * load.speed : 0); }

/// The index of the available device that is least by `before`; the first one of equal ones.
template <class Before>
std::size_t first_available(std::span<const DeviceLoad> loads, const Before& before) {
    const auto found = std::min_element(loads.begin(), loads.end(), [&](const DeviceLoad& left, const DeviceLoad& right) {
        return left.available != right.available ? left.available : left.available && before(left, right);
    });
    return static_cast<std::size_t>(found - loads.begin());
}

bool any_available(std::span<const DeviceLoad> loads) {
    return std::any_of(loads.begin(), loads.end(), [](const DeviceLoad& load) { return load.available; });
}

/// Limits of work, microseconds, capability and speed, so that no sum or quotient of them is infinite, whatever the program passes.
constexpr double max_counted = 1e100;
constexpr double min_speed = 1e-100;
constexpr double max_speed = 1e100;

/// Clamps an amount to its limit. \throws Error invalid_argument if it is negative or no finite number
double counted(double amount, const char* what, const SourceLocation& where) {
    if (!(amount >= 0) || std::isinf(amount)) {
        throw Error(ErrorCategory::invalid_argument,
                    std::string(what) + " must be a number that is not negative; it is " + std::to_string(amount), where);
    }
    return std::min(amount, max_counted);
}

}  // namespace

std::size_t EarliestCompletion::select(std::span<const DeviceLoad> loads, double work) {
    return first_available(loads, [work](const DeviceLoad& left, const DeviceLoad& right) {
        const double left_time = completion_time(left, work);
        const double right_time = completion_time(right, work);
        return left_time != right_time ? left_time < right_time : left.busy < right.busy;
    });
}

std::size_t LeastBusy::select(std::span<const DeviceLoad> loads, double) {
    return first_available(loads, [](const DeviceLoad& left, const DeviceLoad& right) {
        return left.in_flight != right.in_flight ? left.in_flight < right.in_flight : left.busy < right.busy;
    });
}

std::size_t TakingTurns::select(std::span<const DeviceLoad> loads, double) {
    std::size_t turn = next_ % loads.size();
    while (!loads[turn].available) turn = (turn + 1) % loads.size();
    next_ = turn + 1;
    return turn;
}

/// The state that leases share with their balancer.
struct LoadBalancer::State {
    /// After this many microseconds of work, earlier measurements count half: speeds follow the device, and a few short leases, which are
    /// mostly overhead, do not change them.
    static constexpr double measuring_half_life = 1e5;

    struct Member {
        double capability = 1;
        double measured_work = 0;  ///< of completed leases, older ones weighing less
        double measured_time = 0;  ///< what they took, weighed alike
        double busy_until = 0;     ///< when the last lease was completed
        bool is_warm = false;      ///< whether one was: the first compiles kernels, which says nothing of the device's speed
        double reports = 0;        ///< how many there were, older ones weighing less
    };

    /// Locks the state. \throws Error forked, before it waits for the mutex
    std::unique_lock<std::mutex> locked(const SourceLocation& where) {
        process.require_own_process("the balancer", where);
        return std::unique_lock(mutex);
    }

    std::size_t index_of(int device, const SourceLocation& where) const {
        const auto found = std::find_if(loads.begin(), loads.end(), [device](const DeviceLoad& load) { return load.device == device; });
        if (found == loads.end())
            throw Error(ErrorCategory::invalid_device, "device " + std::to_string(device) + " is not balanced here", where);
        return static_cast<std::size_t>(found - loads.begin());
    }

    void require_available(const SourceLocation& where) const {
        if (!any_available(loads)) throw Error(ErrorCategory::no_device, "every device is quarantined", where);
    }

    /// The choice of the policy among these devices. \pre one of them is available
    std::size_t select(std::span<const DeviceLoad> of, double work, const SourceLocation& where) const {
        const std::size_t index = policy->select(of, work);
        if (index < of.size() && of[index].available) return index;
        throw Error(ErrorCategory::internal, "the balancing policy chose a device that is not available", where);
    }

    /// Decays old load if enough time has passed to matter.
    void advance(double now) {
        if (now - last_advance < half_life / 1024) return;
        const double fading = std::exp2((last_advance - now) / half_life);
        for (DeviceLoad& load : loads) {
            load.busy *= fading;
            load.reported *= fading;
        }
        for (Member& member : members) member.reports *= fading;
        last_advance = now;
    }

    /// Estimates the speed of a device that was never measured from its capability and the measured devices.
    void estimate_speeds() {
        double measured = 0;
        double capability = 0;
        for (const Member& member : members) {
            if (member.measured_time == 0) continue;
            measured += member.measured_work / member.measured_time;
            capability += member.capability;
        }
        const double scale = capability > 0 ? measured / capability : 1;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const Member& member = members[i];
            const double speed = member.measured_time > 0 ? member.measured_work / member.measured_time : member.capability * scale;
            loads[i].speed = std::clamp(speed, min_speed, max_speed);
        }
    }

    void measure(Member& member, double work, double microseconds) {
        if (work <= 0 || microseconds <= 0) return;
        const double fading = std::exp2(-microseconds / measuring_half_life);
        member.measured_work = member.measured_work * fading + work;
        member.measured_time = member.measured_time * fading + microseconds;
        estimate_speeds();
    }

    void take(std::size_t index, double work) {
        loads[index].outstanding += work;
        ++loads[index].in_flight;
    }

    void give_back(std::size_t index, double work) {
        DeviceLoad& load = loads[index];
        --load.in_flight;
        // Not by subtraction alone, since rounding errors would accumulate.
        load.outstanding = load.in_flight == 0 ? 0 : std::max(0.0, load.outstanding - work);
    }

    detail::ProcessMark process;
    std::mutex mutex;
    std::vector<DeviceLoad> loads;
    std::vector<Member> members;
    std::unique_ptr<BalancingPolicy> policy;
    Clock clock;
    double half_life = 0;
    double last_advance = 0;
};

LoadBalancer::LoadBalancer(std::span<const Candidate> devices, std::unique_ptr<BalancingPolicy> policy, Clock clock, double half_life,
                           SourceLocation where)
    : state_(detail::make_shared_unless_forked<State>()) {
    if (devices.empty()) throw Error(ErrorCategory::invalid_argument, "there is no device to balance", where);
    if (!(half_life > 0)) throw Error(ErrorCategory::invalid_argument, "a half-life must be above 0", where);
    for (const Candidate& candidate : devices) {
        if (!(candidate.capability > 0) || std::isinf(candidate.capability)) {
            throw Error(ErrorCategory::invalid_argument, "device " + std::to_string(candidate.device) + "'s capability must be above 0",
                        where);
        }
        const auto has_same_device = [&](const DeviceLoad& load) { return load.device == candidate.device; };
        if (std::any_of(state_->loads.begin(), state_->loads.end(), has_same_device)) {
            throw Error(ErrorCategory::invalid_argument, "device " + std::to_string(candidate.device) + " stands in the list twice", where);
        }
        DeviceLoad load;
        load.device = candidate.device;
        load.speed = std::clamp(candidate.capability, min_speed, max_speed);
        state_->loads.push_back(load);
        State::Member member;
        member.capability = load.speed;
        state_->members.push_back(member);
    }
    state_->policy = policy ? std::move(policy) : std::make_unique<EarliestCompletion>();
    state_->clock = clock ? std::move(clock) : Clock(steady_microseconds);
    state_->half_life = half_life;
    state_->last_advance = state_->clock();
}

LoadBalancer::~LoadBalancer() = default;

LoadBalancer::Lease LoadBalancer::select_device(double work, SourceLocation where) {
    work = counted(work, "the work", where);
    const auto lock = state_->locked(where);
    state_->require_available(where);
    const double now = state_->clock();
    state_->advance(now);
    return {state_, state_->select(state_->loads, work, where), work, now};
}

std::vector<LoadBalancer::Lease> LoadBalancer::select_devices(std::size_t count, double work, SourceLocation where) {
    work = counted(work, "the work", where);
    const auto lock = state_->locked(where);
    state_->require_available(where);
    const double now = state_->clock();
    state_->advance(now);
    std::vector<DeviceLoad> left = state_->loads;
    std::vector<std::size_t> chosen;
    while (chosen.size() < count && any_available(left)) {
        chosen.push_back(state_->select(left, work, where));
        left[chosen.back()].available = false;
    }
    std::vector<Lease> leases;
    leases.reserve(chosen.size());  // releasing a lease takes the lock, which is held here
    for (const std::size_t index : chosen) leases.push_back({state_, index, work, now});
    return leases;
}

LoadBalancer::Lease LoadBalancer::lease(int device, double work, SourceLocation where) {
    work = counted(work, "the work", where);
    const auto lock = state_->locked(where);
    return {state_, state_->index_of(device, where), work, state_->clock()};
}

void LoadBalancer::report_completion(int device, double microseconds, double work, SourceLocation where) {
    microseconds = counted(microseconds, "a completion's time", where);
    work = counted(work, "a completion's work", where);
    const auto lock = state_->locked(where);
    const std::size_t index = state_->index_of(device, where);
    state_->advance(state_->clock());
    state_->loads[index].busy += microseconds;
    state_->loads[index].reported += microseconds;
    state_->members[index].reports += 1;
    state_->measure(state_->members[index], work, microseconds);
}

std::vector<Migration> LoadBalancer::rebalance(double threshold, SourceLocation where) const {
    struct Balance {
        int device;
        double surplus;
        bool available;
    };
    const auto lock = state_->locked(where);
    state_->advance(state_->clock());
    double work = 0;
    double speed = 0;
    double times = 0;
    double least = 0;
    double most = 0;
    std::size_t available = 0;
    double jobs = 0;  // that the work consists of
    bool stranded = false;
    for (const State::Member& member : state_->members) jobs += member.reports;
    for (const DeviceLoad& load : state_->loads) {
        work += expected_work(load);
        jobs += static_cast<double>(load.in_flight);
        if (!load.available) {
            stranded = stranded || expected_work(load) > 0;
            continue;
        }
        const double time = completion_time(load, 0);
        speed += load.speed;
        times += time;
        least = available == 0 ? time : std::min(least, time);
        most = std::max(most, time);
        ++available;
    }
    if (available == 0 || work == 0) return {};
    if (!stranded && most - least <= threshold * times / static_cast<double>(available)) return {};

    std::vector<Balance> givers;
    std::vector<Balance> takers;
    for (const DeviceLoad& load : state_->loads) {
        const double own = expected_work(load);
        const double fair = load.available ? work / speed * load.speed : 0;
        if (own > fair) givers.push_back({load.device, own - fair, load.available});
        if (own < fair) takers.push_back({load.device, fair - own, true});
    }
    const auto larger = [](const Balance& left, const Balance& right) { return left.surplus > right.surplus; };
    std::sort(givers.begin(), givers.end(), larger);
    std::sort(takers.begin(), takers.end(), larger);

    const double average_job = work / jobs;
    std::vector<Migration> plan;
    for (auto giver = givers.begin(), taker = takers.begin(); giver != givers.end() && taker != takers.end();) {
        // The work of an unavailable device moves as a whole: a lease cannot be divided, and would stay if no device's fair share were as
        // large.
        const double moved = giver->available ? std::min(giver->surplus, taker->surplus) : giver->surplus;
        if (moved >= average_job || !giver->available) plan.push_back({giver->device, taker->device, moved});
        giver->surplus -= moved;
        taker->surplus -= moved;
        const bool is_served = taker->surplus <= 0;
        if (giver->surplus <= 0) ++giver;
        if (is_served) ++taker;
    }
    return plan;
}

void LoadBalancer::set_available(int device, bool available, SourceLocation where) {
    const auto lock = state_->locked(where);
    state_->loads[state_->index_of(device, where)].available = available;
}

bool LoadBalancer::allows_takeover(SourceLocation where) const {
    const auto lock = state_->locked(where);
    return state_->policy->allows_takeover();
}

void LoadBalancer::set_policy(std::unique_ptr<BalancingPolicy> policy, SourceLocation where) {
    if (policy == nullptr) throw Error(ErrorCategory::invalid_argument, "a balancing policy must not be null", where);
    const auto lock = state_->locked(where);
    state_->policy.swap(policy);
}

std::vector<DeviceLoad> LoadBalancer::loads(SourceLocation where) const {
    const auto lock = state_->locked(where);
    state_->advance(state_->clock());
    return state_->loads;
}

LoadBalancer::Lease::Lease(std::shared_ptr<State> state, std::size_t index, double work, double now)
    : state_(std::move(state)), index_(index), device_(state_->loads[index].device), work_(work), began_(now) {
    state_->take(index, work);
}

LoadBalancer::Lease& LoadBalancer::Lease::operator=(Lease&& other) noexcept {
    if (this != &other) {
        release();
        state_ = std::move(other.state_);
        index_ = other.index_;
        device_ = other.device_;
        work_ = other.work_;
        began_ = other.began_;
    }
    return *this;
}

void LoadBalancer::Lease::begin(SourceLocation where) {
    if (!state_) return;
    state_->process.require_own_process("the lease", where);
    began_ = state_->clock();
}

void LoadBalancer::Lease::complete(SourceLocation where) {
    if (!state_) return;
    {
        const auto lock = state_->locked(where);
        const double now = state_->clock();
        State::Member& member = state_->members[index_];
        const double took = now - std::max(began_, member.busy_until);
        member.busy_until = now;
        state_->advance(now);
        state_->loads[index_].busy += took;
        if (std::exchange(member.is_warm, true)) state_->measure(member, work_, took);
        state_->give_back(index_, work_);
    }
    state_.reset();
}

void LoadBalancer::Lease::move_to(int device, SourceLocation where) {
    if (!state_) return;
    const auto lock = state_->locked(where);
    const std::size_t target = state_->index_of(device, where);
    state_->give_back(index_, work_);
    state_->take(target, work_);
    index_ = target;
    device_ = device;
    began_ = state_->clock();
}

void LoadBalancer::Lease::release() noexcept {
    if (!state_) return;
    if (!state_->process.is_forked()) {
        const std::lock_guard lock(state_->mutex);
        state_->give_back(index_, work_);
    }
    state_.reset();
}

}  // namespace cupool
