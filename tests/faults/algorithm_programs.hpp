#pragma once

#include "world.hpp"

namespace cupool::test {

// What programs() has besides its own: each runs one part of the API. \return whether the answer is right. \throws Error

bool reduce_segments_on_device(World& world);
bool transform_on_device(World& world);
bool operate_on_scalars(World& world);
bool reduce_collectively(World& world);
bool share_out_work(World& world);
bool compute_on_host(World& world);
bool describe_devices(World& world);

}  // namespace cupool::test
