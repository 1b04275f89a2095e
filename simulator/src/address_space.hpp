#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cupool/driver/abi.hpp>

#include "ordering.hpp"

namespace cupool::simulator {

struct MemoryPool;

/// Host memory behind simulated device memory: no page of it exists before it is touched, so a card of 140 GB costs nothing.
class Backing {
public:
    /// What fresh memory holds, as far as that costs no pages: nobody may count on zeros.
    static constexpr std::byte fresh_byte{0xcb};

    /// Zeros are zeros however many there are. Throws std::bad_alloc.
    explicit Backing(std::size_t bytes, std::byte fresh = fresh_byte);
    ~Backing();
    Backing(const Backing&) = delete;
    Backing& operator=(const Backing&) = delete;

    std::byte* data() const { return data_; }

private:
    std::byte* data_;
    std::size_t bytes_;
};

struct Allocation {
    enum class Kind {
        plain,            ///< cuMemAlloc
        pooled,           ///< cuMemAllocAsync
        module_variable,  ///< lives as long as its module
        pinned_host,      ///< cuMemHostAlloc: device address = host address
    };

    /// Throws std::bad_alloc.
    Allocation(Kind own_kind, int own_device, abi::Context own_context, std::size_t own_bytes);

    Kind kind;
    int device;
    abi::Context context;
    std::size_t bytes;
    Backing backing;
    /// For each byte one that tells whether it has been written (ptx::initialised_byte) or not. Null: nobody asks.
    std::unique_ptr<Backing> initialised;
    abi::DevicePointer start = 0;
    /// Of pooled memory only.
    std::shared_ptr<MemoryPool> pool;
    OrderedUses ordered_uses;
    /// Under the driver's lock: a free was called, though it may still be queued.
    bool free_called = false;
    /// False once the free has happened: what runs later and touches the memory is at fault.
    std::atomic<bool> alive{true};
};

inline bool is_device_memory(const Allocation& allocation) { return allocation.kind != Allocation::Kind::pinned_host; }

/// A part of an allocation.
struct Region {
    std::shared_ptr<Allocation> allocation;
    std::size_t offset = 0;
    std::size_t bytes = 0;

    /// For operations: raises illegal_address when the memory has been freed meanwhile.
    std::byte* data() const;
};

/// The bytes have been written.
void mark_initialised(const Region& written);

/// The bytes have been copied: they are as initialised as their source.
void copy_initialised(const Region& target, const Region& source);

/// Places the allocation at an address of its own and makes it findable. Addresses are no process's (bit 47 is set), are only as
/// aligned as drivers promise (256 bytes), and come back into use as late as possible.
void map(const std::shared_ptr<Allocation>& allocation);

/// Makes it unfindable and dead.
void unmap(Allocation& allocation);

/// The allocation that holds the address, or null.
std::shared_ptr<Allocation> allocation_at(abi::DevicePointer address);

/// What lies there, or near, or did: "4 bytes past the end of an allocation of 1024 bytes at 0x...". Empty when nothing is known.
std::string describe_address(abi::DevicePointer address);

/// Hands out addresses as if none had been before. Nothing may be mapped.
void restart_addresses();

/// Everything that is mapped.
std::vector<std::shared_ptr<Allocation>> all_allocations();

/// `bytes` rounded up to whole units.
constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace cupool::simulator
