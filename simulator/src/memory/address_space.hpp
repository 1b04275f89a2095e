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

/// Host memory behind simulated device memory. Pages are created on first touch, so a card of 140 GB costs nothing.
class Backing {
public:
    /// Initial content of small allocations, so that programs do not rely on zeros. Large ones read as zeros, to save pages.
    static constexpr std::byte fresh_byte{0xcb};

    /// If `fresh` is 0, the memory is zero whatever its size. Throws std::bad_alloc.
    explicit Backing(std::size_t bytes, std::byte fresh = fresh_byte);
    /// Non-owning: memory of the program.
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

/// The advice and prefetches that a program gave for a page of managed memory. Pages do not migrate; the values can only be queried.
struct ManagedPage {
    bool is_read_mostly = false;
    int preferred_location = abi::no_location;
    int last_prefetch_location = abi::no_location;
};

struct Allocation {
    enum class Kind {
        plain,            ///< cuMemAlloc
        pooled,           ///< cuMemAllocAsync
        module_variable,  ///< freed with its module
        pinned_host,      ///< cuMemHostAlloc: device address = host address
        registered_host,  ///< cuMemHostRegister: the same
        managed,          ///< cuMemAllocManaged: the same
        mapped,           ///< cuMemMap: a range of physical memory at an address of the program's choice
    };

    /// Throws std::bad_alloc.
    Allocation(Kind own_kind, int own_device, abi::Context own_context, std::size_t own_bytes);
    /// With existing backing memory.
    Allocation(Kind own_kind, int own_device, abi::Context own_context, std::size_t own_bytes, std::shared_ptr<Backing> others_backing);

    Kind kind;
    int device;
    abi::Context context;
    std::size_t bytes;
    std::shared_ptr<Backing> backing;
    /// Shadow memory: for each byte, ptx::initialised_byte if it has been written. Null if not tracked.
    std::shared_ptr<Backing> initialised;
    abi::DevicePointer start = 0;
    /// For pooled memory only.
    std::shared_ptr<MemoryPool> pool;
    OrderedUses ordered_uses;
    /// For mapped memory only.
    std::shared_ptr<PhysicalMemory> physical;
    /// For managed memory only; guarded by the driver's lock.
    std::vector<ManagedPage> pages;
    /// For host memory only: the flags of its allocation or registration.
    unsigned host_flags = 0;
    /// For mapped memory only: the devices that may access it. Read by running kernels.
    std::atomic<std::uint64_t> accessible_from{0};
    /// A free was called, though it may still be queued. Guarded by the driver's lock.
    bool free_called = false;
    /// False once the free has happened: later accesses are faults.
    std::atomic<bool> alive{true};
};

inline bool is_host_memory(const Allocation& allocation) {
    return allocation.kind == Allocation::Kind::pinned_host || allocation.kind == Allocation::Kind::registered_host;
}

inline bool is_device_memory(const Allocation& allocation) {
    return !is_host_memory(allocation) && allocation.kind != Allocation::Kind::managed;
}

/// A range within an allocation.
struct Region {
    std::shared_ptr<Allocation> allocation;
    std::size_t offset = 0;
    std::size_t bytes = 0;

    /// For operations: fails with illegal_address if the memory has been freed meanwhile.
    std::byte* data() const;
};

/// Marks the bytes as written.
void mark_initialised(const Region& written);

/// Copies the shadow memory along with the bytes.
void copy_initialised(const Region& target, const Region& source);

/// Makes the allocation findable, at a new address if it has none. New addresses are invalid in the process (bit 47 is set), are aligned
/// only to the 256 bytes that drivers guarantee, and are reused as late as possible.
void map(const std::shared_ptr<Allocation>& allocation);

/// Makes the allocation unfindable and marks it as freed.
void unmap(Allocation& allocation);

/// The allocation that contains the address, or null.
std::shared_ptr<Allocation> allocation_at(abi::DevicePointer address);

/// Describes the present, nearest or former allocation at an address: "4 bytes past the end of an allocation of 1024 bytes at 0x...". Empty
/// if there is none.
std::string describe_address(abi::DevicePointer address);

/// Reserves a range of addresses without memory. Throws std::bad_alloc if no range is large enough.
abi::DevicePointer reserve_addresses(std::size_t bytes, std::size_t alignment);

/// The size of the reservation that begins at `start`; 0 if there is none.
std::size_t reservation_at(abi::DevicePointer start);

/// Whether the range lies within one reservation.
bool is_reserved(abi::DevicePointer start, std::size_t bytes);
void free_reservation(abi::DevicePointer start);
void free_reservations();
std::size_t reservation_count();

/// Whether any allocation overlaps the range.
bool is_anything_mapped(abi::DevicePointer start, std::size_t bytes);

/// Restarts address assignment from the beginning. Nothing may be mapped.
void restart_addresses();

/// All mapped allocations.
std::vector<std::shared_ptr<Allocation>> all_allocations();

/// `bytes` rounded up to whole units.
constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace cupool::simulator
