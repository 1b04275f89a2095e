#pragma once

#include "ptx/run/block.hpp"

namespace cupool::ptx {

[[noreturn, gnu::cold]] void throw_misaligned(unsigned lane, std::uint64_t address, std::uint64_t bytes, Access access);
[[noreturn, gnu::cold]] void throw_illegal(unsigned lane, std::uint64_t address, std::uint64_t bytes, Access access, bool write);

/// The address operand plus the offset, for each lane.
inline void effective_addresses(const Warp& warp, const Instruction& instruction, std::uint64_t (&addresses)[warp_size]) {
    const std::uint32_t base = instruction.operands[address_operand];
    if (is_wide(base)) {
        const auto* slots = warp.slots<std::uint64_t>(base);
        for (unsigned lane = 0; lane < warp_size; ++lane) addresses[lane] = slots[lane] + instruction.immediate;
    } else {
        const auto* slots = warp.slots<std::uint32_t>(base);
        for (unsigned lane = 0; lane < warp_size; ++lane) addresses[lane] = slots[lane] + instruction.immediate;
    }
}

inline bool is_in_window(std::uint64_t address, std::uint64_t window) { return address - window < window_bytes; }

/// Checks a lane's access and returns its host address; `bytes` is a power of two. Throws LaneFault.
template <Access access>
[[gnu::always_inline]] inline std::byte* resolve(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes, bool write) {
    if ((address & (bytes - 1)) != 0) throw_misaligned(lane, address, bytes, access);
    const auto within = [&](std::byte* begin, std::uint64_t offset, std::uint64_t size) {
        if (offset >= size || size - offset < bytes) throw_illegal(lane, address, bytes, access, write);
        return begin + offset;
    };
    if constexpr (access == Access::global) {
        std::byte* const host = warp.launch().memory.translate(address, bytes, write);
        if (host == nullptr) throw_illegal(lane, address, bytes, access, write);
        return host;
    } else if constexpr (access == Access::shared) {
        return within(warp.block().shared(), address, warp.launch().shared_bytes);
    } else if constexpr (access == Access::local) {
        return within(warp.local(lane), address, warp.local_stride());
    } else if constexpr (access == Access::frame) {
        return within(warp.local(lane), address + warp.local_frame(), warp.local_stride());
    } else if constexpr (access == Access::parameter) {
        return within(warp.launch().parameters.data(), address, warp.launch().entry.parameter_bytes);
    } else {
        if (is_in_window(address, shared_window)) return within(warp.block().shared(), address - shared_window, warp.launch().shared_bytes);
        if (is_in_window(address, local_window)) return within(warp.local(lane), address - local_window, warp.local_stride());
        return resolve<Access::global>(warp, lane, address, bytes, write);
    }
}

/// The bytes that a lane accesses, for the checks.
struct AccessedBytes {
    Access access = Access::global;  ///< global, shared or local
    std::uint64_t address = 0;       ///< in the address space `access`
    std::uint64_t bytes = 0;
    bool writable = true;
    std::byte* initialised = nullptr;  ///< shadow memory of the bytes; null: not checked
};

/// Throws LaneFault if the access would.
AccessedBytes locate(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes, Access access, bool write);

}  // namespace cupool::ptx
