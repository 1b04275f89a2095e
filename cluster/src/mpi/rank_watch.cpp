#include "rank_watch.hpp"

#include <algorithm>

#include "tags.hpp"

namespace cupool::detail {

namespace {
/// How long a rank goes on to tell the others that one is lost, or that it leaves itself.
constexpr std::chrono::milliseconds farewell{500};
}  // namespace

RankWatch::RankWatch(MpiInterface& mpi, MpiInterface::Communicator communicator, Duration heartbeat, Duration silence)
    : mpi_(mpi),
      communicator_(communicator),
      rank_(mpi.rank(communicator)),
      size_(mpi.size(communicator)),
      heartbeat_(heartbeat),
      silence_(silence),
      left_(static_cast<std::size_t>(size_)),
      heard_(static_cast<std::size_t>(size_)) {
    if (size_ == 1) {
        delete expected_;
        has_ended_ = true;
        return;
    }
    thread_ = std::thread([this] { run(); });
}

RankWatch::~RankWatch() { leave(); }

void RankWatch::leave() {
    {
        const std::lock_guard lock(mutex_);
        is_leaving_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void RankWatch::lose(int rank) {
    int expected = nobody;
    {
        const std::lock_guard lock(mutex_);  // lest the thread begins to wait just now
        lost_.compare_exchange_strong(expected, rank);
    }
    changed_.notify_all();
}

void RankWatch::await_end() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_ended_; });
}

/// The nearest rank in a direction that has not left; this one if there is none.
int RankWatch::neighbour(int step) const {
    int found = rank_;
    do {
        found = (found + step + size_) % size_;
    } while (found != rank_ && has_left(found));
    return found;
}

void RankWatch::run() noexcept {
    try {
        watch();
        say_goodbye();
    } catch (...) {
        lose(rank_);  // no memory: the others will miss the heartbeats
    }
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    changed_.notify_all();
}

void RankWatch::watch() {
    std::fill(heard_.begin(), heard_.end(), Clock::now());
    expect();
    Clock::time_point due = Clock::now();
    while (!has_lost()) {
        take_arrived();
        forget_arrived();
        const int watched = neighbour(-1);
        if (watched != watched_) heard_[static_cast<std::size_t>(watched)] = Clock::now();
        watched_ = watched;
        if (watched_ != rank_ && Clock::now() - heard_[static_cast<std::size_t>(watched_)] > silence_) lose(watched_);
        if (Clock::now() >= due) {
            due = Clock::now() + heartbeat_;
            if (neighbour(1) != rank_) send(neighbour(1), {Kind::heartbeat, rank_});
        }
        std::unique_lock lock(mutex_);
        if (is_leaving_) return;
        changed_.wait_for(lock, heartbeat_ / 4, [this] { return is_leaving_ || has_lost(); });
    }
}

void RankWatch::say_goodbye() {
    if (!has_lost()) {
        tell_all({Kind::left, rank_});
    } else if (!was_told_) {
        tell_all({Kind::lost, lost()});
    }
    await_farewell();
    if (!has_lost()) {
        mpi_.withdraw(expected_->request);
        delete expected_;
    }
}

void RankWatch::expect() {
    Message& message = expected_->message;
    if (mpi_.receive(communicator_, &message, sizeof message, MpiInterface::any_rank, tags::watch, expected_->request) != 0)
        lose(MpiInterface::any_rank);
}

void RankWatch::take_arrived() {
    while (!has_lost()) {
        bool has_arrived = false;
        std::size_t bytes = 0;
        if (mpi_.test(expected_->request, has_arrived, bytes) != 0) return lose(MpiInterface::any_rank);
        if (!has_arrived) return;
        const Message message = expected_->message;
        expect();
        take(message);
    }
}

void RankWatch::take(const Message& message) {
    const auto index = static_cast<std::size_t>(message.rank);
    switch (message.kind) {
        case Kind::heartbeat: heard_[index] = Clock::now(); return;
        case Kind::left: left_[index].store(true); return;
        case Kind::lost:
            was_told_ = true;
            lose(message.rank);
            return;
    }
}

void RankWatch::send(int to, Message message) {
    auto* const sent = new Sent{message};
    if (mpi_.send(communicator_, &sent->message, sizeof sent->message, to, tags::watch, sent->request) != 0) {
        delete sent;
        return lose(to);
    }
    sent_.push_back(sent);
}

void RankWatch::tell_all(Message message) {
    for (int rank = 0; rank < size_; ++rank) {
        if (rank != rank_ && !has_left(rank)) send(rank, message);
    }
}

bool RankWatch::forget_arrived() {
    const auto has_arrived = [this](Sent* sent) {
        bool is_done = false;
        std::size_t bytes = 0;
        if (mpi_.test(sent->request, is_done, bytes) != 0 || !is_done) return false;
        delete sent;
        return true;
    };
    sent_.erase(std::remove_if(sent_.begin(), sent_.end(), has_arrived), sent_.end());
    return sent_.empty();
}

/// Waits a little until the last messages have arrived, and the others have left, too: a message that nobody receives is one that MPI may
/// complain about.
void RankWatch::await_farewell() {
    const Clock::time_point end = Clock::now() + farewell;
    while (Clock::now() < end) {
        const bool have_arrived = forget_arrived();
        if (have_arrived && (has_lost() || neighbour(1) == rank_)) return;
        if (!has_lost()) take_arrived();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace cupool::detail
