#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "message_bytes.hpp"
#include "worker_registry.hpp"

namespace cupool::detail {

/// Where a worker finds an operand: in shared memory.
struct OperandReference {
    std::uint64_t memory = 0;  ///< id of the shared memory
    std::uint64_t offset = 0;  ///< in bytes
    std::uint64_t count = 0;   ///< in elements
};

/// Some elements of an operand of type T. \pre they lie within it
template <class T>
OperandReference elements_of(const OperandReference& operand, std::uint64_t first, std::uint64_t count) {
    return {operand.memory, operand.offset + first * sizeof(T), count};
}

inline void write_operand(MessageWriter& writer, const OperandReference& operand) {
    writer.number(operand.memory).number(operand.offset).number(operand.count);
}

/// The operand that the message names next. \throws Error io where it does not lie in attached memory or is misaligned
template <class T>
std::span<const T> read_operand(MessageReader& reader, const WorkerState& state) {
    const auto memory = reader.number<std::uint64_t>();
    const auto offset = reader.number<std::uint64_t>();
    const auto count = reader.number<std::uint64_t>();
    if (count == 0) return {};
    if (count > SIZE_MAX / sizeof(T) || offset % alignof(T) != 0) throw_malformed("an operand is misaligned or too long");
    const std::span<std::byte> bytes = state.bytes(memory, offset, count * sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), static_cast<std::size_t>(count)};
}

}  // namespace cupool::detail
