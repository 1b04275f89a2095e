#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// The sticky fault of the process, or success. Once it is set, every call that accesses any device returns it, until a new process (here:
/// a reset).
abi::Status device_fault();

/// The same, or the status with which `device` was lost.
abi::Status device_fault(int device);

/// From then on every call that accesses that device returns `fault`, and the device runs no operations.
void lose_device(int device, abi::Status fault);

bool is_any_device_lost();

/// A fault report as a list of strings: a fault must be raised even if there is no memory to concatenate them.
using Report = std::initializer_list<std::string_view>;

/// Only the first fault counts.
void raise_device_fault(abi::Status fault, Report report = {}) noexcept;

/// The same for a fault of an operation of `device`. Ignored if the device has been lost meanwhile.
void raise_device_fault_of(int device, abi::Status fault, Report report = {}) noexcept;

/// Reports a finding of a check. It ends that operation alone; the next call that accesses a device or waits for one returns launch_failed
/// once. Also printed to stderr. Ignored if the device has been lost meanwhile.
void report_finding(int device, Report report) noexcept;

/// Returns launch_failed if there was a finding since the last call, else success.
abi::Status take_finding();

/// Number of findings since the last reset. Marks all of them as read.
std::uint64_t finding_count();

/// Number of findings since the report or count was last queried.
std::uint64_t unread_finding_count();

/// The report of the findings, one per line, and of the fault; empty if there is none. Each line ends with the seed, if there is one. Marks
/// all findings as read.
std::string device_fault_report();

/// Clears the fault and restores lost devices.
void clear_device_fault();

}  // namespace cupool::simulator
