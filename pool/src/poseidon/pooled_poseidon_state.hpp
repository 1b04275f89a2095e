#pragma once

#include <cupool/pool/pooled_poseidon.hpp>

#include "per_member.hpp"

namespace cupool::detail {

/// What the copies of a PooledPoseidon share.
template <Curve C>
struct PooledPoseidonState {
    PooledPoseidonState(const DevicePool& own_pool, Poseidon<C> own_on_host)
        : pool(own_pool), on_host(std::move(own_on_host)), poseidons(pool.device_count()) {}

    const Poseidon<C>& at(std::size_t member, const DeviceContext& context) {
        return poseidons.at(member, [&] { return Poseidon<C>(on_host.variant(), on_host.width(), context); });
    }

    DevicePool pool;
    Poseidon<C> on_host;  ///< which has the variant and the width
    PerMember<Poseidon<C>> poseidons;
};

}  // namespace cupool::detail
