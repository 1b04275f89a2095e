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

std::string text_of(MpiInterface& mpi, int status) {
    char text[512] = {};
    mpi.describe(status, text, sizeof text);
    return text;
}

std::string seconds(RankLink::Duration time) {
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
      watch_(mpi, communicator, heartbeat, silence) {}

RankLink::~RankLink() {
    watch_.leave();
    if (!watch_.has_lost() && on_their_way_.empty()) {
        mpi_.release(communicator_);
        return;
    }
    MpiLibrary::leave_unfinalized();
    new std::vector<Pending>(std::move(on_their_way_));  // never released: see above
}

RankLink::Pending RankLink::started(int status, const char* call, Pending message) {
    if (status == 0) {
        const std::lock_guard lock(mutex_);
        on_their_way_.push_back(message);
        return message;
    }
    {
        const std::lock_guard lock(mutex_);
        failed_call_ = std::string(call) + ": " + text_of(mpi_, status);
    }
    watch_.lose(message->peer);
    throw_lost();
}

RankLink::Pending RankLink::send(const MessageMemory& memory, int to, int tag) {
    require_no_loss();
    auto message = std::make_shared<Message>(memory, to);
    const std::span<const std::byte> bytes = memory.bytes();
    bytes_sent_ += bytes.size();
    const int status = mpi_.send(communicator_, bytes.data(), bytes.size(), to, tag, message->request);
    return started(status, "MPI_Isend", std::move(message));
}

RankLink::Pending RankLink::receive(const MessageMemory& memory, int from, int tag) {
    require_no_loss();
    auto message = std::make_shared<Message>(memory, from);
    const std::span<std::byte> bytes = memory.bytes();
    const int status = mpi_.receive(communicator_, bytes.data(), bytes.size(), from, tag, message->request);
    return started(status, "MPI_Irecv", std::move(message));
}

bool RankLink::is_done(Message& message) {
    if (message.is_done) return true;
    const int status = mpi_.test(message.request, message.is_done, message.bytes);
    if (status != 0) {
        {
            const std::lock_guard lock(mutex_);
            failed_call_ = "MPI_Test: " + text_of(mpi_, status);
        }
        message.is_done = false;
        watch_.lose(message.peer);
        return false;
    }
    if (message.is_done) {
        const std::lock_guard lock(mutex_);
        const auto same = [&](const Pending& other) { return other.get() == &message; };
        on_their_way_.erase(std::remove_if(on_their_way_.begin(), on_their_way_.end(), same), on_their_way_.end());
    }
    return message.is_done;
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
    if (!watch_.has_left(message.peer) || Clock::now() - since < silence_) return;
    {
        const std::lock_guard lock(mutex_);
        failed_call_ = "it has destroyed its MpiPool";
    }
    watch_.lose(message.peer);
    throw_lost();
}

void RankLink::require_no_loss() {
    if (watch_.has_lost()) throw_lost();
}

void RankLink::throw_lost() {
    watch_.await_end();
    const int rank = watch_.lost();
    const std::string who = rank == MpiInterface::any_rank ? "another rank" : rank == rank_ ? "this rank" : "rank " + std::to_string(rank);
    std::string why;
    {
        const std::lock_guard lock(mutex_);
        why = failed_call_.empty() ? "no heartbeat of it came for " + seconds(silence_) : failed_call_;
    }
    throw RankError(RankError::Kind::lost, rank,
                    who + " of " + std::to_string(size_) + " is lost to rank " + std::to_string(rank_) + " (" + why +
                        "): end this program, and start all ranks again; do not call MPI any more");
}

}  // namespace cupool::detail
