#pragma once

#include <sched.h>
#include <sys/types.h>

#include <optional>
#include <string>

namespace cupool::detail {

/// The CPUs nearest to a device: those of its NUMA node, by sysfs (local_cpulist, see "sysfs-bus-pci" in the kernel's ABI documentation).
/// \param pci_bus_id  "domain:bus:device.function", hexadecimal; from a worker, and so checked
/// \param devices  the folder of PCI devices
/// \return nullopt where sysfs does not tell
std::optional<cpu_set_t> cpus_near(const std::string& pci_bus_id, const std::string& devices = "/sys/bus/pci/devices");

/// Lets the main thread of a process, and all that it starts from now on, run only on those of its CPUs that are among these. Does nothing
/// where none is: a container may have only CPUs of another node.
void keep_on(pid_t process, const cpu_set_t& cpus);

}  // namespace cupool::detail
