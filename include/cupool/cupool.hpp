#pragma once

/// \file
/// The common set: all of cupool's public headers but the ABI declarations.

#include <cupool/driver/context.hpp>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/current_device.hpp>
#include <cupool/driver/device.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/driver.hpp>
#include <cupool/driver/error.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/kernel.hpp>
#include <cupool/driver/library_trial.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/memory_pool.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/driver/probe.hpp>
#include <cupool/driver/reason.hpp>
#include <cupool/driver/result.hpp>
#include <cupool/driver/stream.hpp>
#include <cupool/kernels/curve.hpp>
#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/kernels/run_report.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/load_balancer.hpp>
#include <cupool/pool/partitioned_launch.hpp>
#include <cupool/pool/pool_metrics.hpp>
