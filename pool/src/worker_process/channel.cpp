#include "channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

#include "memory_file.hpp"
#include "message_bytes.hpp"

namespace cupool::detail {

namespace {

constexpr std::uint32_t protocol_magic = 0x57505543;  // "CUPW"
constexpr std::uint32_t protocol_version = 3;
constexpr std::size_t longest_inline_payload = 32 << 10;

struct Header {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint32_t type;
    std::uint32_t is_in_file;  ///< 1: the payload is in the attached file
    std::uint64_t id;
    std::uint64_t payload_bytes;
};
static_assert(sizeof(Header) == 32, "without padding, whose bytes would be undefined");

[[noreturn]] void throw_failed_call(const char* call) {
    throw Error(ErrorCategory::io,
                std::string(call) + " failed on the connection of a worker process: " + std::generic_category().message(errno));
}

/// Room for one descriptor.
struct Ancillary {
    alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(int))] = {};
};

int milliseconds_until(const std::optional<ChannelClock::time_point>& deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - ChannelClock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
}

/// \return false at the deadline
bool wait_until_writable(int socket, const std::optional<ChannelClock::time_point>& deadline) {
    pollfd watched{socket, POLLOUT, 0};
    for (;;) {
        const int count = ::poll(&watched, 1, milliseconds_until(deadline));
        if (count > 0) return true;
        if (count == 0) return false;
        if (errno != EINTR) throw_failed_call("poll");
    }
}

/// \return received where the socket has something to read, or is closed
Channel::Outcome await_input(int socket, int wake, const std::optional<ChannelClock::time_point>& deadline,
                             ChannelClock::time_point spinning_end) {
    for (;;) {
        const bool spins = ChannelClock::now() < spinning_end;
        pollfd watched[2] = {{socket, POLLIN, 0}, {wake, POLLIN, 0}};
        const int count = ::poll(watched, 2, spins ? 0 : milliseconds_until(deadline));
        if (count < 0 && errno != EINTR) throw_failed_call("poll");
        if (count > 0) return watched[0].revents != 0 ? Channel::Outcome::received : Channel::Outcome::woken;
        if (deadline && ChannelClock::now() >= *deadline) return Channel::Outcome::timed_out;
        if (spins) std::this_thread::yield();
    }
}

/// The descriptors that came with a message.
std::vector<FileDescriptor> attachments_of(msghdr& received) {
    std::vector<FileDescriptor> attachments;
    for (cmsghdr* part = CMSG_FIRSTHDR(&received); part != nullptr; part = CMSG_NXTHDR(&received, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        std::vector<int> numbers((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        std::memcpy(numbers.data(), CMSG_DATA(part), numbers.size() * sizeof(int));
        for (const int number : numbers) attachments.emplace_back(number);
    }
    return attachments;
}

Header checked_header(std::span<const std::byte> packet) {
    Header header;
    if (packet.size() < sizeof(header)) throw_malformed("it has " + std::to_string(packet.size()) + " bytes, fewer than a header");
    std::memcpy(&header, packet.data(), sizeof(header));
    if (header.magic != protocol_magic) throw_malformed("it does not begin with the protocol's magic number");
    if (header.version != protocol_version) {
        throw_malformed("protocol version " + std::to_string(header.version) + ", and not " + std::to_string(protocol_version) +
                        ": pool and worker program are of different builds");
    }
    if (header.type > static_cast<std::uint32_t>(MessageType::failed))
        throw_malformed("no message type has the value " + std::to_string(header.type));
    if (header.is_in_file > 1 || header.payload_bytes > longest_payload) throw_malformed("its header has a value out of range");
    return header;
}

}  // namespace

std::pair<Channel, FileDescriptor> Channel::pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw_failed_call("socketpair");
    FileDescriptor left(ends[0]);
    FileDescriptor right(ends[1]);
    return {Channel(std::move(left).above_standard()), std::move(right).above_standard()};
}

bool Channel::send(const Message& message, std::optional<ChannelClock::time_point> deadline) {
    if (message.payload.size() > longest_payload) {
        throw Error(ErrorCategory::invalid_argument, "a message to or from a worker process has " + std::to_string(message.payload.size()) +
                                                         " bytes; the limit is 2^30. Pass larger data in memory that the pool lends");
    }
    const bool is_in_file = message.payload.size() > longest_inline_payload;
    Header header{protocol_magic,       protocol_version, static_cast<std::uint32_t>(message.type),
                  is_in_file ? 1U : 0U, message.id,       message.payload.size()};
    iovec parts[2] = {{&header, sizeof(header)}, {const_cast<std::byte*>(message.payload.data()), is_in_file ? 0 : message.payload.size()}};
    msghdr packet{};
    packet.msg_iov = parts;
    packet.msg_iovlen = 2;

    const FileDescriptor file = is_in_file ? sealed_copy_of(message.payload) : FileDescriptor();
    const int attached = is_in_file ? file.number() : message.attachment.number();
    Ancillary ancillary;
    if (attached >= 0) {
        packet.msg_control = ancillary.bytes;
        packet.msg_controllen = sizeof(ancillary.bytes);
        cmsghdr* const part = CMSG_FIRSTHDR(&packet);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof(attached));
        std::memcpy(CMSG_DATA(part), &attached, sizeof(attached));
    }
    for (;;) {
        if (::sendmsg(socket_.number(), &packet, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
            last_message_ = ChannelClock::now();
            return true;
        }
        if (errno == EPIPE || errno == ECONNRESET) return false;
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != ENOBUFS) throw_failed_call("sendmsg");
        if (!wait_until_writable(socket_.number(), deadline)) return false;
    }
}

Channel::Outcome Channel::receive(Message& message, std::optional<ChannelClock::time_point> deadline, int wake) {
    const Outcome outcome = await_input(socket_.number(), wake, deadline, last_message_ + spinning_time);
    if (outcome != Outcome::received) return outcome;
    last_message_ = ChannelClock::now();
    alignas(Header) std::byte buffer[sizeof(Header) + longest_inline_payload];
    iovec part{buffer, sizeof(buffer)};
    Ancillary ancillary;
    msghdr packet{};
    packet.msg_iov = &part;
    packet.msg_iovlen = 1;
    packet.msg_control = ancillary.bytes;
    packet.msg_controllen = sizeof(ancillary.bytes);
    ssize_t size = 0;
    do {
        size = ::recvmsg(socket_.number(), &packet, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (size < 0 && errno == EINTR);
    if (size == 0 || (size < 0 && errno == ECONNRESET)) return Outcome::closed;
    if (size < 0) throw_failed_call("recvmsg");

    std::vector<FileDescriptor> attachments = attachments_of(packet);
    if (attachments.size() > 1) throw_malformed("it comes with several descriptors");
    FileDescriptor attachment = attachments.empty() ? FileDescriptor() : std::move(attachments.front());
    if ((packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) throw_malformed("it is longer than any message");
    const std::span<const std::byte> received(buffer, static_cast<std::size_t>(size));
    const Header header = checked_header(received);
    const std::span<const std::byte> inline_payload = received.subspan(sizeof(Header));
    message.type = static_cast<MessageType>(header.type);
    message.id = header.id;
    if (header.is_in_file == 1) {
        if (!inline_payload.empty()) throw_malformed("its payload is both in a file and in the message");
        message.payload = content_of(attachment, header.payload_bytes);
        message.attachment.close();
        return Outcome::received;
    }
    if (inline_payload.size() != header.payload_bytes) throw_malformed("its payload is not as long as its header says");
    message.payload.assign(inline_payload.begin(), inline_payload.end());
    message.attachment = std::move(attachment);
    return Outcome::received;
}

}  // namespace cupool::detail
