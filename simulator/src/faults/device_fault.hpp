#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// The fault that every device of the process has died of: success while there is none. From then on every call that
/// touches a device answers it, on all devices, and nothing but a new process (here: a reset) helps.
abi::Status device_fault();

/// The same, or what the device was lost with.
abi::Status device_fault(int device);

/// From then on every call that reaches for that one device answers `fault`, and the device runs nothing.
void lose_device(int device, abi::Status fault);

bool is_any_device_lost();

/// What happened where, as far as it is known, in pieces: a fault is raised also when there is no memory to join them.
using Report = std::initializer_list<std::string_view>;

/// Only the first one counts.
void raise_device_fault(abi::Status fault, Report report = {}) noexcept;

/// The same for what a device's work met; nothing where the device was lost meanwhile, since what it was at then is nobody's any more.
void raise_device_fault_of(int device, abi::Status fault, Report report = {}) noexcept;

/// What a check found in a device's work. It ends that work alone, and is answered once, as launch_failed, by the
/// next call that reaches for a device or waits for one. Goes to stderr too. Nothing where the device was lost meanwhile.
void report_finding(int device, Report report) noexcept;

/// launch_failed if something was found since the last time, else success.
abi::Status take_finding();

/// Since the last reset. All of them count as read from then on.
std::uint64_t finding_count();

/// Findings made since somebody last asked for their report or count.
std::uint64_t unread_finding_count();

/// The report of the findings, a line each, and of the fault; empty while there is none. Each ends with the seed, if
/// there is one. All findings count as read from then on.
std::string device_fault_report();

/// Lost devices come back, too.
void clear_device_fault();

}  // namespace cupool::simulator
