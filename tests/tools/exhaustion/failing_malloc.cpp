// Loaded by LD_PRELOAD: takes the place of the C library's malloc() and its kin, which fail from the allocation on that the test has
// chosen. It counts from the start of the process, the dynamic loader's last steps and static constructors included.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "allocation_count.hpp"

// What glibc calls its own functions besides.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

using cupool::test::AllocationCount;

/// Far more than any run takes: a process that hangs is ended by SIGALRM.
constexpr unsigned patience_seconds = 60;

/// \return null where the test names no file, or the process has no environment yet
AllocationCount* map_count() {
    const char* const path = environ == nullptr ? nullptr : std::getenv(cupool::test::allocation_count_variable);
    if (path == nullptr) return nullptr;
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    void* const memory = ::mmap(nullptr, sizeof(AllocationCount), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) std::abort();
    ::alarm(patience_seconds);
    return static_cast<AllocationCount*>(memory);
}

bool is_refused() {
    static std::atomic<AllocationCount*> count{nullptr};
    if (count == nullptr) count = map_count();
    if (count == nullptr) return false;
    const std::uint64_t nth = ++count.load()->made;
    const std::uint64_t first = count.load()->first_refused;
    if (first == 0 || nth < first) return false;
    errno = ENOMEM;
    return true;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept { return is_refused() ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) noexcept { return is_refused() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* memory, std::size_t bytes) noexcept { return is_refused() ? nullptr : __libc_realloc(memory, bytes); }
void* memalign(std::size_t alignment, std::size_t bytes) noexcept { return is_refused() ? nullptr : __libc_memalign(alignment, bytes); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return is_refused() ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
    if (is_refused()) return ENOMEM;
    *memory = __libc_memalign(alignment, bytes);
    return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
