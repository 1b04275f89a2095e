#include <algorithm>
#include <atomic>
#include <cupool/driver/device.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/probe.hpp>
#include <cupool/pool/device_pool.hpp>
#include <mutex>
#include <numeric>
#include <optional>
#include <ostream>

namespace cupool {

namespace {

/// A device of the pool, its primary context retained when first asked for.
class Member {
public:
    /// \param driver  null for the host's own, whose contexts the whole process shares
    Member(std::shared_ptr<const Driver> driver, int ordinal) : driver_(std::move(driver)), ordinal_(ordinal) {}

    const DeviceContext& context() {
        // Not std::call_once: it is no place to throw through where the compiler's runtime is linked statically.
        const std::lock_guard lock(mutex_);
        if (!context_) context_ = driver_ ? DeviceContext::for_device(driver_, ordinal_) : DeviceContext::default_for_device(ordinal_);
        return *context_;
    }

private:
    std::shared_ptr<const Driver> driver_;
    int ordinal_;
    std::mutex mutex_;
    std::optional<DeviceContext> context_;
};

std::string listed(const std::vector<int>& ordinals) {
    std::string text;
    for (const int ordinal : ordinals) text += (text.empty() ? "" : ", ") + std::to_string(ordinal);
    return text;
}

std::vector<int> all_ordinals(const Driver& driver) {
    const int count = device_count(driver);
    if (count == 0) throw Error(ErrorCategory::no_device, "the driver shows no device; is CUDA_VISIBLE_DEVICES empty?");
    std::vector<int> ordinals(static_cast<std::size_t>(count));
    std::iota(ordinals.begin(), ordinals.end(), 0);
    return ordinals;
}

void check_ordinals(const Driver& driver, std::span<const int> ordinals) {
    if (ordinals.empty()) throw Error(ErrorCategory::invalid_argument, "a pool needs at least one device; the list is empty");
    const int count = device_count(driver);
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

}  // namespace

class DevicePool::State {
public:
    explicit State(unsigned host_threads) : host_(DeviceContext::host(host_threads)) {}

    State(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals) : ordinals_(ordinals.begin(), ordinals.end()) {
        for (const int ordinal : ordinals) members_.push_back(std::make_unique<Member>(driver, ordinal));
    }

    bool is_host() const { return members_.empty(); }
    const std::vector<int>& ordinals() const { return ordinals_; }
    const DeviceContext& context_at(std::size_t index) const { return is_host() ? host_ : members_[index]->context(); }
    std::size_t next_index() { return static_cast<std::size_t>(counter_.fetch_add(1, std::memory_order_relaxed) % members_.size()); }

private:
    DeviceContext host_;
    std::vector<int> ordinals_;
    std::vector<std::unique_ptr<Member>> members_;
    std::atomic<std::uint64_t> counter_{0};
};

DevicePool::DevicePool(std::shared_ptr<State> state) : state_(std::move(state)) {}

DevicePool DevicePool::all() { return with_devices(all_ordinals(*Driver::system())); }

DevicePool DevicePool::all(const std::shared_ptr<const Driver>& driver) { return with_devices(driver, all_ordinals(*driver)); }

DevicePool DevicePool::all_or_host() {
    const ProbeReport report = probe();
    if (report.forked || report.failed) throw report.error();
    std::vector<int> usable;
    for (const ProbedDevice& device : report.devices) {
        if (device.usable()) usable.push_back(device.ordinal);
    }
    if (usable.empty()) {
        if (detail::logs(LogLevel::info)) {
            detail::log(LogLevel::info, "pool: on the host's cores, as no GPU is usable (" + std::string(to_string(report.reason)) +
                                            "): " + report.explanation);
        }
        return host();
    }
    if (detail::logs(LogLevel::info)) detail::log(LogLevel::info, "pool: on devices " + listed(usable));
    return with_devices(usable);
}

DevicePool DevicePool::host(unsigned threads) { return DevicePool(std::make_shared<State>(threads)); }

DevicePool DevicePool::with_devices(std::span<const int> ordinals) {
    check_ordinals(*Driver::system(), ordinals);
    return DevicePool(std::make_shared<State>(nullptr, ordinals));
}

DevicePool DevicePool::with_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals) {
    check_ordinals(*driver, ordinals);
    return DevicePool(std::make_shared<State>(driver, ordinals));
}

bool DevicePool::is_host() const { return state_->is_host(); }

Engine DevicePool::engine() const { return is_host() ? Engine::host : Engine::gpu; }

std::size_t DevicePool::device_count() const { return is_host() ? 1 : devices().size(); }

int DevicePool::device_at(std::size_t index) const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals");
    if (index >= device_count()) {
        throw Error(ErrorCategory::invalid_argument,
                    "index " + std::to_string(index) + " is past the end of a pool of " + std::to_string(device_count()) + " devices");
    }
    return devices()[index];
}

const DeviceContext& DevicePool::context_at(std::size_t index) const {
    if (index >= device_count()) {
        throw Error(ErrorCategory::invalid_argument,
                    "index " + std::to_string(index) + " is past the end of a pool of " + std::to_string(device_count()) + " devices");
    }
    return state_->context_at(index);
}

const DeviceContext& DevicePool::context(int ordinal) const {
    const auto found = std::find(devices().begin(), devices().end(), ordinal);
    if (found == devices().end()) {
        throw Error(ErrorCategory::invalid_device, "device " + std::to_string(ordinal) + " is not in the pool: " + to_string(*this));
    }
    return state_->context_at(static_cast<std::size_t>(found - devices().begin()));
}

const std::vector<int>& DevicePool::devices() const { return state_->ordinals(); }

int DevicePool::next_device() const {
    if (is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no device ordinals");
    return devices()[state_->next_index()];
}

std::string to_string(const DevicePool& pool) {
    return pool.is_host() ? "the host's cores" : (pool.device_count() == 1 ? "device " : "devices ") + listed(pool.devices());
}

std::ostream& operator<<(std::ostream& out, const DevicePool& pool) { return out << to_string(pool); }

}  // namespace cupool
