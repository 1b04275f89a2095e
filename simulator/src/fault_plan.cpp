#include "fault_plan.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "device_fault.hpp"

namespace cupool::simulator {
namespace {

struct PlannedFault {
    EntryPoint entry_point;
    std::uint64_t calls_until;
    abi::Result result;
    CupoolSimFaultDuration duration;
};

using Plan = std::vector<PlannedFault>;

std::optional<CupoolSimFaultDuration> duration_of(const std::string& name) {
    if (name == "once") {
        return cupool_sim_once;
    }
    if (name == "always") {
        return cupool_sim_always;
    }
    return name == "sticky" ? std::optional(cupool_sim_sticky) : std::nullopt;
}

// ENTRY_POINT:NTH:RESULT:DURATION
std::optional<PlannedFault> parse(const std::string& text) {
    std::istringstream stream(text);
    std::array<std::string, 4> fields;
    for (std::string& field : fields) {
        std::getline(stream, field, ':');
    }
    const auto entry_point = find_entry_point(fields[0]);
    const std::uint64_t nth = std::strtoull(fields[1].c_str(), nullptr, 10);
    const int result = std::atoi(fields[2].c_str());
    const auto duration = duration_of(fields[3]);
    if (!entry_point || nth == 0 || result == 0 || !duration) {
        return std::nullopt;
    }
    return PlannedFault{*entry_point, nth, static_cast<abi::Result>(result), *duration};
}

// What is not understood is not planned.
Plan plan_of_environment() {
    const char* const text = std::getenv("CUPOOL_SIM_FAULTS");
    std::istringstream entries(text == nullptr ? "" : text);
    Plan plan;
    std::string entry;
    while (std::getline(entries, entry, ',')) {
        if (const auto fault = parse(entry)) {
            plan.push_back(*fault);
        }
    }
    return plan;
}

std::mutex plan_mutex;

// Never destroyed: calls may come as long as the process lives.
Plan& the_plan() {
    static auto* const instance = new Plan(plan_of_environment());
    return *instance;
}

}  // namespace

void plan_fault(EntryPoint entry_point, std::uint64_t nth, abi::Result result, CupoolSimFaultDuration duration) {
    const std::lock_guard lock(plan_mutex);
    the_plan().push_back({entry_point, nth, result, duration});
}

void clear_fault_plan() {
    const std::lock_guard lock(plan_mutex);
    the_plan().clear();
}

void reset_fault_plan() {
    const std::lock_guard lock(plan_mutex);
    the_plan() = plan_of_environment();
}

std::optional<abi::Result> planned_fault(EntryPoint entry_point) {
    const std::lock_guard lock(plan_mutex);
    std::optional<abi::Result> due;
    std::erase_if(the_plan(), [&](PlannedFault& fault) {
        if (fault.entry_point != entry_point || (fault.calls_until > 0 && --fault.calls_until > 0)) {
            return false;
        }
        if (!due) {
            due = fault.result;
        }
        if (fault.duration == cupool_sim_sticky) {
            raise_device_fault(fault.result);
        }
        return fault.duration != cupool_sim_always;
    });
    return due;
}

}  // namespace cupool::simulator
