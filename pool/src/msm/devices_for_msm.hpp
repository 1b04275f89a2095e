#pragma once

#include <algorithm>
#include <cstddef>
#include <cupool/kernels/curve.hpp>
#include <cupool/pool/msm_spread.hpp>
#include <cupool/pool/peer_path.hpp>
#include <numeric>
#include <vector>

namespace cupool::detail {

/// The cost of an MSM, in terms of BN254. A field product grows with the square of the limbs, and one of G2 takes three.
template <Curve C>
constexpr double msm_work(std::size_t terms) {
    constexpr double limbs = static_cast<double>(base_field_limbs<C>) / base_field_limbs<Curve::bn254>;
    constexpr double products = base_field_degree<C> == 2 ? 3 : 1;
    return static_cast<double>(terms) * products * limbs * limbs;
}

/// The minimum work of a device. Four H200s gain nothing over one at 2^16 terms; at 2^18 one takes 1.6 ms.
constexpr double min_msm_work = 1 << 16;

/// The number of devices that should divide an MSM. \pre devices > 0
inline std::size_t devices_for_msm(double work, std::size_t devices, MsmSpread spread) {
    switch (spread) {
        case MsmSpread::one_device: return 1;
        case MsmSpread::all_devices:
        case MsmSpread::digit_partition: return devices;
        case MsmSpread::automatic: break;
    }
    const double served = std::min(work / min_msm_work, static_cast<double>(devices));
    return std::max<std::size_t>(1, static_cast<std::size_t>(served));
}

/// Whether a path may forward terms of digit-partitioned MSMs. By default only links with atomics, which are fast, may: on the bus,
/// forwarding would slow down uploads.
inline bool can_forward(const PeerPath& path, MsmSpread spread) {
    if (path.route != PeerRoute::direct) return path.route == PeerRoute::local;
    return spread == MsmSpread::digit_partition || (path.link && path.link->native_atomics);
}

/// The number of MSMs that are distributed whole over devices of these weights; all devices divide the others. If MSMs do not divide
/// evenly, devices divide the rest provided that one MSM can occupy more devices than there are MSMs left.
/// \param devices_of_one  the number of devices that would divide a single MSM
inline std::size_t whole_msms(std::size_t msms, const std::vector<double>& weights, std::size_t devices_of_one) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t whole = 0;
    for (const double weight : weights) {
        // Rounding must not move an exact integer below itself.
        whole += static_cast<std::size_t>(static_cast<double>(msms) * weight / all * (1 + 1e-12));
    }
    whole = std::min(whole, msms);
    return msms - whole < devices_of_one ? whole : msms;
}

}  // namespace cupool::detail
