#include "failing_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "failing_new.hpp"

namespace cupool::test {

namespace {

std::atomic<bool> armed{false};
std::atomic<bool> fails_for_ever{false};
std::atomic<bool> fails_in_driver{false};
std::atomic<std::uint64_t> failing{0};
std::atomic<std::uint64_t> creations{0};

bool must_fail() {
    if (!armed || fails_in_driver != InDriver::is_at_work()) return false;
    const std::uint64_t nth = ++creations;
    return fails_for_ever ? nth >= failing : nth == failing;
}

}  // namespace

FailingThreads::FailingThreads(std::uint64_t nth, Duration duration, Whose whose) {
    fails_in_driver = whose == Whose::driver;
    failing = nth;
    creations = 0;
    fails_for_ever = duration == Duration::for_ever;
    armed = true;
}

FailingThreads::~FailingThreads() { armed = false; }

bool FailingThreads::has_failed() { return creations >= failing; }

}  // namespace cupool::test

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

/// The sanitizer's own, which must know of every thread; null where there is none, or where it is a library, which is next.
extern "C" __attribute__((weak)) Create __interceptor_pthread_create;  // NOLINT(bugprone-reserved-identifier)

/// Takes the place of the system's for everything in the process, the standard library's threads among it.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
    static Create* const create = __interceptor_pthread_create != nullptr ? __interceptor_pthread_create
                                                                          : reinterpret_cast<Create*>(::dlsym(RTLD_NEXT, "pthread_create"));
    return cupool::test::must_fail() ? EAGAIN : create(thread, attributes, function, argument);
}
