#pragma once

/// \file
/// Which bytes have been written: for each one that tells, beside the memory that it is of.

namespace cupool::ptx {

struct Place;

/// Throws LaneFault unless all bytes there have been written.
void check_initialised(unsigned lane, const Place& place);

/// They have been now.
void mark_initialised(const Place& place);

}  // namespace cupool::ptx
