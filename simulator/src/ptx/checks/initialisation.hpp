#pragma once

/// \file
/// The initialisation check: shadow memory records which bytes have been written.

namespace cupool::ptx {

struct AccessedBytes;

/// Whether all accessed bytes have been written.
bool is_initialised(const AccessedBytes& accessed);

/// Throws the LaneFault of an uninitialised read.
[[noreturn]] void report_uninitialised(unsigned lane, const AccessedBytes& accessed);

/// Marks the accessed bytes as written.
void mark_initialised(const AccessedBytes& accessed);

}  // namespace cupool::ptx
