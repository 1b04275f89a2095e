#pragma once

/// \file
/// Which bytes have been written: for each one that tells, beside the memory that it is of.

namespace cupool::ptx {

struct Place;

/// Whether all bytes there have been written.
bool is_initialised(const Place& place);

/// Throws the LaneFault of a read there, where they have not.
[[noreturn]] void report_uninitialised(unsigned lane, const Place& place);

/// They have been now.
void mark_initialised(const Place& place);

}  // namespace cupool::ptx
