#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cupool::ptx {

/// The scope of a strong access: strong accesses whose scopes include each other do not race. Weak accesses race with all others.
enum class Strength : std::uint8_t { weak, block, device };

/// An access: by which thread, when, and by which instruction.
struct AccessRecord {
    std::uint32_t block = 0;
    std::uint32_t tick = 0;      ///< of the block's clock; 0: no access
    std::uint32_t position = 0;  ///< of the instruction
    std::uint16_t thread = 0;    ///< index in the block
    Strength strength = Strength::weak;

    bool none() const { return tick == 0; }
};

/// The last accesses to some adjacent bytes. Of mutually unordered reads it keeps the two most distant ones: a write that races with
/// another read also races with one of these, except for orders that real kernels do not have.
struct AccessCell {
    AccessRecord write;
    std::array<AccessRecord, 2> reads;
};

/// The last accesses to memory, by address: sparse, and as coarse as the accesses are.
class AccessHistory {
public:
    /// Calls `visit` with each cell of an access; `bytes` is a power of two that divides `address`.
    template <class Visit>
    void visit(std::uint64_t address, std::uint64_t bytes, const Visit& visit) {
        const auto granule = std::min(static_cast<unsigned>(std::countr_zero(bytes)), coarsest);
        Page& page = find(address >> page_shift, granule);
        if (granule < page.granule) page.split(granule);
        const std::uint64_t first = (address & ((std::uint64_t{1} << page_shift) - 1)) >> page.granule;
        const std::uint64_t count = std::max<std::uint64_t>(bytes >> page.granule, 1);
        for (std::uint64_t i = 0; i < count; ++i) visit(page.cells[first + i]);
    }

private:
    static constexpr unsigned page_shift = 12;
    static constexpr unsigned coarsest = 4;

    struct Page {
        explicit Page(unsigned own_granule) : granule(own_granule), cells(std::size_t{1} << (page_shift - granule)) {}
        void split(unsigned finer);

        unsigned granule;  ///< a cell is for 2 to the power of this many bytes
        std::vector<AccessCell> cells;
    };

    Page& find(std::uint64_t number, unsigned granule) {
        if (last_ == nullptr || number != last_number_) {
            last_ = &pages_.try_emplace(number, granule).first->second;
            last_number_ = number;
        }
        return *last_;
    }

    std::unordered_map<std::uint64_t, Page> pages_;
    Page* last_ = nullptr;
    std::uint64_t last_number_ = 0;
};

}  // namespace cupool::ptx
