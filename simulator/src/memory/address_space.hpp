#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cupool/driver/abi.hpp>

#include "checks/ordering.hpp"

namespace cupool::simulator {

struct MemoryPool;
struct PhysicalMemory;

/// Host memory behind simulated device memory: no page of it exists before it is touched, so a card of 140 GB costs nothing.
class Backing {
public:
    /// What fresh memory holds, as far as that costs no pages: nobody may count on zeros.
    static constexpr std::byte fresh_byte{0xcb};

    /// Zeros are zeros however many there are. Throws std::bad_alloc.
    explicit Backing(std::size_t bytes, std::byte fresh = fresh_byte);
    /// The program's own memory, lent.
    explicit Backing(std::byte* lent) : data_(lent), bytes_(0), is_lent_(true) {}
    ~Backing();
    Backing(const Backing&) = delete;
    Backing& operator=(const Backing&) = delete;

    std::byte* data() const { return data_; }

private:
    std::byte* data_;
    std::size_t bytes_;
    bool is_lent_ = false;
};

/// What a program has told of the pages of managed memory. Pages do not move here: what counts is that it can be asked.
struct ManagedPage {
    bool is_read_mostly = false;
    int preferred_location = abi::no_location;
    int last_prefetch_location = abi::no_location;
};

struct Allocation {
    enum class Kind {
        plain,            ///< cuMemAlloc
        pooled,           ///< cuMemAllocAsync
        module_variable,  ///< lives as long as its module
        pinned_host,      ///< cuMemHostAlloc: device address = host address
        registered_host,  ///< cuMemHostRegister: the same
        managed,          ///< cuMemAllocManaged: the same
        mapped,           ///< cuMemMap: a part of physical memory, at an address that the program chose
    };

    /// Throws std::bad_alloc.
    Allocation(Kind own_kind, int own_device, abi::Context own_context, std::size_t own_bytes);
    /// Of memory that is not its own.
    Allocation(Kind own_kind, int own_device, abi::Context own_context, std::size_t own_bytes, std::shared_ptr<Backing> others_backing);

    Kind kind;
    int device;
    abi::Context context;
    std::size_t bytes;
    std::shared_ptr<Backing> backing;
    /// For each byte one that tells whether it has been written (ptx::initialised_byte) or not. Null: nobody asks.
    std::shared_ptr<Backing> initialised;
    abi::DevicePointer start = 0;
    /// Of pooled memory only.
    std::shared_ptr<MemoryPool> pool;
    OrderedUses ordered_uses;
    /// Of mapped memory only.
    std::shared_ptr<PhysicalMemory> physical;
    /// Of managed memory only, under the driver's lock.
    std::vector<ManagedPage> pages;
    /// Of host memory only: the flags it was allocated or registered with.
    unsigned host_flags = 0;
    /// Of mapped memory only: the devices that may use it. Read by running kernels.
    std::atomic<std::uint64_t> accessible_from{0};
    /// Under the driver's lock: a free was called, though it may still be queued.
    bool free_called = false;
    /// False once the free has happened: what runs later and touches the memory is at fault.
    std::atomic<bool> alive{true};
};

inline bool is_host_memory(const Allocation& allocation) {
    return allocation.kind == Allocation::Kind::pinned_host || allocation.kind == Allocation::Kind::registered_host;
}

inline bool is_device_memory(const Allocation& allocation) {
    return !is_host_memory(allocation) && allocation.kind != Allocation::Kind::managed;
}

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

/// Places the allocation at an address of its own, where it has none yet, and makes it findable. Addresses are no process's (bit 47 is
/// set), are only as aligned as drivers promise (256 bytes), and come back into use as late as possible.
void map(const std::shared_ptr<Allocation>& allocation);

/// Makes it unfindable and dead.
void unmap(Allocation& allocation);

/// The allocation that holds the address, or null.
std::shared_ptr<Allocation> allocation_at(abi::DevicePointer address);

/// What lies there, or near, or did: "4 bytes past the end of an allocation of 1024 bytes at 0x...". Empty when nothing is known.
std::string describe_address(abi::DevicePointer address);

/// Sets addresses apart, at which nothing is until something is mapped there. Throws std::bad_alloc where there are not so many.
abi::DevicePointer reserve_addresses(std::size_t bytes, std::size_t alignment);

/// The size of the reservation that begins there; 0 where none does.
std::size_t reservation_at(abi::DevicePointer start);

/// Whether the range lies within one reservation.
bool is_reserved(abi::DevicePointer start, std::size_t bytes);
void free_reservation(abi::DevicePointer start);
void free_reservations();
std::size_t reservation_count();

/// Whether anything lies in the range.
bool is_anything_mapped(abi::DevicePointer start, std::size_t bytes);

/// Hands out addresses as if none had been before. Nothing may be mapped.
void restart_addresses();

/// Everything that is mapped.
std::vector<std::shared_ptr<Allocation>> all_allocations();

/// `bytes` rounded up to whole units.
constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace cupool::simulator
