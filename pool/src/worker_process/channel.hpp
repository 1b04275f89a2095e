#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "file_descriptor.hpp"

namespace cupool::detail {

/// What a message between a pool and a worker process asks or answers.
enum class MessageType : std::uint32_t {
    attach,  ///< pool: map the attached memory under the message's id
    forget,  ///< pool: give back the memory, or the setup, of this id
    call,    ///< pool: call a function
    stop,    ///< pool: end the process
    ready,   ///< worker: it takes calls; the payload says what device it has
    done,    ///< worker: the call of this id returned; the payload is its result
    failed,  ///< worker: the call of this id threw an Error; the payload is the Error
};

/// One message. `id` names the call, or the memory.
struct Message {
    MessageType type = MessageType::stop;
    std::uint64_t id = 0;
    std::vector<std::byte> payload{};
    FileDescriptor attachment{};  ///< of attach
};

using ChannelClock = std::chrono::steady_clock;

/// The longest payload of a message. Longer data go through shared memory.
inline constexpr std::uint64_t longest_payload = std::uint64_t{1} << 30;

/// For how long after the last message, or after the submission of a job, a waiting thread asks again and again before it sleeps. A job
/// passes three such threads, whose sleep cost a job of 0.3 ms 119 to 184 us more on the host of an H100 (bench/worker_pool).
inline constexpr std::chrono::milliseconds spinning_time{5};

/// One end of a connection between a pool and a worker process. Messages keep their bounds; each has a header with a version and lengths,
/// which the receiver checks. A payload above 32 KiB travels in a sealed memory file. Not thread-safe.
class Channel {
public:
    enum class Outcome {
        received,
        closed,     ///< the other end is gone
        timed_out,  ///< the deadline has passed
        woken,      ///< the second descriptor has something to read
    };

    Channel() = default;
    /// \param socket  of type SOCK_SEQPACKET
    explicit Channel(FileDescriptor socket) noexcept : socket_(std::move(socket)) {}
    /// Two connected ends. \throws Error io
    static std::pair<Channel, FileDescriptor> pair();

    /// Sends without waiting for an answer. \return false where the other end is gone, or did not take the message before the deadline
    /// \throws Error invalid_argument where the payload is longer than longest_payload, io
    bool send(const Message& message, std::optional<ChannelClock::time_point> deadline = std::nullopt);

    /// Waits for a message. \param wake  a descriptor whose input ends the waiting; -1 for none
    /// \throws Error io where what arrives is no message of this protocol
    Outcome receive(Message& message, std::optional<ChannelClock::time_point> deadline = std::nullopt, int wake = -1);

    void close() noexcept { socket_.close(); }

private:
    FileDescriptor socket_;
    ChannelClock::time_point last_message_{};  ///< in either direction
};

}  // namespace cupool::detail
