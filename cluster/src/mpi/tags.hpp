#pragma once

namespace cupool::detail {

/// The tags of cupool's messages. Its communicator carries no others.
namespace tags {
inline constexpr int watch = 1;              ///< heartbeats
inline constexpr int agreement = 2;          ///< what all ranks tell each other at the beginning and the end of a call
inline constexpr int data = 3;               ///< of calls of all ranks
inline constexpr int first_of_program = 16;  ///< MpiPool::send(): the program's tag is added
}  // namespace tags

/// MPI allows tags up to at least 32767.
inline constexpr int max_program_tag = 32767 - tags::first_of_program;

}  // namespace cupool::detail
