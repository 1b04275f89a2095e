#pragma once

/// \file
/// How cupool calls the driver: one load and one or two comparisons around the raw call.

#include <cupool/driver/detail/process_phase.hpp>
#include <cupool/driver/driver.hpp>
#include <string>

namespace cupool::detail {

/// The ordinal that stands for no particular device.
inline constexpr int no_ordinal = -1;

/// Copies a location for a function that throws. The copy lets the compiler materialise the
/// location on the failing path only.
inline SourceLocation copy_of(const SourceLocation& where) { return {where.file, where.line, where.function}; }

/// Throws the reason why the entry point cannot be called: forked, shutdown or unsupported.
[[noreturn]] void refuse_call(const Driver& driver, const EntryPointInfo& entry_point, int ordinal, const SourceLocation& where);

/// Throws the Error for a failed status. \param message  details beyond the status; may be empty
[[noreturn]] void throw_failed_call(const Driver& driver, const EntryPointInfo& entry_point, abi::Status result, int ordinal,
                                    const SourceLocation& where, const std::string& message);
/// The same; for a status unknown to this build the message contains the driver's name for it.
[[noreturn]] void throw_failed_call(const Driver& driver, const EntryPointInfo& entry_point, abi::Status result, int ordinal,
                                    const SourceLocation& where);

/// Logs a failed call of a destructor.
void log_failed_call(const EntryPointInfo& entry_point, abi::Status result, int ordinal) noexcept;

/// Logs the exception that a destructor is handling.
void log_current_exception() noexcept;

/// The ordinal of an int or of an object that has one. An object is asked only on the failing path.
inline int ordinal_of(int ordinal) { return ordinal; }
template <class Owner>
inline int ordinal_of(const Owner& owner) {
    return owner.ordinal();
}

/// Whether an open driver may lack the entry point.
template <auto Member>
inline constexpr bool may_be_missing = entry_point_info<Member>.need == EntryPointInfo::optional;

/// Calls an entry point and returns its status. \param ordinal  that of the device, or an object
/// that has one
/// \throws Error forked, shutdown, unsupported (the driver has no such entry point)
template <auto Member, class Ordinal, class... Arguments>
inline abi::Status invoke(const Driver& driver, const Ordinal& ordinal, const SourceLocation& where, Arguments... arguments) {
    const auto function = driver.api().*Member;
    if (process_phase.load(std::memory_order_relaxed) != running || (may_be_missing<Member> && function == nullptr)) [[unlikely]]
        refuse_call(driver, entry_point_info<Member>, ordinal_of(ordinal), copy_of(where));
    return function(arguments...);
}

/// Calls an entry point. \throws Error for every status but success, and what invoke() throws
template <auto Member, class Ordinal, class... Arguments>
inline void call(const Driver& driver, const Ordinal& ordinal, const SourceLocation& where, Arguments... arguments) {
    const abi::Status result = invoke<Member>(driver, ordinal, where, arguments...);
    if (result != abi::Status::success) [[unlikely]]
        throw_failed_call(driver, entry_point_info<Member>, result, ordinal_of(ordinal), copy_of(where));
}

/// Whether destructors must leak: the process may no longer call the driver.
inline bool must_leak() noexcept { return process_phase.load(std::memory_order_relaxed) != running; }

/// Calls an entry point from a destructor. It logs failures, and does nothing after fork or exit.
template <auto Member, class... Arguments>
inline void call_from_destructor(const Driver& driver, int ordinal, Arguments... arguments) noexcept {
    const auto function = driver.api().*Member;
    if (must_leak() || function == nullptr) return;
    const abi::Status result = function(arguments...);
    if (result != abi::Status::success) [[unlikely]]
        log_failed_call(entry_point_info<Member>, result, ordinal);
}

}  // namespace cupool::detail
