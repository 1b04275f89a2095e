#include "device_census.hpp"

#include <cupool/driver/device.hpp>
#include <cupool/driver/device_identity.hpp>
#include <cupool/pool/device_pool.hpp>

#include "worker_messages.hpp"

namespace cupool::detail {

namespace {

/// More devices than any host has: a number above it is no answer.
constexpr std::uint64_t max_devices = 4096;

std::vector<std::string> read_census(std::span<const std::byte> payload) {
    MessageReader reader(payload);
    const auto count = reader.number<std::uint64_t>();
    if (count > max_devices) throw_malformed("a census of " + std::to_string(count) + " devices");
    std::vector<std::string> entries;
    for (std::uint64_t i = 0; i < count; ++i) entries.push_back(reader.text());
    reader.require_end();
    return entries;
}

}  // namespace

std::variant<std::vector<std::string>, Error> take_census(const ChildProcessStart& start, std::chrono::milliseconds deadline) {
    auto [channel, child_end] = Channel::pair();
    ChildProcess process(start, child_end);
    child_end.close();
    Message message;
    const Channel::Outcome outcome = channel.receive(message, ChannelClock::now() + deadline);
    const bool has_answer = outcome == Channel::Outcome::received;
    const std::string end = process.reap(has_answer ? std::chrono::seconds(1) : std::chrono::seconds(0));
    if (!has_answer) {
        throw Error(ErrorCategory::io, std::string("the process that lists the devices ") +
                                           (outcome == Channel::Outcome::timed_out ? "did not answer before its deadline; it " : "") + end);
    }
    if (message.type == MessageType::failed) return read_error(message.payload);
    if (message.type != MessageType::done) throw_malformed("no answer to a census");
    return read_census(message.payload);
}

Message census_message() {
    try {
        const DevicePool pool = DevicePool::all();
        MessageWriter writer;
        writer.number<std::uint64_t>(pool.device_count());
        for (const DeviceIdentity& identity : pool.identities()) {
            // Drivers before CUDA 11.4 do not tell a device's UUID.
            writer.text(!identity.uuid.empty()         ? identity.uuid
                        : !identity.visible_as.empty() ? identity.visible_as
                                                       : std::to_string(identity.ordinal));
        }
        return {MessageType::done, 0, writer.take()};
    } catch (const Error& error) {
        return {MessageType::failed, 0, error_payload(error)};
    }
}

}  // namespace cupool::detail
