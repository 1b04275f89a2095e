#include "rank_link.hpp"

#include <algorithm>
#include <cupool/cluster/rank_error.hpp>
#include <thread>
#include <utility>

#include "mpi_library.hpp"
#include "tags.hpp"

namespace cupool::detail {

class RankLink::Message {
public:
    Message(MessageMemory used_memory, int other_rank) : memory(std::move(used_memory)), peer(other_rank) {}

    const MessageMemory memory;  ///< MPI uses it until the message is done
    const int peer;
    MpiInterface::Request request = nullptr;
    bool is_done = false;
    std::size_t bytes = 0;
};

namespace {

std::string milliseconds(RankLink::Duration time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

/// Polls without a break at first, since MPI moves a message only while it is polled; then sleeps, as the other rank seems to compute.
void pause(RankLink::Duration waited) {
    if (waited < std::chrono::milliseconds(5)) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(waited < std::chrono::milliseconds(100) ? 20 : 200));
}

}  // namespace

RankLink::RankLink(MpiInterface& mpi, MpiInterface::Communicator communicator, Duration heartbeat, Duration silence)
    : mpi_(mpi),
      communicator_(communicator),
      rank_(mpi.rank(communicator)),
      size_(mpi.size(communicator)),
      silence_(silence),
      watch_(mpi, communicator, heartbeat, silence) {
    MpiLibrary::leave_at_exit(this, [this] {
        watch_.leave();
        if (watch_.has_lost()) MpiLibrary::leave_unfinalized();
    });
}

RankLink::~RankLink() {
    MpiLibrary::forget(this);
    watch_.leave();
    if (!watch_.has_lost() && on_their_way_.empty()) {
        if (!mpi_.is_finalized()) mpi_.release(communicator_);
        return;
    }
    MpiLibrary::leave_unfinalized();
    new std::vector<Pending>(std::move(on_their_way_));  // never released: see above
}

RankLink::Pending RankLink::on_its_way(const MessageMemory& memory, int peer) {
    require_no_loss();
    auto message = std::make_shared<Message>(memory, peer);
    const std::lock_guard lock(mutex_);
    on_their_way_.push_back(message);
    return message;
}

void RankLink::forget(const Message& message) {
    const std::lock_guard lock(mutex_);
    const auto is_same = [&](const Pending& other) { return other.get() == &message; };
    on_their_way_.erase(std::remove_if(on_their_way_.begin(), on_their_way_.end(), is_same), on_their_way_.end());
}

/// Has the other side of a message be lost, for a reason that is not the want of heartbeats.
void RankLink::lose(const Message& message, std::string why) {
    {
        const std::lock_guard lock(mutex_);
        if (failed_.empty()) failed_ = std::move(why);
    }
    watch_.lose(message.peer);
}

RankLink::Pending RankLink::send(const MessageMemory& memory, int to, int tag) {
    Pending message = on_its_way(memory, to);
    const std::span<const std::byte> bytes = memory.bytes();
    bytes_sent_ += bytes.size();
    require_started("MPI_Isend", mpi_.send(communicator_, bytes.data(), bytes.size(), to, tag, message->request), *message);
    return message;
}

RankLink::Pending RankLink::receive(const MessageMemory& memory, int from, int tag) {
    Pending message = on_its_way(memory, from);
    const std::span<std::byte> bytes = memory.bytes();
    require_started("MPI_Irecv", mpi_.receive(communicator_, bytes.data(), bytes.size(), from, tag, message->request), *message);
    return message;
}

void RankLink::require_started(const char* call, int status, const Message& message) {
    if (status == 0) return;
    lose(message, std::string(call) + ": " + text_of(mpi_, status));
    throw_lost();
}

bool RankLink::is_done(Message& message) {
    if (message.is_done) return true;
    bool is_done = false;
    if (const int status = mpi_.test(message.request, is_done, message.bytes); status != 0) {
        lose(message, "MPI_Test: " + text_of(mpi_, status));
        return false;
    }
    message.is_done = is_done;
    if (is_done) forget(message);
    return is_done;
}

std::size_t RankLink::wait(const Pending& message) {
    const Clock::time_point since = Clock::now();
    while (true) {
        require_no_loss();
        if (is_done(*message)) return message->bytes;
        require_answer(*message, since);
        pause(Clock::now() - since);
    }
}

void RankLink::wait_all(std::span<const Pending> messages) {
    for (const Pending& message : messages) wait(message);
}

/// A message of a rank that has left may still be on its way, but not for long.
void RankLink::require_answer(const Message& message, Clock::time_point since) {
    if (watch_.has_left(message.peer) && Clock::now() - since > silence_) watch_.lose(message.peer);
}

void RankLink::require_no_loss() {
    if (watch_.has_lost()) throw_lost();
}

std::string RankLink::reason_of_loss(int rank) {
    const std::lock_guard lock(mutex_);
    if (!failed_.empty()) return failed_;
    if (rank == rank_)
        return "it failed between the messages of a call, or the others had no sign of life of it for " + milliseconds(silence_);
    if (rank >= 0 && watch_.has_left(rank)) return "it has destroyed its MpiPool";
    return "it has ended, or gave no sign of life for " + milliseconds(silence_);
}

void RankLink::throw_lost() {
    watch_.await_end();
    const int rank = watch_.lost();
    const std::string who = rank == MpiInterface::any_rank ? "another rank" : rank == rank_ ? "itself" : "rank " + std::to_string(rank);
    throw RankError(RankError::Kind::lost, rank,
                    "rank " + std::to_string(rank_) + " of " + std::to_string(size_) + " has lost " + who + " (" + reason_of_loss(rank) +
                        "): end this program without further calls of MPI, and start all ranks again");
}

}  // namespace cupool::detail
