#include "address_space.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>

#include <sys/mman.h>

#include "failure.hpp"

namespace cupool::simulator {
namespace {

// Smaller pieces come from the heap: a process may have only some ten thousand mappings.
constexpr std::size_t mapped_from = 256 * 1024;
constexpr std::size_t alignment = 256;
// What fresh memory holds, as far as it does not cost pages: nobody may count on zeros.
constexpr int fresh_byte = 0xcb;

class AddressSpace {
public:
    void map(const std::shared_ptr<Allocation>& allocation) {
        const std::unique_lock lock(mutex_);
        allocation->start = allocation->kind == Allocation::Kind::pinned_host
                                ? reinterpret_cast<abi::DevicePointer>(allocation->backing.data())
                                : free_address(allocation->device, allocation->bytes);
        allocations_.emplace(allocation->start, allocation);
    }

    void unmap(Allocation& allocation) {
        const std::unique_lock lock(mutex_);
        allocation.alive = false;
        allocations_.erase(allocation.start);
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
    // Between neighbours lies at least this much nothing.
    static constexpr abi::DevicePointer slot = 64 * 1024;

    // Next fit within the device's window: goes round it before any address comes again.
    abi::DevicePointer free_address(int device, std::size_t bytes) {
        const abi::DevicePointer begin = base + static_cast<abi::DevicePointer>(device) * window;
        const abi::DevicePointer end = begin + window;
        const abi::DevicePointer need = round_up(alignment + bytes, slot) + slot;
        abi::DevicePointer& next = next_address_.try_emplace(device, begin).first->second;
        for (int round = 0; round < 2; ++round) {
            auto neighbour = allocations_.lower_bound(next);
            while (neighbour != allocations_.end() && neighbour->first < end && neighbour->first < next + need) {
                next = round_up(neighbour->first + neighbour->second->bytes, slot) + slot;
                neighbour = allocations_.lower_bound(next);
            }
            if (next + need <= end) {
                const abi::DevicePointer address = next + alignment;
                next += need;
                return address;
            }
            next = begin;
        }
        throw std::bad_alloc();
    }

    std::shared_mutex mutex_;
    std::map<abi::DevicePointer, std::shared_ptr<Allocation>> allocations_;
    std::map<int, abi::DevicePointer> next_address_;
};

// Never destroyed: operations may outlive main().
AddressSpace& address_space() {
    static auto* const instance = new AddressSpace;
    return *instance;
}

}  // namespace

Backing::Backing(std::size_t bytes) : bytes_(bytes) {
    if (bytes < mapped_from) {
        const std::size_t rounded = round_up(bytes, alignment);
        data_ = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
        if (data_ == nullptr) {
            throw std::bad_alloc();
        }
        std::memset(data_, fresh_byte, rounded);
        return;
    }
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    data_ = static_cast<std::byte*>(mapped);
}

Backing::~Backing() {
    if (bytes_ < mapped_from) {
        std::free(data_);
    } else {
        munmap(data_, bytes_);
    }
}

std::byte* Region::data() const {
    require(allocation->alive, abi::Result::illegal_address);
    return allocation->backing.data() + offset;
}

void map(const std::shared_ptr<Allocation>& allocation) { address_space().map(allocation); }

void unmap(Allocation& allocation) { address_space().unmap(allocation); }

std::shared_ptr<Allocation> allocation_at(abi::DevicePointer address) { return address_space().find(address); }

std::vector<std::shared_ptr<Allocation>> all_allocations() { return address_space().all(); }

}  // namespace cupool::simulator
