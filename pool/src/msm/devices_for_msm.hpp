#pragma once

#include <algorithm>
#include <cstddef>
#include <cupool/kernels/curve.hpp>
#include <cupool/pool/msm_spread.hpp>
#include <cupool/pool/peer_path.hpp>
#include <numeric>
#include <vector>

namespace cupool::detail {

/// What an MSM costs, in terms of BN254: a product of field elements grows with the square of their limbs, and one of G2 takes three.
template <Curve C>
constexpr double msm_work(std::size_t terms) {
    constexpr double limbs = static_cast<double>(base_field_limbs<C>) / base_field_limbs<Curve::bn254>;
    constexpr double products = base_field_degree<C> == 2 ? 3 : 1;
    return static_cast<double>(terms) * products * limbs * limbs;
}

/// The least work that a device is bothered with. Four H200s gain nothing over one at 2^16 terms; at 2^18 one takes 1.6 ms.
constexpr double min_msm_work = 1 << 16;

/// How many of so many devices are to share an MSM. \pre devices > 0
inline std::size_t devices_for_msm(double work, std::size_t devices, MsmSpread spread) {
    switch (spread) {
        case MsmSpread::one_device: return 1;
        case MsmSpread::all_devices:
        case MsmSpread::shared_windows: return devices;
        case MsmSpread::automatic: break;
    }
    const double served = std::min(work / min_msm_work, static_cast<double>(devices));
    return std::max<std::size_t>(1, static_cast<std::size_t>(served));
}

/// Whether terms of MSMs whose windows are shared may be handed on that way. By itself a pool does so over links alone, which have atomics
/// and are fast; on the bus, what is handed on would be in the way of what is brought.
inline bool can_forward(const PeerPath& path, MsmSpread spread) {
    if (path.route != PeerRoute::direct) return path.route == PeerRoute::local;
    return spread == MsmSpread::shared_windows || (path.link && path.link->native_atomics);
}

/// How many of several MSMs are to be shared out whole among devices of these weights; the others are each for all devices. Where they do
/// not come out even, the rest is done together if an MSM can occupy more devices than there are MSMs left.
/// \param devices_of_one  how many devices an MSM by itself would take
inline std::size_t whole_msms(std::size_t msms, const std::vector<double>& weights, std::size_t devices_of_one) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t whole = 0;
    for (const double weight : weights) {
        // A quotient that is a whole number must not fall below it by rounding.
        whole += static_cast<std::size_t>(static_cast<double>(msms) * weight / all * (1 + 1e-12));
    }
    whole = std::min(whole, msms);
    return msms - whole < devices_of_one ? whole : msms;
}

}  // namespace cupool::detail
