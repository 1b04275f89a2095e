#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "mpi_interface.hpp"

namespace cupool::detail {

/// Finds out which rank of a communicator ends or stops answering. A thread sends a heartbeat to the next rank, expects those of the
/// previous one, and tells all others when they stop coming: MPI itself does not report that a process has died.
///
/// Every rank must have one. Thread-safe.
class RankWatch {
public:
    using Duration = std::chrono::steady_clock::duration;

    /// \param heartbeat  the time between two heartbeats \param silence  without heartbeats for this long a rank is lost
    RankWatch(MpiInterface& mpi, MpiInterface::Communicator communicator, Duration heartbeat, Duration silence);
    /// See leave().
    ~RankWatch();
    RankWatch(const RankWatch&) = delete;
    RankWatch& operator=(const RankWatch&) = delete;

    /// Whether a rank is lost. Then the watch makes no call of MPI any more, or will not within a second: see await_end().
    bool has_lost() const noexcept { return lost_.load() != nobody; }
    /// The lost rank. \pre has_lost()
    int lost() const noexcept { return lost_.load(); }
    /// Whether a rank has announced that it leaves.
    bool has_left(int rank) const noexcept { return left_[static_cast<std::size_t>(rank)].load(); }
    /// Marks a rank as lost, for a reason that the caller has found.
    void lose(int rank);
    /// Waits until the watch makes no call of MPI any more. \pre has_lost()
    void await_end();
    /// Tells the other ranks that this one leaves, and ends the watch. A loss may still be noticed before it returns.
    void leave();

private:
    enum class Kind : int { heartbeat, lost, left };
    struct Message {
        Kind kind;
        int rank;
    };
    /// A message on its way. After a loss it stays in memory for ever: MPI may still access it.
    struct Sent {
        Message message;
        MpiInterface::Request request = nullptr;
    };
    using Clock = std::chrono::steady_clock;

    static constexpr int nobody = -2;

    void run() noexcept;
    void watch();
    void say_goodbye();
    void expect();
    void take_arrived();
    void take(const Message& message);
    void send(int to, Message message);
    void tell_all(Message message);
    /// Forgets the messages that have arrived. \return whether all have
    bool forget_arrived();
    void await_farewell();
    int neighbour(int step) const;

    MpiInterface& mpi_;
    MpiInterface::Communicator communicator_;
    const int rank_;
    const int size_;
    const Duration heartbeat_;
    const Duration silence_;
    std::atomic<int> lost_{nobody};
    std::vector<std::atomic<bool>> left_;

    // Of the thread alone.
    Sent* expected_ = new Sent;
    bool was_told_ = false;
    std::vector<Clock::time_point> heard_;
    int watched_ = nobody;
    std::vector<Sent*> sent_;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_leaving_ = false;
    bool has_ended_ = false;
    std::thread thread_;
};

}  // namespace cupool::detail
