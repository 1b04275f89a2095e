#pragma once

#include <cupool/pool/load_balancer.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "pool_member.hpp"

namespace cupool::detail {

/// Makes a balancer over the members of a pool. Quarantined members are not available in it.
/// \param policy  null for the default policy
inline std::unique_ptr<LoadBalancer> make_balancer(const std::vector<std::unique_ptr<PoolMember>>& members,
                                                   std::unique_ptr<BalancingPolicy> policy) {
    std::vector<LoadBalancer::Candidate> candidates;
    for (const auto& member : members) candidates.push_back({member->ordinal(), member->capability()});
    auto balancer = std::make_unique<LoadBalancer>(candidates, std::move(policy));
    for (const auto& member : members) balancer->set_available(member->ordinal(), !member->quarantine());
    return balancer;
}

}  // namespace cupool::detail
