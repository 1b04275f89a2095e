#pragma once

/// \file
/// Flags and modes of streams, of their capture and of events.

namespace cupool::abi {

/// CUhostFn: a function of the host that a stream or a graph runs.
using HostFunction = void (*)(void* user_data);

/// CUstream_flags.
enum class StreamFlags : unsigned { blocking = 0, non_blocking = 1 };

/// CUevent_flags; a bit set.
enum class EventFlags : unsigned { timing = 0, blocking_sync = 1, disable_timing = 2, interprocess = 4 };

/// CUevent_record_flags.
enum class EventRecordFlags : unsigned { none = 0, external = 1 };

/// CUstreamWaitValue_flags, without the bit that flushes remote writes.
enum class WaitCondition : unsigned { greater_or_equal = 0, equal = 1, any_bit = 2, not_all_bits = 3 };

/// CUstreamCaptureMode.
enum class CaptureMode : int { global = 0, this_thread = 1, relaxed = 2 };

/// CUstreamCaptureStatus.
enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };

}  // namespace cupool::abi
