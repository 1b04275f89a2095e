#pragma once

#include <algorithm>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/pool/division.hpp>
#include <cupool/pool/msm_spread.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "msm/base_tables.hpp"

namespace cupool::detail {

/// The state that copies of PooledBases share. Does not change once the bases are prepared.
template <Curve C>
struct PooledBasesState {
    /// What one device has.
    struct Part {
        std::size_t member;  ///< index in the pool
        Slice terms;
        std::optional<PreparedBases<C>> bases;
    };

    /// \param user  the pool that is asked for an MSM \param terms  of each MSM
    /// \throws Error wrong_context if another pool prepared the bases, invalid_argument if there are fewer bases than terms
    void check(const std::shared_ptr<const void>& user, std::size_t terms) const;

    /// Checks the configuration of one MSM and completes it with what the bases determine. \param scalars  of the first part
    /// \throws Error as cupool::msm() does
    MsmConfig checked(MsmConfig config, std::span<const Scalar> scalars) const;

    /// How one MSM over divided bases may be spread. With several tables a device has the multiples of its own terms only.
    MsmSpread spread_of_one() const { return tables_at(parts[0].member).table_count == 1 ? spread : MsmSpread::all_devices; }

    const BaseTables<C>& tables_at(std::size_t member) const { return tables_of(*part_of(member)->bases); }

    /// Null if the member has no bases.
    const Part* part_of(std::size_t member) const {
        const auto found = std::find_if(parts.begin(), parts.end(), [=](const Part& part) { return part.member == member; });
        return found == parts.end() ? nullptr : &*found;
    }

    ProcessMark process;
    std::weak_ptr<const void> pool;
    std::size_t size = 0;
    bool is_sharded = false;
    MsmSpread spread = MsmSpread::automatic;  ///< as passed to prepare()
    std::vector<Part> parts;                  ///< in the pool's order
};

}  // namespace cupool::detail
