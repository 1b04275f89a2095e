#include "scheduling/cpu_affinity.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace cupool::detail {

namespace {

std::string first_line(const std::string& path) {
    std::string line;
    std::getline(std::ifstream(path), line);
    return line;
}

/// "0-3,8,10-11"
std::vector<int> listed_processors(const std::string& list) {
    std::vector<int> processors;
    std::istringstream ranges(list);
    std::string range;
    while (std::getline(ranges, range, ',')) {
        std::istringstream ends(range);
        int first = 0;
        if (!(ends >> first)) continue;
        int last = first;
        if (ends.get() == '-') ends >> last;
        for (int processor = first; processor <= last; ++processor) processors.push_back(processor);
    }
    return processors;
}

}  // namespace

std::vector<int> processors_near(std::string pci_bus_id, const std::string& sysfs) {
    std::transform(pci_bus_id.begin(), pci_bus_id.end(), pci_bus_id.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::string node = first_line(sysfs + "/bus/pci/devices/" + pci_bus_id + "/numa_node");
    if (node.empty() || node[0] == '-') return {};  // -1: the host has one node only, or does not know
    return listed_processors(first_line(sysfs + "/devices/system/node/node" + node + "/cpulist"));
}

void run_on_processors(const std::vector<int>& processors) noexcept {
    cpu_set_t allowed;
    if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0) return;
    cpu_set_t near;
    CPU_ZERO(&near);
    for (const int processor : processors) {
        if (processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET(processor, &allowed)) CPU_SET(processor, &near);
    }
    if (CPU_COUNT(&near) > 0) (void)pthread_setaffinity_np(pthread_self(), sizeof near, &near);
}

}  // namespace cupool::detail
