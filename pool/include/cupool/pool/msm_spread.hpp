#pragma once

namespace cupool {

/// How the devices of a pool divide an MSM. A small one takes longer on several devices than on one: each device has its own launches and
/// final doublings, and the host joins their sums.
enum class MsmSpread {
    automatic,        ///< on as many devices as can have 2^16 terms each (BN254; 2^16 / 2.25 for curves over 384 bits), divided as suits
                      ///< size, digits, links and operands (docs/pool.md)
    one_device,       ///< on the device that would finish first, so that MSMs of many threads spread over all
    all_devices,      ///< on all devices that are not quarantined, at most one a term: each sums all digits of some terms
    digit_partition,  ///< on the same devices: each sums some digits of all terms. A device forwards the terms that it uploads, or has
                      ///< prepared, to the others, whose memory must hold them, too. Acts as all_devices if devices cannot access each
                      ///< other's memory, if bases have several tables, for several MSMs over prepared bases, and for operands on devices
};

}  // namespace cupool
