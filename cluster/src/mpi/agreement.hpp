#pragma once

#include <cstddef>
#include <cupool/cluster/rank_error.hpp>
#include <exception>
#include <string>
#include <vector>

#include "rank_link.hpp"

namespace cupool::detail {

/// What every rank tells all others in a call of all ranks.
struct Contribution {
    std::string call;                 ///< what it calls, with all that must be the same on all ranks
    std::vector<std::byte> payload;   ///< its part of the result
    std::exception_ptr failure = {};  ///< why there is none
};

/// Exchanges contributions: the payloads of all ranks, in their order. All ranks call it, and either it returns on all or it throws on all.
/// It takes about log2(ranks) messages a rank (Bruck et al., IEEE Transactions on Parallel and Distributed Systems 8(11), 1997).
/// \throws the failure of this rank; RankError if another one has failed, or is lost; Error invalid_argument if the calls differ
std::vector<std::vector<std::byte>> agree(RankLink& link, Contribution contribution);

/// Calls function() and returns what it throws; null if nothing. A lost rank is not caught: the others cannot be told anything any more.
template <class Function>
std::exception_ptr failure_of(Function&& function) {
    try {
        function();
        return nullptr;
    } catch (const RankError&) {
        throw;
    } catch (...) {
        return std::current_exception();
    }
}

}  // namespace cupool::detail
