#include "api/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "faults/fault_plan_file.hpp"

namespace cupool::simulator {
namespace {

[[noreturn]] void complain(const std::string& variable, const std::string& complaint) {
    throw MalformedEnvironment(variable + ": " + complaint);
}

// Null if the variable is not set or is empty.
const char* variable_text(const char* variable) {
    const char* const text = std::getenv(variable);
    return text == nullptr || *text == '\0' ? nullptr : text;
}

// Parses the whole text as a number, or returns nullopt.
std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise, std::uint64_t least, std::uint64_t most) {
    const char* const text = variable_text(variable);
    if (text == nullptr) {
        return otherwise;
    }
    const auto value = number(text);
    if (!value || *value < least || *value > most) {
        complain(variable, "\"" + std::string(text) + "\" is no number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return *value;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

void read_checks(Environment& environment) {
    constexpr const char* variable = "CUPOOL_SIM_CHECKS";
    const char* const text = variable_text(variable);
    for (const std::string& name : split(text == nullptr ? "none" : text, ',')) {
        if (name != "all" && name != "none" && name != "initialisation" && name != "races" && name != "ordering" && name != "context") {
            complain(variable, "\"" + name + "\" is none of all, none, initialisation, races, ordering, context");
        }
        environment.checks.initialisation |= name == "all" || name == "initialisation";
        environment.checks.races |= name == "all" || name == "races";
        environment.checks_ordering |= name == "all" || name == "ordering";
        environment.checks_context |= name == "all" || name == "context";
    }
}

// KERNEL or KERNEL:LINE
void read_suppressions(Environment& environment) {
    constexpr const char* variable = "CUPOOL_SIM_SUPPRESS";
    const char* const text = variable_text(variable);
    for (const std::string& entry : split(text == nullptr ? "" : text, ',')) {
        const std::size_t colon = entry.find(':');
        const auto line = colon == std::string::npos ? std::optional<std::uint64_t>(0) : number(entry.substr(colon + 1));
        if (colon == 0 || entry.empty() || !line || *line > std::numeric_limits<int>::max()) {
            complain(variable, "\"" + entry + "\" is not KERNEL or KERNEL:LINE");
        }
        environment.suppressions.push_back({entry.substr(0, colon), static_cast<int>(*line)});
    }
}

void read_contraction(Environment& environment) {
    constexpr const char* variable = "CUPOOL_SIM_CONTRACTION";
    const char* const text = variable_text(variable);
    const std::string name = text == nullptr ? "on" : text;
    if (name != "on" && name != "off") {
        complain(variable, "\"" + name + "\" is neither on nor off");
    }
    environment.contraction = name == "on";
}

// ENTRY_POINT:NTH:RESULT:DURATION
PlannedFault parse_fault_entry(const std::string& text) {
    const std::vector<std::string> fields = split(text, ':');
    if (fields.size() != 4 || !number(fields[1]) || !number(fields[2]) || !duration_named(fields[3]) ||
        *number(fields[2]) > std::numeric_limits<int>::max()) {
        throw MalformedFault("not ENTRY_POINT:NTH:RESULT:once|always|sticky|lost");
    }
    SimulatedFault fault;
    fault.call = fields[0];
    fault.nth = *number(fields[1]);
    fault.result = static_cast<int>(*number(fields[2]));
    fault.duration = *duration_named(fields[3]);
    return parse_fault(fault);
}

void add_faults(FaultPlan& plan) {
    constexpr const char* variable = "CUPOOL_SIM_FAULTS";
    const char* const text = variable_text(variable);
    for (const std::string& entry : split(text == nullptr ? "" : text, ',')) {
        try {
            plan.push_back(parse_fault_entry(entry));
        } catch (const MalformedFault& error) {
            complain(variable, "\"" + entry + "\": " + error.what());
        }
    }
}

void add_plan(Environment& environment) {
    constexpr const char* variable = "CUPOOL_SIM_PLAN";
    const char* const path = variable_text(variable);
    if (path == nullptr) {
        return;
    }
    try {
        FaultPlanFile file = read_fault_plan(path);
        environment.driver_version = file.driver_version.value_or(environment.driver_version);
        environment.faults = std::move(file.faults);
    } catch (const MalformedFault& error) {
        complain(variable, error.what());
    }
}

}  // namespace

Environment read_environment() {
    Environment environment;
    environment.device_count = static_cast<int>(number_of("CUPOOL_SIM_DEVICES", 1, 0, max_devices));
    environment.driver_version = static_cast<int>(number_of("CUPOOL_SIM_DRIVER_VERSION", 13000, 1000, std::numeric_limits<int>::max()));
    environment.seed = number_of("CUPOOL_SIM_SEED", 0, 0, std::numeric_limits<std::uint64_t>::max());
    environment.budget.warp_instructions =
        number_of("CUPOOL_SIM_KERNEL_INSTRUCTIONS", KernelBudget{}.warp_instructions, 1, std::numeric_limits<std::uint64_t>::max());
    environment.budget.seconds =
        static_cast<double>(number_of("CUPOOL_SIM_KERNEL_SECONDS", static_cast<std::uint64_t>(KernelBudget{}.seconds), 1, 1'000'000));
    read_checks(environment);
    read_suppressions(environment);
    read_contraction(environment);
    add_plan(environment);
    add_faults(environment.faults);
    return environment;
}

}  // namespace cupool::simulator
