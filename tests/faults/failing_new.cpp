#include "failing_new.hpp"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace cupool::test {

namespace {

std::atomic<bool> armed{false};
std::atomic<bool> fails_for_ever{false};
std::atomic<bool> fails_in_driver{false};
std::atomic<std::uint64_t> failing{0};
std::atomic<std::uint64_t> allocations{0};

thread_local int calls_of_driver = 0;

/// Blocked in the driver's calls and so in all threads that they start, which inherit it; nobody sends it.
int marker() { return SIGRTMAX; }

void set_marker(int how) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, marker());
    pthread_sigmask(how, &signals, nullptr);
}

bool is_thread_of_driver() {
    enum class Owner : char { unknown, program, driver };
    thread_local Owner owner = Owner::unknown;
    if (owner == Owner::unknown) {
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        owner = sigismember(&blocked, marker()) == 1 ? Owner::driver : Owner::program;
    }
    return owner == Owner::driver;
}

bool must_fail() {
    if (!armed || fails_in_driver != InDriver::is_at_work()) return false;
    const std::uint64_t nth = ++allocations;
    return fails_for_ever ? nth >= failing : nth == failing;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
    void* const memory = must_fail() ? nullptr
                         : alignment <= alignof(std::max_align_t)
                             ? std::malloc(bytes == 0 ? 1 : bytes)
                             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const memory = allocate(bytes, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

FailingNew::FailingNew(std::uint64_t nth, Duration duration, Whose whose) {
    failing = nth;
    allocations = 0;
    fails_in_driver = whose == Whose::driver;
    fails_for_ever = duration == Duration::for_ever;
    armed = true;
}

FailingNew::~FailingNew() { armed = false; }

bool FailingNew::has_failed() { return allocations >= failing; }

InDriver::InDriver() noexcept {
    if (calls_of_driver++ == 0) set_marker(SIG_BLOCK);
}

bool InDriver::is_at_work() { return calls_of_driver > 0 || is_thread_of_driver(); }

InDriver::~InDriver() {
    if (--calls_of_driver == 0) set_marker(SIG_UNBLOCK);
}

}  // namespace cupool::test

using cupool::test::allocate;
using cupool::test::allocate_or_throw;

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate_or_throw(bytes, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, alignof(std::max_align_t)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
