#include "faults/fault_plan_file.hpp"

#include <cstdint>
#include <fstream>
#include <ios>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

namespace cupool::simulator {
namespace {

using Json = nlohmann::json;

void demand(bool condition, const std::string& complaint) {
    if (!condition) {
        throw MalformedFault(complaint);
    }
}

std::string text_of(const std::string& member, const Json& value) {
    demand(value.is_string(), member + ": a string");
    return value.get<std::string>();
}

std::uint64_t count_of(const std::string& member, const Json& value) {
    demand(value.is_number_unsigned(), member + ": a whole number that is not negative");
    return value.get<std::uint64_t>();
}

int integer_of(const std::string& member, const Json& value) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    demand(value.is_number_integer() && value >= -most && value <= most, member + ": a whole number");
    return value.get<int>();
}

double number_of(const std::string& member, const Json& value) {
    demand(value.is_number(), member + ": a number");
    return value.get<double>();
}

CupoolSimFaultDuration duration_of(const std::string& member, const Json& value) {
    const auto duration = duration_named(text_of(member, value));
    demand(duration.has_value(), member + ": once, always, sticky or lost");
    return *duration;
}

void set_member(SimulatedFault& fault, const std::string& member, const Json& value) {
    if (member == "call") {
        fault.call = text_of(member, value);
    } else if (member == "kernel") {
        fault.kernel = text_of(member, value);
    } else if (member == "device") {
        fault.device = integer_of(member, value);
    } else if (member == "nth") {
        fault.nth = count_of(member, value);
    } else if (member == "result") {
        fault.result = integer_of(member, value);
    } else if (member == "duration") {
        fault.duration = duration_of(member, value);
    } else if (member == "times_slower") {
        fault.times_slower = number_of(member, value);
    } else if (member == "milliseconds") {
        fault.milliseconds = number_of(member, value);
    } else if (member == "memory_left") {
        fault.memory_left = count_of(member, value);
    } else {
        demand(false, member + ": unknown");
    }
}

PlannedFault fault_of(const Json& object) {
    demand(object.is_object(), "an object");
    SimulatedFault fault;
    for (const auto& [member, value] : object.items()) {
        set_member(fault, member, value);
    }
    return parse_fault(fault);
}

FaultPlan faults_of(const Json& list) {
    demand(list.is_array(), "faults: a list");
    FaultPlan faults;
    for (const Json& object : list) {
        try {
            faults.push_back(fault_of(object));
        } catch (const MalformedFault& error) {
            throw MalformedFault("faults[" + std::to_string(faults.size()) + "]: " + error.what());
        }
    }
    return faults;
}

// The JSON parser keeps the last of duplicate members.
Json::parser_callback_t refuse_repeated_members() {
    auto open_objects = std::make_shared<std::vector<std::set<std::string>>>();
    return [open_objects](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) {
            open_objects->emplace_back();
        } else if (event == Json::parse_event_t::object_end) {
            open_objects->pop_back();
        } else if (event == Json::parse_event_t::key) {
            demand(open_objects->back().insert(parsed.get<std::string>()).second, parsed.get<std::string>() + ": given twice");
        }
        return true;
    };
}

FaultPlanFile plan_of(const Json& document) {
    demand(document.is_object(), "an object");
    FaultPlanFile plan;
    for (const auto& [member, value] : document.items()) {
        if (member == "driver_version") {
            plan.driver_version = integer_of(member, value);
            demand(*plan.driver_version >= 1000, "driver_version: at least 1000, as in 12040");
        } else if (member == "faults") {
            plan.faults = faults_of(value);
        } else {
            demand(false, member + ": unknown");
        }
    }
    return plan;
}

}  // namespace

FaultPlanFile read_fault_plan(const std::string& path) {
    std::ifstream file(path);
    demand(file.good(), path + ": cannot be read");
    try {
        return plan_of(Json::parse(file, refuse_repeated_members()));
    } catch (const Json::exception& error) {
        throw MalformedFault(path + ": " + error.what());
    } catch (const std::ios_base::failure&) {  // a directory can be opened but not read
        throw MalformedFault(path + ": cannot be read");
    } catch (const MalformedFault& error) {
        throw MalformedFault(path + ": " + error.what());
    }
}

}  // namespace cupool::simulator
