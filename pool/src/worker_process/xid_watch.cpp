#include "xid_watch.hpp"

#include <signal.h>

#include <algorithm>
#include <cupool/driver/log.hpp>
#include <set>
#include <utility>

namespace cupool::detail {

namespace {

constexpr std::size_t kept_sightings = 64;

/// How long the end of the watch may take.
constexpr std::chrono::milliseconds waiting_time{50};

/// How late an event may come.
constexpr std::chrono::milliseconds patience_with_event{50};

}  // namespace

XidWatch::~XidWatch() {
    is_stopped_ = true;
    if (thread_.joinable()) thread_.join();
}

void XidWatch::load() { library_.emplace(); }

void XidWatch::start(const std::vector<std::string>& pci_bus_ids) {
    std::map<std::string, ManagedDevice> devices;
    for (const std::string& id : pci_bus_ids) {
        if (const auto device = library_->device_at(id)) devices.emplace(id, *device);
    }
    if (devices.empty()) return;
    try {
        is_watching_ = true;
        thread_ = std::thread([this, devices = std::move(devices)] { watch(devices); });
    } catch (const std::exception& error) {  // the pool works without
        is_watching_ = false;
        detail::log(LogLevel::warning, std::string("Xid errors are not watched: ") + error.what());
    }
}

void XidWatch::watch(const std::map<std::string, ManagedDevice>& devices) {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::vector<std::string> ids;
    std::vector<ManagedDevice> handles;
    for (const auto& [id, device] : devices) {
        ids.push_back(id);
        handles.push_back(device);
    }
    XidEvents events(*library_, handles);
    while (events.works() && !is_stopped_) {
        if (const std::optional<XidEvent> event = events.wait(waiting_time)) note({ids[event->device], event->number, Clock::now()});
    }
    is_watching_ = false;
}

void XidWatch::note(Sighting sighting) {
    {
        const std::lock_guard lock(mutex_);
        if (sightings_.size() == kept_sightings) sightings_.erase(sightings_.begin());
        sightings_.push_back(std::move(sighting));
    }
    noted_.notify_all();
}

std::string XidWatch::errors_since(const std::string& pci_bus_id, Clock::time_point begin) const {
    std::set<std::uint64_t> numbers;
    std::unique_lock lock(mutex_);
    const auto collect = [&] {
        for (const Sighting& sighting : sightings_) {
            if (sighting.pci_bus_id == pci_bus_id && sighting.time >= begin) numbers.insert(sighting.number);
        }
        return !numbers.empty();
    };
    if (!collect() && is_watching_) noted_.wait_for(lock, patience_with_event, collect);
    std::string text;
    for (const std::uint64_t number : numbers)
        text += (text.empty() ? "the kernel driver reported Xid " : ", Xid ") + std::to_string(number);
    return text;
}

}  // namespace cupool::detail
