#include "process/scarce_memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <cupool/driver/probe.hpp>
#include <iostream>
#include <new>

namespace {

/// How many allocations of this thread succeed until one fails; below 0: all do.
thread_local long allocations_left = -1;

void* allocate(std::size_t bytes) {
    if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace cupool::test {

int probe_out_of_memory() {
    constexpr long most = 100000;
    LoadOptions options;
    options.library_path = "/dev/null";
    for (long succeeding = 0; succeeding < most; ++succeeding) {
        allocations_left = succeeding;
        const ProbeReport report = probe(options);
        const bool all_succeeded = allocations_left >= 0;
        allocations_left = -1;
        if (all_succeeded) {
            std::cout << succeeding << " allocations have failed in turn" << std::endl;
            return succeeding > 0 && report.reason == Reason::library_unusable ? 0 : 1;
        }
        if (report.reason == Reason::none || report.explanation.empty()) {
            std::cout << "nothing is said when allocation " << succeeding << " fails" << std::endl;
            return 1;
        }
    }
    return 1;
}

}  // namespace cupool::test
