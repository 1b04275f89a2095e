#include <algorithm>
#include <cupool/driver/device.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/probe.hpp>
#include <cupool/pool/device_pool.hpp>
#include <exception>
#include <numeric>
#include <ostream>
#include <tuple>
#include <utility>

#include "pool_state.hpp"

namespace cupool {

namespace {

std::string listed(const std::vector<int>& ordinals) {
    std::string text;
    for (const int ordinal : ordinals) text += (text.empty() ? "" : ", ") + std::to_string(ordinal);
    return text;
}

/// How many devices there are to choose from. \throws Error no_device where there is none
int positive_device_count(const Driver& driver) {
    const int count = device_count(driver);
    if (count == 0) throw Error(ErrorCategory::no_device, "the driver shows no device; is CUDA_VISIBLE_DEVICES empty?");
    return count;
}

std::vector<int> all_ordinals(const Driver& driver) {
    const int count = positive_device_count(driver);
    std::vector<int> ordinals(static_cast<std::size_t>(count));
    std::iota(ordinals.begin(), ordinals.end(), 0);
    return ordinals;
}

void check_ordinals(const Driver& driver, std::span<const int> ordinals) {
    if (ordinals.empty()) throw Error(ErrorCategory::invalid_argument, "a pool needs at least one device; the list is empty");
    const int count = positive_device_count(driver);
    for (auto ordinal = ordinals.begin(); ordinal != ordinals.end(); ++ordinal) {
        if (*ordinal < 0 || *ordinal >= count) {
            throw Error(ErrorCategory::invalid_device, "there is no device " + std::to_string(*ordinal) + "; the driver shows " +
                                                           std::to_string(count) + ", counted from 0");
        }
        if (std::find(ordinals.begin(), ordinal, *ordinal) != ordinal) {
            throw Error(ErrorCategory::invalid_argument, "device " + std::to_string(*ordinal) + " stands in the list twice");
        }
    }
}

/// Whether it is the process, not the device, that cannot open it.
bool says_nothing_of_device(const Error& error) {
    return detail::poisons_process(error) || error.category() == ErrorCategory::forked || error.category() == ErrorCategory::shutdown;
}

LeftOutDevice left_out_for(int ordinal, const Error& error) {
    detail::log(LogLevel::warning, "pool: device " + std::to_string(ordinal) + " is left out: " + error.what());
    const std::optional<Reason> reason = error.code() ? reason_of(*error.code()) : error.reason();
    return {ordinal, reason.value_or(Reason::device_unhealthy), error.what()};
}

/// \param first  what the first of them failed of
[[noreturn]] void throw_none_opened(const std::vector<LeftOutDevice>& left_out, const Error& first) {
    ErrorDetails details;
    details.category = ErrorCategory::no_device;
    details.code = first.code();
    details.call = first.call();
    details.reason = first.reason() ? first.reason() : left_out.front().reason;
    details.message = "none of the devices can be opened";
    for (const LeftOutDevice& device : left_out) details.message += "; device " + std::to_string(device.device) + ": " + device.why;
    throw Error(std::move(details));
}

/// What can be allocated now: the device's free memory, and what its pool keeps without using it.
std::size_t free_memory(const DeviceContext& context) {
    const std::size_t free_bytes = context.context().memory_info().free;
    const MemoryPoolView pool = context.memory_pool();
    if (!pool) return free_bytes;
    const std::uint64_t used = pool.used();
    const std::uint64_t reserved = pool.reserved();
    return free_bytes + static_cast<std::size_t>(reserved - std::min(used, reserved));  // others may free and trim meanwhile
}

}  // namespace

DevicePool::DevicePool(std::shared_ptr<State> state) : state_(std::move(state)) {}

DevicePool DevicePool::all(UnusableDevices unusable) { return of_devices(nullptr, all_ordinals(*Driver::system()), unusable); }

DevicePool DevicePool::all(const std::shared_ptr<const Driver>& driver, UnusableDevices unusable) {
    return of_devices(driver, all_ordinals(*driver), unusable);
}

DevicePool DevicePool::all_or_host(UnusableDevices unusable) {
    const ProbeReport report = probe();
    if (report.forked || report.failed) throw report.error();
    std::vector<int> usable;
    std::vector<LeftOutDevice> left_out;
    for (const ProbedDevice& device : report.devices) {
        if (device.usable()) {
            usable.push_back(device.ordinal);
        } else {
            left_out.push_back({device.ordinal, device.reason, device.explanation});
        }
    }
    if (unusable == UnusableDevices::refused && !left_out.empty()) throw report.error();
    if (usable.empty()) {
        if (detail::logs(LogLevel::info)) {
            detail::log(LogLevel::info, "pool: on the host's cores, as no GPU is usable (" + std::string(to_string(report.reason)) +
                                            "): " + report.explanation);
        }
        return DevicePool(State::of_host(0, std::move(left_out)));
    }
    if (detail::logs(LogLevel::info)) detail::log(LogLevel::info, "pool: on devices " + listed(usable));
    return of_devices(nullptr, usable, unusable, std::move(left_out));
}

DevicePool DevicePool::host(unsigned threads) { return DevicePool(State::of_host(threads, {})); }

DevicePool DevicePool::with_devices(std::span<const int> ordinals, UnusableDevices unusable) {
    check_ordinals(*Driver::system(), ordinals);
    return of_devices(nullptr, ordinals, unusable);
}

DevicePool DevicePool::with_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals, UnusableDevices unusable) {
    check_ordinals(*driver, ordinals);
    return of_devices(driver, ordinals, unusable);
}

DevicePool DevicePool::of_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals, UnusableDevices unusable,
                                  std::vector<LeftOutDevice> left_out) {
    DevicePool pool(State::of_devices(driver, ordinals, left_out));
    if (unusable == UnusableDevices::met_when_used) return pool;
    std::vector<int> opened;
    std::optional<Error> first;
    for (std::size_t i = 0; i < pool.device_count(); ++i) {
        try {
            (void)pool.context_at(i);
            opened.push_back(pool.device_at(i));
        } catch (const Error& error) {
            if (unusable == UnusableDevices::refused || says_nothing_of_device(error)) throw;
            left_out.push_back(left_out_for(pool.device_at(i), error));
            if (!first) first = error;
        }
    }
    if (opened.size() == pool.device_count()) return pool;
    if (opened.empty()) throw_none_opened(left_out, *first);
    DevicePool rest(State::of_devices(driver, opened, std::move(left_out)));
    for (std::size_t i = 0; i < rest.device_count(); ++i) (void)rest.context_at(i);  // which the other pool still holds open
    return rest;
}

bool DevicePool::is_host() const { return state_->is_host(); }

Engine DevicePool::engine() const { return is_host() ? Engine::host : Engine::gpu; }

std::size_t DevicePool::device_count() const { return state_->size(); }

int DevicePool::device_at(std::size_t index) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals");
    check_index(index);
    return devices()[index];
}

const DeviceContext& DevicePool::context_at(std::size_t index) const {
    check_index(index);
    return state_->member(index).context();
}

const DeviceContext& DevicePool::context(int ordinal) const { return context_at(index_of(ordinal)); }

const std::vector<int>& DevicePool::devices() const { return state_->ordinals(); }

DeviceIdentity DevicePool::identity_at(std::size_t index) const {
    (void)device_at(index);
    return state_->member(index).identity();
}

std::vector<DeviceIdentity> DevicePool::identities() const {
    std::vector<DeviceIdentity> all;
    for (std::size_t i = 0; i < devices().size(); ++i) all.push_back(identity_at(i));
    return all;
}

const std::vector<LeftOutDevice>& DevicePool::left_out() const { return state_->left_out(); }

int DevicePool::next_device() const { return state_->next_device(); }

int DevicePool::best_available_device(std::size_t bytes_needed) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals");
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
    Found best{false, 0, 0, device_count()};
    std::exception_ptr failure;
    for (const std::size_t index : state_->healthy()) {
        try {
            state_->guard([&] {
                detail::PoolMember& device = state_->member(index);
                const std::size_t free_bytes = free_memory(device.context());
                const Found found{free_bytes >= bytes_needed, device.in_flight, free_bytes, index};
                if (best.index == device_count() || worse(best, found)) best = found;
            });
        } catch (const Error& error) {
            if (detail::poisons_process(error)) throw;
            failure = std::current_exception();
            detail::log(LogLevel::warning, std::string("pool: a device was left out of the choice: ") + error.what());
        }
    }
    if (best.index == device_count()) std::rethrow_exception(failure);
    if (!best.fits) {
        ErrorDetails details;
        details.category = ErrorCategory::out_of_memory;
        details.device = devices()[best.index];
        details.message = "no device of the pool has " + std::to_string(bytes_needed) + " bytes free; device " +
                          std::to_string(*details.device) + " has the most, " + std::to_string(best.free_bytes);
        throw Error(std::move(details));
    }
    return devices()[best.index];
}

LoadBalancer& DevicePool::balancer() const { return state_->balancer(); }

void DevicePool::quarantine(int ordinal, const std::string& why) const { state_->set_quarantine(index_of(ordinal), why); }

void DevicePool::readmit(int ordinal) const { state_->set_quarantine(index_of(ordinal), std::nullopt); }

std::vector<QuarantinedDevice> DevicePool::quarantined() const {
    std::vector<QuarantinedDevice> list;
    for (std::size_t i = 0; i < device_count(); ++i) {
        if (auto why = state_->member(i).quarantine()) list.push_back({state_->member(i).ordinal(), std::move(*why)});
    }
    return list;
}

std::optional<Error> DevicePool::fault() const { return state_->faults().fault(); }

PoolMetrics DevicePool::metrics() const {
    PoolMetrics metrics;
    for (std::size_t i = 0; i < device_count(); ++i) metrics.devices.push_back(state_->member(i).metrics());
    return metrics;
}

void DevicePool::for_each_device(const std::function<void(std::size_t, const DeviceContext&)>& function) const {
    state_->run_each(state_->healthy(), function);
}

std::future<KernelOutputs> DevicePool::submit_kernel(KernelWork work, double amount) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a kernel of the program's own needs a GPU; the pool is the host");
    auto run = [state = state_.get(), work = std::move(work)](const DeviceContext& context) {
        KernelOutputs outputs = run_kernel(work, context);
        state->member(state->index_of(context.device())).bytes += outputs.bytes_moved;
        return outputs;
    };
    return submit(std::move(run), amount);
}

void DevicePool::synchronize_all() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < device_count(); ++i) {
        if (state_->member(i).is_used()) indices.push_back(i);
    }
    state_->run_each(indices, [](std::size_t, const DeviceContext& context) {
        if (!context.is_host()) context.stream().synchronize();
    });
}

std::size_t DevicePool::index_of(int ordinal) const {
    const auto found = std::find(devices().begin(), devices().end(), ordinal);
    if (found == devices().end()) {
        throw Error(ErrorCategory::invalid_device, "device " + std::to_string(ordinal) + " is not in the pool: " + to_string(*this));
    }
    return static_cast<std::size_t>(found - devices().begin());
}

void DevicePool::check_index(std::size_t index) const {
    if (index < device_count()) return;
    throw Error(ErrorCategory::invalid_argument,
                "index " + std::to_string(index) + " is past the end of a pool of " + std::to_string(device_count()) + " devices");
}

void DevicePool::post(std::size_t index, std::unique_ptr<detail::PoolTask> task) const {
    check_index(index);
    state_->post(index, std::move(task), nullptr);
}

void DevicePool::post_balanced(std::unique_ptr<detail::PoolTask> task, double work) const {
    auto lease = std::make_shared<LoadBalancer::Lease>(balancer().select_device(work));
    const std::size_t index = state_->index_of(lease->device());
    state_->post(index, std::move(task), std::move(lease));
}

std::string to_string(const DevicePool& pool) {
    return pool.is_host() ? "the host's cores" : (pool.device_count() == 1 ? "device " : "devices ") + listed(pool.devices());
}

std::ostream& operator<<(std::ostream& out, const DevicePool& pool) { return out << to_string(pool); }

}  // namespace cupool
