#pragma once

namespace cupool {

/// How an MSM is laid over a pool's devices. A small one takes longer on several than on one: each device has its own launches and its own
/// last doublings, and their sums are to be joined.
enum class MsmSpread {
    automatic,       ///< over as many devices as get 2^16 terms each (of BN254; 2^16 / 2.25 of the curves over 384 bits), in the way that
                     ///< suits size, digits, links and operands (docs/pool.md)
    one_device,      ///< the one that will have finished first; MSMs of many threads so spread over all
    all_devices,     ///< that are not quarantined, as far as there are terms: each sums some of the terms
    shared_windows,  ///< over the same devices, each of which sums a share of all scalars' digits: what a device brings from the host, or
                     ///< has prepared, it hands on to the others, whose memory must hold that, too. Where devices do not reach each other's
                     ///< memory, or bases have several tables, it is all_devices; several MSMs over prepared bases are done so, too,
                     ///< and MSMs with an operand on a device.
};

}  // namespace cupool
