#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "message_memory.hpp"
#include "mpi_interface.hpp"
#include "rank_watch.hpp"

namespace cupool::detail {

/// Messages between the ranks of a communicator, with an end: waiting for a message of a rank that is lost throws.
///
/// After a loss no call of MPI is made any more, and the memory of messages on their way is never released, since MPI or another rank may
/// still access it. Thread-safe.
class RankLink {
public:
    using Duration = RankWatch::Duration;

    /// A message on its way.
    class Message;
    using Pending = std::shared_ptr<Message>;

    /// No single message is larger, since MPI counts bytes by int.
    static constexpr std::size_t max_message = std::size_t{1} << 30;

    /// Takes over the communicator, which all its ranks do.
    RankLink(MpiInterface& mpi, MpiInterface::Communicator communicator, Duration heartbeat, Duration silence);
    /// Leaves: a rank that still waits for this one is told that it is gone.
    ~RankLink();
    RankLink(const RankLink&) = delete;
    RankLink& operator=(const RankLink&) = delete;

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    /// All that was sent, since the beginning.
    std::uint64_t bytes_sent() const noexcept { return bytes_sent_.load(); }

    /// Starts a message. Messages of one rank with one tag arrive in order. \throws RankError if a rank is lost
    Pending send(const MessageMemory& memory, int to, int tag);
    /// \throws RankError if a rank is lost
    Pending receive(const MessageMemory& memory, int from, int tag);
    /// Waits for a message. \return its bytes \throws RankError if a rank is lost, or the other one has left
    std::size_t wait(const Pending& message);
    void wait_all(std::span<const Pending> messages);

    /// Calls exchange(), in which messages are on their way that other ranks wait for. If it fails here alone, this rank is lost to the
    /// others, which would wait for ever otherwise.
    template <class Exchange>
    void or_be_lost(Exchange exchange) {
        try {
            exchange();
        } catch (...) {
            watch_.lose(rank_);
            throw;
        }
    }

private:
    using Clock = std::chrono::steady_clock;

    Pending on_its_way(const MessageMemory& memory, int peer);
    void forget(const Message& message);
    void lose(const Message& message, std::string why);
    void require_started(const char* call, int status, const Message& message);
    bool is_done(Message& message);
    void require_answer(const Message& message, Clock::time_point since);
    void require_no_loss();
    std::string reason_of_loss(int rank);
    [[noreturn]] void throw_lost();

    MpiInterface& mpi_;
    MpiInterface::Communicator communicator_;
    const int rank_;
    const int size_;
    const Duration silence_;
    RankWatch watch_;
    std::atomic<std::uint64_t> bytes_sent_{0};
    std::mutex mutex_;
    std::vector<Pending> on_their_way_;
    std::string failed_;  ///< the call of MPI that lost a rank; empty if none has
};

}  // namespace cupool::detail
