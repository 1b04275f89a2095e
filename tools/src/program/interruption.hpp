#pragma once

namespace cupool::tools {

/// From now on SIGINT and SIGTERM make is_interrupted() true, so that a loop can end in order. A second one ends the process, should the
/// driver hang.
void end_on_signals();

/// Whether there was such a signal.
bool is_interrupted();

}  // namespace cupool::tools
