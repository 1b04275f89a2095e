#pragma once

#include <cupool/pool/pooled_ntt.hpp>

#include "per_member.hpp"

namespace cupool::detail {

/// What the copies of a PooledNttDomain share.
template <Curve C>
struct PooledNttDomainState {
    PooledNttDomainState(const DevicePool& own_pool, NttDomain<C> own_on_host)
        : pool(own_pool), on_host(std::move(own_on_host)), domains(pool.device_count()) {}

    const NttDomain<C>& at(std::size_t member, const DeviceContext& context) {
        return domains.at(member, [&] { return NttDomain<C>(on_host.size(), on_host.root(), context); });
    }

    DevicePool pool;
    NttDomain<C> on_host;  ///< which has the size and the root
    PerMember<NttDomain<C>> domains;
};

}  // namespace cupool::detail
