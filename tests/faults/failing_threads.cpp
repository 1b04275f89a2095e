#include "failing_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<bool> armed{false};
std::atomic<bool> fails_for_ever{false};
std::atomic<std::uint64_t> failing{0};
std::atomic<std::uint64_t> threads{0};

bool must_fail() {
    if (!armed) return false;
    const std::uint64_t nth = ++threads;
    return fails_for_ever ? nth >= failing : nth == failing;
}

}  // namespace

namespace cupool::test {

FailingThreads::FailingThreads(std::uint64_t nth, Duration duration) {
    failing = nth;
    threads = 0;
    fails_for_ever = duration == Duration::for_ever;
    armed = true;
}

FailingThreads::~FailingThreads() { armed = false; }

bool FailingThreads::has_failed() { return threads >= failing; }

}  // namespace cupool::test

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) noexcept {
    static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return must_fail() ? EAGAIN : create(thread, attributes, run, argument);
}
