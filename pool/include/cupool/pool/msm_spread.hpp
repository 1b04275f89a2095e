#pragma once

namespace cupool {

/// How an MSM is laid over a pool's devices. A small one takes longer on several than on one: each device has its own launches and its own
/// last doublings, and their sums are to be joined.
enum class MsmSpread {
    automatic,    ///< over as many devices as get 2^16 terms each (of BN254; 2^16 / 2.25 of the curves over 384 bits)
    one_device,   ///< the one that will have finished first; MSMs of many threads so spread over all
    all_devices,  ///< that are not quarantined, as far as there are terms
};

}  // namespace cupool
