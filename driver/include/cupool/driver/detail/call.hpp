#pragma once

/// \file
/// How cupool calls the driver: the raw call, one load and a comparison or two.

#include <cupool/driver/detail/process_phase.hpp>
#include <cupool/driver/driver.hpp>
#include <string>

namespace cupool::detail {

/// Stands for "no device in particular".
inline constexpr int no_ordinal = -1;

/// A copy for those who throw: where only copies are referred to, the location itself is put together on no other path.
inline SourceLocation copy_of(const SourceLocation& where) { return {where.file, where.line, where.function}; }

/// Throws why the entry point may not, or cannot, be called: forked, shutdown, unsupported.
[[noreturn]] void refuse_call(const Driver& driver, const EntryPointInfo& entry_point, int ordinal, const SourceLocation& where);

/// Throws the Error for a driver's answer. \param message  what cupool knows beyond the answer; may be empty
[[noreturn]] void throw_failed_call(const Driver& driver, const EntryPointInfo& entry_point, abi::Status result, int ordinal,
                                    const SourceLocation& where, const std::string& message);
/// The same, with the driver's own name for the answer where this build knows none.
[[noreturn]] void throw_failed_call(const Driver& driver, const EntryPointInfo& entry_point, abi::Status result, int ordinal,
                                    const SourceLocation& where);

/// Logs a failure that a destructor met.
void log_failed_call(const EntryPointInfo& entry_point, abi::Status result, int ordinal) noexcept;

/// Logs the exception being handled, which a destructor met.
void log_current_exception() noexcept;

/// What has an ordinal is asked for it where something fails, and only there.
inline int ordinal_of(int ordinal) { return ordinal; }
template <class Owner>
inline int ordinal_of(const Owner& owner) {
    return owner.ordinal();
}

/// Whether a driver that is open may lack the entry point.
template <auto Member>
inline constexpr bool may_be_missing = entry_point_info<Member>.need == EntryPointInfo::optional;

/// Calls an entry point and returns its answer. \param ordinal  the device's, or what has one
/// \throws Error forked, shutdown, unsupported (the driver has no such entry point)
template <auto Member, class Ordinal, class... Arguments>
inline abi::Status invoke(const Driver& driver, const Ordinal& ordinal, const SourceLocation& where, Arguments... arguments) {
    const auto function = driver.api().*Member;
    if (process_phase.load(std::memory_order_relaxed) != running || (may_be_missing<Member> && function == nullptr)) [[unlikely]] {
        refuse_call(driver, entry_point_info<Member>, ordinal_of(ordinal), copy_of(where));
    }
    return function(arguments...);
}

/// Calls an entry point. \throws Error for every answer but success, and what invoke() throws.
template <auto Member, class Ordinal, class... Arguments>
inline void call(const Driver& driver, const Ordinal& ordinal, const SourceLocation& where, Arguments... arguments) {
    const abi::Status result = invoke<Member>(driver, ordinal, where, arguments...);
    if (result != abi::Status::success) [[unlikely]] {
        throw_failed_call(driver, entry_point_info<Member>, result, ordinal_of(ordinal), copy_of(where));
    }
}

/// Whether destructors must leave everything as it is: the driver is not ours to call any more.
inline bool must_leak() noexcept { return process_phase.load(std::memory_order_relaxed) != running; }

/// Calls an entry point from a destructor: not at all after fork or exit; failures are logged.
template <auto Member, class... Arguments>
inline void call_from_destructor(const Driver& driver, int ordinal, Arguments... arguments) noexcept {
    const auto function = driver.api().*Member;
    if (must_leak() || function == nullptr) {
        return;
    }
    const abi::Status result = function(arguments...);
    if (result != abi::Status::success) [[unlikely]] {
        log_failed_call(entry_point_info<Member>, result, ordinal);
    }
}

}  // namespace cupool::detail
