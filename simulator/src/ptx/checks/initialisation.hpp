#pragma once

/// \file
/// Which bytes have been written: for each one that tells, beside the memory that it is of.

namespace cupool::ptx {

struct AccessedBytes;

/// Whether all bytes there have been written.
bool is_initialised(const AccessedBytes& accessed);

/// Throws the LaneFault of a read there, where they have not.
[[noreturn]] void report_uninitialised(unsigned lane, const AccessedBytes& accessed);

/// They have been now.
void mark_initialised(const AccessedBytes& accessed);

}  // namespace cupool::ptx
