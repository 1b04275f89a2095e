// Fuzzes what a pool reads from a worker process, which it does not trust. The input is a byte that chooses the reader, and what the worker
// sent: a packet of the connection, or the payload of a message.
#include <sys/socket.h>

#include <array>

#include "fuzz_input.hpp"
#include "worker_process/built_in_functions.hpp"
#include "worker_process/channel.hpp"
#include "worker_process/worker_messages.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

void receive_packet(std::span<const std::byte> packet) {
    auto [channel, other_end] = detail::Channel::pair();
    if (::send(other_end.number(), packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;  // longer than a packet
    other_end.close();
    detail::Message message;
    const auto outcome = channel.receive(message);
    must_hold(outcome == detail::Channel::Outcome::received || outcome == detail::Channel::Outcome::closed, "a packet that came is read");
}

/// The Error that a worker reports is given to the program, so that all of its members are used.
void read_and_use_error(std::span<const std::byte> payload) {
    const Error error = detail::read_error(payload);
    must_hold(!std::string(error.what()).empty(), "an error has a text");
    const Error again = detail::read_error(detail::error_payload(error));
    must_hold(std::string(again.what()) == error.what(), "an error reads as it was written");
}

void read(std::uint8_t reader, std::span<const std::byte> payload) {
    std::array<JacobianPoint<Curve::bn254>, 2> points;
    float number = 0;
    const std::array<std::size_t, 2> sizes{4, 8};
    switch (reader % 6) {
        case 0: return receive_packet(payload);
        case 1: return read_and_use_error(payload);
        case 2: (void)detail::read_greeting(payload); return;
        case 3: (void)detail::read_msm_answer<Curve::bn254>(payload, std::span(points)); return;
        case 4: (void)detail::read_reduce_answer<float>(payload, number); return;
        default: (void)detail::read_kernel_answer(payload, sizes);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzInput input(data, size);
    const std::uint8_t reader = input.take_byte();
    try {
        read(reader, std::as_bytes(input.bytes()));
    } catch (const Error& error) {
        must_hold(error.category() == ErrorCategory::io, "what cannot be read is reported as that");
    }
    return 0;
}
