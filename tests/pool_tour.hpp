// Once round all that a pool of devices does, each answer checked: on simulated devices and on real ones, whatever their number.
#pragma once

#include <cupool/pool/device_pool.hpp>

namespace cupool::test {

/// \param pool  of devices, none of them quarantined; as it was before when it returns. \throws std::logic_error, saying what is not so
void tour(const DevicePool& pool);

}  // namespace cupool::test
