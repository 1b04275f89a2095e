#pragma once

#include <cupool/driver/error.hpp>

#include "message_bytes.hpp"
#include "worker_connection.hpp"

namespace cupool::detail {

/// The payloads of the protocol's own messages. Readers \throw Error io where a payload is malformed.
std::vector<std::byte> greeting_payload(const WorkerGreeting& greeting);
WorkerGreeting read_greeting(std::span<const std::byte> payload);

std::vector<std::byte> error_payload(const Error& error);
Error read_error(std::span<const std::byte> payload);

/// Any exception as an Error. \param where_from  what threw it, for the message
Error error_of(std::exception_ptr failure, const std::string& where_from);

/// What failed and why. The ordinal is left out: a worker counts its one device from 0, the pool does not.
std::string text_of(const Error& error);

std::vector<std::byte> call_payload(const WorkerCall& call);
/// The name and input of a call, which refer to the payload.
struct ReceivedCall {
    std::string function;
    std::span<const std::byte> input;
};
ReceivedCall read_call(std::span<const std::byte> payload);

}  // namespace cupool::detail
