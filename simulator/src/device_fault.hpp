#pragma once

#include <string>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// The fault that every device of the process has died of: success while there is none. From then on every call that
/// touches a device answers it, on all devices, and nothing but a new process (here: a reset) helps.
abi::Result device_fault();

/// Only the first one counts. The report says what happened where, as far as it is known.
void raise_device_fault(abi::Result fault, const std::string& report = {});

/// The report of the fault, empty while there is none.
std::string device_fault_report();

void clear_device_fault();

}  // namespace cupool::simulator
