#include <algorithm>
#include <cmath>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/device.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/probe.hpp>
#include <cupool/pool/device_pool.hpp>
#include <exception>
#include <limits>
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

/// How many devices there are to choose from. \throws Error no_device if there is none
int positive_device_count(const Driver& driver) {
    const int count = device_count(driver);
    if (count == 0) {
        driver.initialize();  // says why, where it is cuInit() that knows of no device
        throw Error(ErrorCategory::no_device, "the driver starts and shows no device; probe(), or devquery, says more");
    }
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

ExcludedDevice excluded_device(int ordinal, const Error& error) {
    detail::log(LogLevel::warning, "pool: device " + std::to_string(ordinal) + " is left out: " + error.what());
    const std::optional<Reason> reason = error.code() ? reason_of(*error.code()) : error.reason();
    return {ordinal, reason.value_or(Reason::device_unhealthy), error.at({}).what()};
}

/// \param first  what the first of them failed of
[[noreturn]] void throw_none_opened(const std::vector<ExcludedDevice>& excluded, const Error& first) {
    ErrorDetails details;
    details.category = ErrorCategory::no_device;
    details.code = first.code();
    details.call = first.call();
    details.reason = first.reason() ? first.reason() : excluded.front().reason;
    details.message = "none of the devices can be opened";
    for (const ExcludedDevice& device : excluded) details.message += "; device " + std::to_string(device.device) + ": " + device.why;
    throw Error(std::move(details));
}

}  // namespace

DevicePool::DevicePool(std::shared_ptr<detail::PoolState> state) : state_(std::move(state)) {}

DevicePool DevicePool::all(UnusableDevices unusable, SourceLocation where) {
    return detail::report_at(where, [&] { return of_devices(nullptr, all_ordinals(*Driver::system()), unusable, {}, where); });
}

DevicePool DevicePool::all(const std::shared_ptr<const Driver>& driver, UnusableDevices unusable, SourceLocation where) {
    return detail::report_at(where, [&] { return of_devices(driver, all_ordinals(*driver), unusable, {}, where); });
}

DevicePool DevicePool::all_or_host(UnusableDevices unusable, SourceLocation where) {
    return usable_or_host(probe(), nullptr, unusable, where);
}

DevicePool DevicePool::all_or_host(const LoadOptions& options, UnusableDevices unusable, SourceLocation where) {
    const ProbeReport report = probe(options);
    return usable_or_host(report, report.driver, unusable, where);
}

DevicePool DevicePool::usable_or_host(const ProbeReport& report, const std::shared_ptr<const Driver>& driver, UnusableDevices unusable,
                                      const SourceLocation& where) {
    detail::require_enumerator(unusable, UnusableDevices::fail, "UnusableDevices", where);
    if (report.forked || report.failed) throw report.error(where);
    std::vector<int> usable;
    std::vector<ExcludedDevice> excluded;
    for (const ProbedDevice& device : report.devices) {
        if (device.usable()) {
            usable.push_back(device.ordinal);
        } else {
            excluded.push_back({device.ordinal, device.reason, device.explanation});
        }
    }
    if (unusable == UnusableDevices::fail && !excluded.empty()) throw report.error(where);
    if (usable.empty()) {
        if (detail::logs(LogLevel::info)) {
            detail::log(LogLevel::info, "pool: on the host's cores, as no GPU is usable (" + std::string(to_string(report.reason)) +
                                            "): " + report.explanation);
        }
        return DevicePool(detail::PoolState::of_host(0, std::move(excluded)));
    }
    if (detail::logs(LogLevel::info)) detail::log(LogLevel::info, "pool: on devices " + listed(usable));
    return detail::report_at(where, [&] { return of_devices(driver, usable, unusable, std::move(excluded), where); });
}

DevicePool DevicePool::host(unsigned threads) { return DevicePool(detail::PoolState::of_host(threads, {})); }

DevicePool DevicePool::with_devices(std::span<const int> ordinals, UnusableDevices unusable, SourceLocation where) {
    return detail::report_at(where, [&] {
        check_ordinals(*Driver::system(), ordinals);
        return of_devices(nullptr, ordinals, unusable, {}, where);
    });
}

DevicePool DevicePool::with_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals, UnusableDevices unusable,
                                    SourceLocation where) {
    return detail::report_at(where, [&] {
        check_ordinals(*driver, ordinals);
        return of_devices(driver, ordinals, unusable, {}, where);
    });
}

DevicePool DevicePool::of_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals, UnusableDevices unusable,
                                  std::vector<ExcludedDevice> excluded, const SourceLocation& where) {
    detail::require_enumerator(unusable, UnusableDevices::fail, "UnusableDevices");
    DevicePool pool(detail::PoolState::of_devices(driver, ordinals, excluded));
    if (unusable == UnusableDevices::lazy) return pool;
    std::vector<int> opened;
    std::optional<Error> first;
    for (std::size_t i = 0; i < pool.device_count(); ++i) {
        try {
            (void)pool.context_at(i, where);
            opened.push_back(pool.device_at(i));
        } catch (const Error& error) {
            if (unusable == UnusableDevices::fail || says_nothing_of_device(error)) throw;
            excluded.push_back(excluded_device(pool.device_at(i), error));
            if (!first) first = error;
        }
    }
    if (opened.size() == pool.device_count()) return pool;
    if (opened.empty()) throw_none_opened(excluded, *first);
    DevicePool rest(detail::PoolState::of_devices(driver, opened, std::move(excluded)));
    for (std::size_t i = 0; i < rest.device_count(); ++i) (void)rest.context_at(i);  // which the other pool still holds open
    return rest;
}

detail::PoolState& DevicePool::state(const SourceLocation& where) const {
    if (state_ == nullptr) detail::throw_moved_from("the pool", where);
    state_->require_own_process(where);
    return *state_;
}

bool DevicePool::is_host(SourceLocation where) const { return state(where).is_host(); }

Engine DevicePool::engine(SourceLocation where) const { return is_host(where) ? Engine::host : Engine::gpu; }

std::size_t DevicePool::device_count(SourceLocation where) const { return state(where).size(); }

int DevicePool::device_at(std::size_t index, SourceLocation where) const {
    if (is_host(where)) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals", where);
    check_index(index, where);
    return devices(where)[index];
}

const DeviceContext& DevicePool::context_at(std::size_t index, SourceLocation where) const {
    check_index(index, where);
    return detail::report_at(where, [&]() -> const DeviceContext& { return state(where).member(index).context(where); });
}

const DeviceContext& DevicePool::context(int ordinal, SourceLocation where) const { return context_at(index_of(ordinal, where), where); }

const std::vector<int>& DevicePool::devices(SourceLocation where) const { return state(where).ordinals(); }

DeviceIdentity DevicePool::identity_at(std::size_t index, SourceLocation where) const {
    (void)device_at(index, where);
    return detail::report_at(where, [&] { return state(where).member(index).identity(); });
}

std::vector<DeviceIdentity> DevicePool::identities(SourceLocation where) const {
    std::vector<DeviceIdentity> all;
    for (std::size_t i = 0; i < devices(where).size(); ++i) all.push_back(identity_at(i, where));
    return all;
}

const std::vector<ExcludedDevice>& DevicePool::excluded_devices(SourceLocation where) const { return state(where).excluded_devices(); }

int DevicePool::next_device(const SourceLocation& where) const { return state(where).next_device(where); }

int DevicePool::best_available_device(std::size_t bytes_needed, SourceLocation where) const {
    if (is_host(where)) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals", where);
    return detail::report_at(where, [&] { return devices(where)[state(where).best_available(bytes_needed)]; });
}

LoadBalancer& DevicePool::balancer(SourceLocation where) const {
    return detail::report_at(where, [&]() -> LoadBalancer& { return state(where).balancer(); });
}

void DevicePool::quarantine(int ordinal, const std::string& why, SourceLocation where) const {
    state(where).set_quarantine(index_of(ordinal, where), why);
}

void DevicePool::readmit(int ordinal, SourceLocation where) const { state(where).set_quarantine(index_of(ordinal, where), std::nullopt); }

std::vector<QuarantinedDevice> DevicePool::quarantined(SourceLocation where) const {
    std::vector<QuarantinedDevice> list;
    for (std::size_t i = 0; i < device_count(where); ++i) {
        if (auto why = state(where).member(i).quarantine()) list.push_back({state(where).member(i).ordinal(), std::move(*why)});
    }
    return list;
}

std::optional<Error> DevicePool::fault(SourceLocation where) const { return state(where).faults().fault(); }

PoolMetrics DevicePool::metrics(SourceLocation where) const {
    PoolMetrics metrics;
    for (std::size_t i = 0; i < device_count(where); ++i) metrics.devices.push_back(state(where).member(i).metrics());
    return metrics;
}

void DevicePool::for_each_device(const std::function<void(std::size_t, const DeviceContext&)>& function, SourceLocation where) const {
    const auto healthy = detail::report_at(where, [&] { return state(where).healthy(); });
    state(where).run_each(healthy, function, where);
}

std::future<KernelOutputs> DevicePool::submit_kernel(KernelWork work, double amount, SourceLocation where) const {
    require_gpu("a kernel of the program's own", where);
    auto run = [state = &state(where), work = std::move(work), where](const DeviceContext& context) {
        KernelOutputs outputs = run_kernel(work, context, where);
        state->member(state->index_of(context.device())).bytes += outputs.bytes_moved;
        return outputs;
    };
    return submit(std::move(run), amount, where);
}

Division DevicePool::divide(std::uint64_t items, Shares shares, SourceLocation where) const {
    require_gpu("a division among devices", where);
    return detail::report_at(where, [&] { return Division(devices(where), state(where).divided(items, shares, state(where).healthy())); });
}

Division DevicePool::divide(std::uint64_t items, std::span<const double> weights, SourceLocation where) const {
    require_gpu("a division among devices", where);
    check_weights(weights, 0, where);
    return detail::report_at(where, [&] {
        const std::vector<std::size_t> healthy = state(where).healthy();
        if (std::none_of(healthy.begin(), healthy.end(), [&](std::size_t index) { return weights[index] > 0; })) {
            throw Error(ErrorCategory::invalid_argument, "no device that is not quarantined has a weight above 0");
        }
        return Division(devices(where), state(where).divided(items, weights, healthy));
    });
}

void DevicePool::check_division(const Division& division, SourceLocation where) const {
    if (division.devices() == devices(where)) return;
    throw Error(ErrorCategory::invalid_argument,
                "the division is of other devices than the pool: " + to_string(division) + "; the pool has " + to_string(*this), where);
}

std::vector<double> DevicePool::weights(SourceLocation where) const {
    return detail::report_at(where, [&] { return state(where).weights(); });
}

void DevicePool::set_weights(std::span<const double> weights, SourceLocation where) const {
    if (!weights.empty()) check_weights(weights, std::numeric_limits<double>::min(), where);
    state(where).set_weights({weights.begin(), weights.end()});
}

void DevicePool::synchronize_all(SourceLocation where) const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < device_count(where); ++i) {
        if (state(where).member(i).is_used()) indices.push_back(i);
    }
    const auto wait = [&](std::size_t, const DeviceContext& context) {
        if (!context.is_host()) context.stream(where).synchronize(where);
    };
    state(where).run_each(indices, wait, where);
}

std::size_t DevicePool::index_of(int ordinal, const SourceLocation& where) const {
    const auto found = std::find(devices(where).begin(), devices(where).end(), ordinal);
    if (found == devices(where).end()) {
        throw Error(ErrorCategory::invalid_device, "device " + std::to_string(ordinal) + " is not in the pool: " + to_string(*this), where);
    }
    return static_cast<std::size_t>(found - devices(where).begin());
}

void DevicePool::check_index(std::size_t index, const SourceLocation& where) const {
    if (index < device_count(where)) return;
    throw Error(ErrorCategory::invalid_argument,
                "index " + std::to_string(index) + " is past the end of a pool of " + std::to_string(device_count(where)) + " devices",
                where);
}

void DevicePool::check_weights(std::span<const double> weights, double least, const SourceLocation& where) const {
    if (weights.size() != device_count(where)) {
        throw Error(ErrorCategory::invalid_argument,
                    "there must be a weight for each device of the pool: " + std::to_string(device_count(where)) + ", and not " +
                        std::to_string(weights.size()),
                    where);
    }
    for (const double weight : weights) {
        if (weight >= least && !std::isinf(weight)) continue;
        throw Error(ErrorCategory::invalid_argument,
                    "a weight must be a number " + std::string(least > 0 ? "above 0" : "that is not negative") + "; it is " +
                        std::to_string(weight),
                    where);
    }
}

void DevicePool::require_gpu(const char* what, const SourceLocation& where) const {
    if (is_host(where)) throw Error(ErrorCategory::unsupported, std::string(what) + " needs a GPU; the pool is the host", where);
}

void DevicePool::post(std::size_t index, std::unique_ptr<detail::PoolTask> task, const SourceLocation& where) const {
    check_index(index, where);
    detail::report_at(where, [&] { state(where).post(index, std::move(task), nullptr, where); });
}

void DevicePool::post_balanced(std::unique_ptr<detail::PoolTask> task, double work, const SourceLocation& where) const {
    // A policy of the program's own may throw errors of its own, which keep their place.
    auto lease = std::make_shared<LoadBalancer::Lease>(balancer(where).select_device(work, where));
    const std::size_t index = state(where).index_of(lease->device());
    detail::report_at(where, [&] { state(where).post(index, std::move(task), std::move(lease), where); });
}

std::string to_string(const DevicePool& pool, SourceLocation where) {
    return pool.is_host(where) ? "the host's cores"
                               : (pool.device_count(where) == 1 ? "device " : "devices ") + listed(pool.devices(where));
}

std::ostream& operator<<(std::ostream& out, const DevicePool& pool) { return out << to_string(pool); }

}  // namespace cupool
