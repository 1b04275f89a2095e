#pragma once

#include <cupool/driver/error.hpp>
#include <string>

namespace cupool {

/// A call of all ranks failed because of another rank. Its category is worker_lost.
class RankError : public Error {
public:
    /// What happened to the other rank.
    enum class Kind {
        failed,  ///< its part of the call failed, as the message says. The MpiPool goes on: all ranks have ended the call with an error
        lost,    ///< it ended, or does not answer. Every later call of the MpiPool throws the same error
    };

    RankError(Kind kind, int rank, const std::string& message, const SourceLocation& where = SourceLocation::current())
        : Error(ErrorCategory::worker_lost, message, where), kind_(kind), rank_(rank) {}

    /// What happened to it.
    Kind kind() const noexcept { return kind_; }
    /// The other rank; -1 where the calls of MPI fail and nothing tells because of which.
    int rank() const noexcept { return rank_; }

private:
    Kind kind_;
    int rank_;
};

}  // namespace cupool
