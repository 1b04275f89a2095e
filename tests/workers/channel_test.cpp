// The connection between a pool and a worker: what one end sends arrives; what is no message is refused.
#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <random>
#include <thread>
#include <tuple>

#include "worker_process/channel.hpp"
#include "worker_process/child_process.hpp"
#include "worker_process/memory_file.hpp"
#include "worker_process/worker_messages.hpp"
#include "workers.hpp"

using namespace cupool;
using namespace cupool::test;
using namespace cupool::detail;

namespace {

std::pair<Channel, Channel> channels() {
    auto [left, right] = Channel::pair();
    return {std::move(left), Channel(std::move(right))};
}

std::vector<std::byte> random_bytes(std::mt19937& random, std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

}  // namespace

TEST_CASE("messages arrive whole") {
    auto [left, right] = channels();
    std::mt19937 random(1);
    for (const std::size_t size : {0, 1, 1000, 32768, 32769, 200'000}) {
        const std::vector<std::byte> payload = random_bytes(random, size);
        REQUIRE(left.send({MessageType::call, 77 + size, payload}));
        Message message;
        REQUIRE(right.receive(message) == Channel::Outcome::received);
        CHECK(message.type == MessageType::call);
        CHECK(message.id == 77 + size);
        CHECK(message.payload == payload);
    }
    Message message;
    CHECK(right.receive(message, ChannelClock::now()) == Channel::Outcome::timed_out);
    left.close();
    CHECK(right.receive(message) == Channel::Outcome::closed);
    CHECK_FALSE(right.send({MessageType::done, 1}));
}

TEST_CASE("a channel that nobody reads times out") {
    auto [left, right] = channels();
    const std::vector<std::byte> payload(30'000);
    bool is_taken = true;
    for (int i = 0; i < 10'000 && is_taken; ++i) is_taken = left.send({MessageType::call, 1, payload}, ChannelClock::now());
    CHECK_FALSE(is_taken);
}

TEST_CASE("memory travels with a message") {
    auto [left, right] = channels();
    const FileDescriptor file = sealed_copy_of(bytes_of("shared"));
    REQUIRE(left.send({MessageType::attach, 5, {}, file.duplicate()}));
    Message message;
    REQUIRE(right.receive(message) == Channel::Outcome::received);
    const FileMapping mapping(message.attachment, 6);
    CHECK(text_of({mapping.bytes().begin(), mapping.bytes().end()}) == "shared");
    CHECK(error_of([&] { FileMapping(message.attachment, 7); }).category() == ErrorCategory::io);
    CHECK(error_of([&] { FileMapping(FileDescriptor(), 7); }).category() == ErrorCategory::io);
}

TEST_CASE("a message with several descriptors is refused, and none of them stays open") {
    const auto lowest_free = [] {
        const FileDescriptor probe(::dup(STDIN_FILENO));
        return probe.number();
    };
    auto ends = Channel::pair();
    const int free_before = lowest_free();
    int numbers[2] = {STDIN_FILENO, STDIN_FILENO};
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(numbers))] = {};
    msghdr packet{};
    packet.msg_iov = &part;
    packet.msg_iovlen = 1;
    packet.msg_control = ancillary;
    packet.msg_controllen = sizeof(ancillary);
    cmsghdr* const header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(numbers));
    std::memcpy(CMSG_DATA(header), numbers, sizeof(numbers));
    REQUIRE(::sendmsg(ends.second.number(), &packet, MSG_NOSIGNAL) == 1);
    Message message;
    const Error error = error_of([&] { (void)ends.first.receive(message); });
    CHECK(error.category() == ErrorCategory::io);
    CHECK(lowest_free() == free_before);
}

TEST_CASE("what is no message is refused") {
    std::mt19937 random(7);
    // A right message, whose bytes are changed.
    auto [sender, raw] = Channel::pair();
    REQUIRE(sender.send({MessageType::call, 9, random_bytes(random, 40)}));
    std::vector<std::byte> right_packet(200);
    right_packet.resize(static_cast<std::size_t>(::recv(raw.number(), right_packet.data(), right_packet.size(), 0)));
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
        std::vector<std::byte> packet = right_packet;
        if (i % 2 == 0) packet.resize(1 + random() % packet.size());
        packet[random() % packet.size()] ^= static_cast<std::byte>(1 + random() % 255);
        auto [receiver, other] = Channel::pair();
        REQUIRE(::send(other.number(), packet.data(), packet.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(packet.size()));
        Message message;
        try {
            const Channel::Outcome outcome = receiver.receive(message);
            CHECK(outcome == Channel::Outcome::received);  // the payload or the id was changed
            CHECK(message.payload.size() == 40);
        } catch (const Error& error) {
            CHECK(error.category() == ErrorCategory::io);
            ++refused;
        }
    }
    CHECK(refused > 1000);
}

TEST_CASE("malformed payloads are refused") {
    std::mt19937 random(8);
    ErrorDetails details;
    details.message = "what";
    details.log = "log";
    details.driver_log = "driver log";
    details.code = abi::Status::out_of_memory;
    details.device = 3;
    const std::vector<std::byte> right_error = error_payload(Error(details));
    const Error read = read_error(right_error);
    CHECK(read.message() == "what");
    CHECK(read.code() == abi::Status::out_of_memory);
    CHECK(read.device() == 3);
    CHECK(read.driver_log() == "driver log");
    CHECK_FALSE(read.reason());
    const std::vector<std::byte> right_greeting = greeting_payload({Engine::gpu, "name", "uuid", "0000:01:00.0"});
    CHECK(read_greeting(right_greeting).device_uuid == "uuid");
    CHECK(read_greeting(right_greeting).pci_bus_id == "0000:01:00.0");
    const std::vector<std::byte> right_call = call_payload({"function", bytes_of("input"), {}});
    CHECK(read_call(right_call).function == "function");

    const auto mutated = [&](std::vector<std::byte> payload) {
        payload[random() % payload.size()] ^= static_cast<std::byte>(1 + random() % 255);
        if (random() % 2 == 0) payload.resize(random() % payload.size());
        return payload;
    };
    for (int i = 0; i < 5000; ++i) {
        const auto error = mutated(right_error);
        const auto greeting = mutated(right_greeting);
        const auto call = mutated(right_call);
        const std::vector<std::function<void()>> readers{[&] { (void)read_error(error); }, [&] { (void)read_greeting(greeting); },
                                                         [&] { (void)read_call(call); }};
        for (const auto& reader : readers) {
            try {
                reader();
            } catch (const Error& failure) {
                if (failure.category() != ErrorCategory::io) FAIL("a malformed payload gave " << failure.what());
            }
        }
    }
}

TEST_CASE("a live worker survives or ends on mutated messages, and never hangs") {
    std::mt19937 random(9);
    const WorkerCall good{"echo", bytes_of("input"), {}};
    int ended = 0;
    for (int round = 0; round < 4; ++round) {
        auto [channel, child_end] = Channel::pair();
        ChildProcess process({CUPOOL_TEST_WORKER, {"--cupool-worker", "host"}, {}}, child_end);
        child_end.close();
        Message message;
        REQUIRE(channel.receive(message) == Channel::Outcome::received);
        REQUIRE(message.type == MessageType::ready);
        bool is_alive = true;
        for (int i = 0; i < 2500 && is_alive; ++i) {
            std::vector<std::byte> payload = call_payload(good);
            payload[random() % payload.size()] ^= static_cast<std::byte>(1 + random() % 255);
            const auto names = std::array{"cupool.msm", "cupool.prepare", "cupool.reduce", "cupool.kernel"};
            if (i % 2 == 0) payload = call_payload({names[random() % names.size()], random_bytes(random, random() % 200), {}});
            is_alive = channel.send({MessageType::call, static_cast<std::uint64_t>(i), payload});
            if (!is_alive) break;
            const auto outcome = channel.receive(message, ChannelClock::now() + std::chrono::minutes(1));
            REQUIRE(outcome != Channel::Outcome::timed_out);
            is_alive = outcome == Channel::Outcome::received;
            if (is_alive) CHECK((message.type == MessageType::failed || message.type == MessageType::done));
        }
        CHECK(is_alive);  // a malformed call is the call's error
        CHECK(channel.send({round % 2 == 0 ? MessageType::ready : MessageType::attach, 1, random_bytes(random, 3)}));
        CHECK(channel.receive(message, ChannelClock::now() + std::chrono::minutes(1)) == Channel::Outcome::closed);
        CHECK(process.reap(std::chrono::seconds(10)) == "exited with status 3");
        ++ended;
    }
    CHECK(ended == 4);
}
