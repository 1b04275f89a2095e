#include "memory/address_space.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>

#include <sys/mman.h>

#include "api/failure.hpp"
#include "checks/launch_checks.hpp"
#include "device/device.hpp"

namespace cupool::simulator {
namespace {

// Smaller allocations come from the heap, since a process can have only tens of thousands of mappings.
constexpr std::size_t mapped_from = 256 * 1024;
constexpr std::size_t allocation_alignment = 256;
// Remembered so that reports can recognise accesses to recently freed memory.
constexpr std::size_t max_remembered = 1000;

/// Record of a freed allocation.
struct Freed {
    abi::DevicePointer start;
    std::size_t bytes;
};

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string bytes_at(std::size_t bytes, abi::DevicePointer start) { return std::to_string(bytes) + " bytes at " + hexadecimal(start); }

class AddressSpace {
public:
    void map(const std::shared_ptr<Allocation>& allocation) {
        const std::unique_lock lock(mutex_);
        if (allocation->start == 0) {
            allocation->start = is_device_memory(*allocation) ? free_address(allocation->device, allocation->bytes)
                                                              : reinterpret_cast<abi::DevicePointer>(allocation->backing->data());
        }
        allocations_.emplace(allocation->start, allocation);
    }

    void unmap(Allocation& allocation) {
        const std::unique_lock lock(mutex_);
        allocation.alive = false;
        allocations_.erase(allocation.start);
        freed_[frees_++ % max_remembered] = {allocation.start, allocation.bytes};
    }

    void restart() {
        const std::unique_lock lock(mutex_);
        next_address_.clear();
        reservations_.clear();
        next_reservation_ = first_reservation;
        frees_ = 0;
    }

    std::string describe(abi::DevicePointer address) {
        if (const auto allocation = find(address)) {
            return "in an allocation of " + bytes_at(allocation->bytes, allocation->start) + " on device " +
                   std::to_string(allocation->device);
        }
        const std::shared_lock lock(mutex_);
        const Freed* const freed = last_freed_at(address);
        return freed == nullptr ? describe_neighbour(address)
                                : "in an allocation of " + bytes_at(freed->bytes, freed->start) + " that was freed";
    }

    std::shared_ptr<Allocation> find(abi::DevicePointer address) {
        const std::shared_lock lock(mutex_);
        auto next = allocations_.upper_bound(address);
        if (next == allocations_.begin()) {
            return nullptr;
        }
        const std::shared_ptr<Allocation>& candidate = std::prev(next)->second;
        return address - candidate->start < candidate->bytes ? candidate : nullptr;
    }

    abi::DevicePointer reserve(std::size_t bytes, std::size_t alignment) {
        const std::unique_lock lock(mutex_);
        const abi::DevicePointer start = round_up(next_reservation_, alignment);
        if (bytes > window || start + bytes > last_reservation) {
            throw std::bad_alloc();
        }
        next_reservation_ = start + bytes;
        reservations_.emplace(start, bytes);
        return start;
    }

    std::size_t reservation_at(abi::DevicePointer start) {
        const std::shared_lock lock(mutex_);
        const auto found = reservations_.find(start);
        return found == reservations_.end() ? 0 : found->second;
    }

    bool is_reserved(abi::DevicePointer start, std::size_t bytes) {
        const std::shared_lock lock(mutex_);
        const auto next = reservations_.upper_bound(start);
        if (next == reservations_.begin()) {
            return false;
        }
        const auto& [begin, size] = *std::prev(next);
        const std::size_t offset = start - begin;
        return offset < size && bytes <= size - offset;
    }

    void free_reservation(abi::DevicePointer start) {
        const std::unique_lock lock(mutex_);
        reservations_.erase(start);
    }

    void free_reservations() {
        const std::unique_lock lock(mutex_);
        reservations_.clear();
    }

    std::size_t reservation_count() {
        const std::shared_lock lock(mutex_);
        return reservations_.size();
    }

    bool is_anything_mapped(abi::DevicePointer start, std::size_t bytes) {
        if (find(start)) {
            return true;
        }
        const std::shared_lock lock(mutex_);
        const auto next = allocations_.lower_bound(start);
        return next != allocations_.end() && next->first - start < bytes;
    }

    std::vector<std::shared_ptr<Allocation>> all() {
        const std::shared_lock lock(mutex_);
        std::vector<std::shared_ptr<Allocation>> result;
        for (const auto& [_, allocation] : allocations_) {
            result.push_back(allocation);
        }
        return result;
    }

private:
    static constexpr abi::DevicePointer base = 0x8000'0000'0000;
    static constexpr abi::DevicePointer window = abi::DevicePointer{1} << 40;
    // Reservations lie after the windows of all devices; their addresses are never reused.
    static constexpr abi::DevicePointer first_reservation = base + max_devices * window;
    static constexpr abi::DevicePointer last_reservation = first_reservation + 16 * window;
    // Minimum gap between neighbouring allocations.
    static constexpr abi::DevicePointer slot = 64 * 1024;

    // Next fit within the device's window: an address is reused only after the search has wrapped around.
    abi::DevicePointer free_address(int device, std::size_t bytes) {
        const abi::DevicePointer begin = base + static_cast<abi::DevicePointer>(device) * window;
        const abi::DevicePointer end = begin + window;
        const abi::DevicePointer need = round_up(allocation_alignment + bytes, slot) + slot;
        abi::DevicePointer& next = next_address_.try_emplace(device, begin).first->second;
        for (int round = 0; round < 2; ++round) {
            auto neighbour = allocations_.lower_bound(next);
            while (neighbour != allocations_.end() && neighbour->first < end && neighbour->first < next + need) {
                next = round_up(neighbour->first + neighbour->second->bytes, slot) + slot;
                neighbour = allocations_.lower_bound(next);
            }
            if (next + need <= end) {
                const abi::DevicePointer address = next + allocation_alignment;
                next += need;
                return address;
            }
            next = begin;
        }
        throw std::bad_alloc();
    }

    const Freed* last_freed_at(abi::DevicePointer address) const {
        for (std::size_t age = 1; age <= std::min(frees_, max_remembered); ++age) {
            const Freed& freed = freed_[(frees_ - age) % max_remembered];
            if (address - freed.start < freed.bytes) {
                return &freed;
            }
        }
        return nullptr;
    }

    // Searches no farther than the minimum gap between allocations.
    std::string describe_neighbour(abi::DevicePointer address) const {
        const auto next = allocations_.upper_bound(address);
        if (next != allocations_.begin()) {
            const Allocation& before = *std::prev(next)->second;
            const abi::DevicePointer past = address - before.start - before.bytes;
            if (past < slot) {
                return std::to_string(past) + " bytes past the end of an allocation of " + bytes_at(before.bytes, before.start);
            }
        }
        if (next != allocations_.end() && next->first - address < slot) {
            return std::to_string(next->first - address) + " bytes before an allocation of " + bytes_at(next->second->bytes, next->first);
        }
        return "";
    }

    std::shared_mutex mutex_;
    /// Ring buffer of the last `max_remembered` freed allocations.
    std::array<Freed, max_remembered> freed_{};
    std::size_t frees_ = 0;
    std::map<abi::DevicePointer, std::shared_ptr<Allocation>> allocations_;
    std::map<int, abi::DevicePointer> next_address_;
    std::map<abi::DevicePointer, std::size_t> reservations_;
    abi::DevicePointer next_reservation_ = first_reservation;
};

// Never destroyed: operations may outlive main().
AddressSpace& address_space() {
    static auto* const instance = new AddressSpace;
    return *instance;
}

}  // namespace

Backing::Backing(std::size_t bytes, std::byte fresh) : bytes_(bytes) {
    if (bytes < mapped_from) {
        const std::size_t rounded = round_up(bytes, allocation_alignment);
        data_ = static_cast<std::byte*>(std::aligned_alloc(allocation_alignment, rounded));
        if (data_ == nullptr) {
            throw std::bad_alloc();
        }
        std::memset(data_, std::to_integer<int>(fresh), rounded);
        return;
    }
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    data_ = static_cast<std::byte*>(mapped);
}

Backing::~Backing() {
    if (is_lent_) {
        return;
    }
    if (bytes_ < mapped_from) {
        std::free(data_);
    } else {
        munmap(data_, bytes_);
    }
}

Allocation::Allocation(Kind own_kind, int own_device, abi::Context own_context, std::size_t own_bytes)
    : Allocation(own_kind, own_device, own_context, own_bytes, std::make_shared<Backing>(own_bytes)) {
    // Writes by the host are not observed, and variables have initial values.
    const bool is_fresh = kind == Kind::plain || kind == Kind::pooled;
    if (is_fresh && checks().initialisation) {
        initialised = std::make_shared<Backing>(bytes, std::byte{0});
    }
}

Allocation::Allocation(Kind own_kind, int own_device, abi::Context own_context, std::size_t own_bytes,
                       std::shared_ptr<Backing> others_backing)
    : kind(own_kind), device(own_device), context(own_context), bytes(own_bytes), backing(std::move(others_backing)) {}

std::byte* Region::data() const {
    note_use(*allocation);
    require(allocation->alive, abi::Status::illegal_address);
    return allocation->backing->data() + offset;
}

void mark_initialised(const Region& written) {
    if (const auto& marks = written.allocation->initialised) {
        std::memset(marks->data() + written.offset, std::to_integer<int>(ptx::initialised_byte), written.bytes);
    }
}

void copy_initialised(const Region& target, const Region& source) {
    const auto& from = source.allocation->initialised;
    if (const auto& to = target.allocation->initialised; to && from) {
        std::memmove(to->data() + target.offset, from->data() + source.offset, source.bytes);
    } else {
        mark_initialised(target);
    }
}

void map(const std::shared_ptr<Allocation>& allocation) { address_space().map(allocation); }

void unmap(Allocation& allocation) { address_space().unmap(allocation); }

std::shared_ptr<Allocation> allocation_at(abi::DevicePointer address) { return address_space().find(address); }

std::string describe_address(abi::DevicePointer address) { return address_space().describe(address); }

abi::DevicePointer reserve_addresses(std::size_t bytes, std::size_t alignment) { return address_space().reserve(bytes, alignment); }

std::size_t reservation_at(abi::DevicePointer start) { return address_space().reservation_at(start); }

bool is_reserved(abi::DevicePointer start, std::size_t bytes) { return address_space().is_reserved(start, bytes); }

void free_reservation(abi::DevicePointer start) { address_space().free_reservation(start); }

void free_reservations() { address_space().free_reservations(); }

std::size_t reservation_count() { return address_space().reservation_count(); }

bool is_anything_mapped(abi::DevicePointer start, std::size_t bytes) { return address_space().is_anything_mapped(start, bytes); }

void restart_addresses() { address_space().restart(); }

std::vector<std::shared_ptr<Allocation>> all_allocations() { return address_space().all(); }

}  // namespace cupool::simulator
