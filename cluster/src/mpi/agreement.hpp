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

/// What a failure says, with its category but without its location, which is the failing rank's; empty only if there is none.
std::string failure_text(const std::exception_ptr& failure);

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

/// The first failure of the copies of a transfer. The messages of the transfer go on after one, with whatever they have, since the other
/// ranks wait for them; in the end all ranks are told.
class FirstFailure {
public:
    /// Calls copy(), unless there was a failure before.
    template <class Copy>
    void guard(Copy copy) {
        if (!failure_) failure_ = failure_of(copy);
    }
    const std::exception_ptr& get() const noexcept { return failure_; }

private:
    std::exception_ptr failure_;
};

/// A call in which arrays travel: prepare() checks them and gets memory, transfer(failure) moves them. Each ends on all ranks alike.
template <class Prepare, class Transfer>
void transfer_between_ranks(RankLink& link, const std::string& call, Prepare prepare, Transfer transfer) {
    agree(link, {call, {}, failure_of(prepare)});
    FirstFailure failure;
    link.or_be_lost([&] { transfer(failure); });
    agree(link, {"the end of " + call, {}, failure.get()});
}

}  // namespace cupool::detail
