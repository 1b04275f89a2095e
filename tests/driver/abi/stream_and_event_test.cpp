// The declarations of <cupool/driver/abi/stream_and_event.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

static_assert(is_compatible<HostFunction, CUhostFn>());

// clang-format off
CUPOOL_NUMBER(StreamFlags::blocking, CU_STREAM_DEFAULT)
CUPOOL_NUMBER(StreamFlags::non_blocking, CU_STREAM_NON_BLOCKING)
CUPOOL_NUMBER(EventFlags::timing, CU_EVENT_DEFAULT)
CUPOOL_NUMBER(EventFlags::blocking_sync, CU_EVENT_BLOCKING_SYNC)
CUPOOL_NUMBER(EventFlags::disable_timing, CU_EVENT_DISABLE_TIMING)
CUPOOL_NUMBER(EventFlags::interprocess, CU_EVENT_INTERPROCESS)
CUPOOL_NUMBER(EventRecordFlags::none, CU_EVENT_RECORD_DEFAULT)
CUPOOL_NUMBER(EventRecordFlags::external, CU_EVENT_RECORD_EXTERNAL)
CUPOOL_NUMBER(WaitCondition::greater_or_equal, CU_STREAM_WAIT_VALUE_GEQ)
CUPOOL_NUMBER(WaitCondition::equal, CU_STREAM_WAIT_VALUE_EQ)
CUPOOL_NUMBER(WaitCondition::any_bit, CU_STREAM_WAIT_VALUE_AND)
CUPOOL_NUMBER(WaitCondition::not_all_bits, CU_STREAM_WAIT_VALUE_NOR)
CUPOOL_NUMBER(CaptureMode::global, CU_STREAM_CAPTURE_MODE_GLOBAL)
CUPOOL_NUMBER(CaptureMode::this_thread, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
CUPOOL_NUMBER(CaptureMode::relaxed, CU_STREAM_CAPTURE_MODE_RELAXED)
CUPOOL_NUMBER(CaptureStatus::none, CU_STREAM_CAPTURE_STATUS_NONE)
CUPOOL_NUMBER(CaptureStatus::active, CU_STREAM_CAPTURE_STATUS_ACTIVE)
CUPOOL_NUMBER(CaptureStatus::invalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED)
// clang-format on

}  // namespace cupool::abi
