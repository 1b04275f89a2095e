#include "ptx/checks/initialisation.hpp"

#include "ptx/ptx.hpp"
#include "ptx/report.hpp"
#include "ptx/run/address.hpp"

namespace cupool::ptx {

namespace {

// Other launches may mark the same bytes concurrently, so accesses are relaxed atomics; they are wide, since kernel accesses are aligned.
template <class Word>
Word read(const std::byte* initialised) {
    return __atomic_load_n(reinterpret_cast<const Word*>(initialised), __ATOMIC_RELAXED);
}

template <class Word>
bool all_set(const std::byte* initialised, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += sizeof(Word))
        if (read<Word>(initialised + i) != static_cast<Word>(~std::uint64_t{0})) return false;
    return true;
}

template <class Word>
void set_all(std::byte* initialised, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += sizeof(Word))
        __atomic_store_n(reinterpret_cast<Word*>(initialised + i), static_cast<Word>(~std::uint64_t{0}), __ATOMIC_RELAXED);
}

static_assert(initialised_byte == std::byte{0xff});

}  // namespace

bool is_initialised(const AccessedBytes& accessed) {
    return accessed.bytes >= 8   ? all_set<std::uint64_t>(accessed.initialised, accessed.bytes)
           : accessed.bytes >= 4 ? all_set<std::uint32_t>(accessed.initialised, accessed.bytes)
                                 : all_set<std::uint8_t>(accessed.initialised, accessed.bytes);
}

void report_uninitialised(unsigned lane, const AccessedBytes& accessed) {
    std::uint64_t first = 0;
    while (first + 1 < accessed.bytes && read<std::uint8_t>(accessed.initialised + first) != 0) ++first;
    throw LaneFault{Fault::launch_failed,
                    lane,
                    accessed.address + first,
                    "uninitialised read of " + bytes_text(accessed.bytes, accessed.access) + ", of which byte " + std::to_string(first) +
                        " was never written,",
                    name_of(accessed.access),
                    true};
}

void mark_initialised(const AccessedBytes& accessed) {
    if (accessed.bytes >= 8) {
        set_all<std::uint64_t>(accessed.initialised, accessed.bytes);
    } else if (accessed.bytes >= 4) {
        set_all<std::uint32_t>(accessed.initialised, accessed.bytes);
    } else {
        set_all<std::uint8_t>(accessed.initialised, accessed.bytes);
    }
}

}  // namespace cupool::ptx
