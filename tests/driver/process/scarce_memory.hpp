#pragma once

namespace cupool::test {

/// Probes a driver made of functions that answer nothing, over and over, each time with another allocation failing, until none does.
/// \return the exit code for main(): 0 where each probe said what was wrong
int probe_out_of_memory();

}  // namespace cupool::test
