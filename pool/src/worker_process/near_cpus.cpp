#include "near_cpus.hpp"

#include <charconv>
#include <cupool/driver/detail/pci_device_name.hpp>
#include <fstream>
#include <sstream>
#include <string_view>

namespace cupool::detail {

namespace {

/// \return whether `text` begins with a number, which is then taken from it
bool take_number(std::string_view& text, int& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// Adds "3" or "0-15" to a set. \return false where it is neither, or beyond what the set holds
bool add_range(std::string_view text, cpu_set_t& cpus) {
    int first = 0;
    if (!take_number(text, first)) return false;
    int last = first;
    if (text.starts_with('-')) {
        text.remove_prefix(1);
        if (!take_number(text, last)) return false;
    }
    if (!text.empty() || first < 0 || last < first || last >= CPU_SETSIZE) return false;
    for (int cpu = first; cpu <= last; ++cpu) CPU_SET(static_cast<std::size_t>(cpu), &cpus);
    return true;
}

}  // namespace

std::optional<cpu_set_t> cpus_near(const std::string& pci_bus_id, const std::string& devices) {
    const std::string name = sysfs_name_of_pci_device(pci_bus_id);
    if (name.empty()) return std::nullopt;
    std::ifstream file(devices + "/" + name + "/local_cpulist");
    std::string list;
    if (!std::getline(file, list)) return std::nullopt;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    std::istringstream ranges(list);
    for (std::string range; std::getline(ranges, range, ',');) {
        if (!add_range(range, cpus)) return std::nullopt;
    }
    return CPU_COUNT(&cpus) > 0 ? std::optional(cpus) : std::nullopt;
}

void keep_on(pid_t process, const cpu_set_t& cpus) {
    cpu_set_t own;
    CPU_ZERO(&own);
    if (::sched_getaffinity(process, sizeof(own), &own) != 0) return;
    CPU_AND(&own, &own, &cpus);
    if (CPU_COUNT(&own) > 0) (void)::sched_setaffinity(process, sizeof(own), &own);
}

}  // namespace cupool::detail
