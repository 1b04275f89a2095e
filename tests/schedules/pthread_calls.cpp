// The functions by which threads wait for each other, replaced for everything in the process, the standard library among it: on a thread
// that takes part in a schedule they go there, on all others to the system.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>

#include "schedule.hpp"
#include "system_calls.hpp"

using cupool::test::Schedule;

namespace {

constexpr std::int64_t billion = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * billion + time.tv_nsec; }

timespec to_timespec(std::int64_t time) { return {time / billion, time % billion}; }

/// What a wait or a wake by futex comes to; nothing where it is another operation.
std::optional<long> scheduled_futex(Schedule& schedule, std::uint32_t* word, int operation, long value, const timespec* timeout) {
    const int command = operation & FUTEX_CMD_MASK;
    if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
        schedule.notify(word, static_cast<std::uint64_t>(value));
        return 0;
    }
    if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) return std::nullopt;
    std::optional<std::int64_t> deadline;
    if (timeout != nullptr) deadline = nanoseconds(*timeout) + (command == FUTEX_WAIT ? schedule.now() : 0);
    if (schedule.wait_for_change(word, word, static_cast<std::uint32_t>(value), deadline)) return 0;
    errno = ETIMEDOUT;
    return -1;
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    if (Schedule* schedule = Schedule::current()) return schedule->lock(mutex);
    return CUPOOL_SYSTEM(pthread_mutex_lock, int(pthread_mutex_t*))(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    if (Schedule* schedule = Schedule::current()) return schedule->try_lock(mutex);
    return CUPOOL_SYSTEM(pthread_mutex_trylock, int(pthread_mutex_t*))(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    if (Schedule* schedule = Schedule::current()) return schedule->unlock(mutex);
    return CUPOOL_SYSTEM(pthread_mutex_unlock, int(pthread_mutex_t*))(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    if (Schedule* schedule = Schedule::current()) return schedule->read_lock(lock);
    return CUPOOL_SYSTEM(pthread_rwlock_rdlock, int(pthread_rwlock_t*))(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    if (Schedule* schedule = Schedule::current()) return schedule->write_lock(lock);
    return CUPOOL_SYSTEM(pthread_rwlock_wrlock, int(pthread_rwlock_t*))(lock);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
    if (Schedule* schedule = Schedule::current()) return schedule->unlock(lock);
    return CUPOOL_SYSTEM(pthread_rwlock_unlock, int(pthread_rwlock_t*))(lock);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    if (Schedule* schedule = Schedule::current()) return schedule->wait(condition, mutex, std::nullopt);
    return CUPOOL_SYSTEM(pthread_cond_wait, int(pthread_cond_t*, pthread_mutex_t*))(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline) {
    if (Schedule* schedule = Schedule::current()) return schedule->wait(condition, mutex, nanoseconds(*deadline));
    return CUPOOL_SYSTEM(pthread_cond_timedwait, int(pthread_cond_t*, pthread_mutex_t*, const timespec*))(condition, mutex, deadline);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
    if (Schedule* schedule = Schedule::current()) return schedule->wait(condition, mutex, nanoseconds(*deadline));
    return CUPOOL_SYSTEM(pthread_cond_clockwait, int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*))(condition, mutex,
                                                                                                                     clock, deadline);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    if (Schedule* schedule = Schedule::current()) schedule->notify(condition, 1);
    return CUPOOL_SYSTEM(pthread_cond_signal, int(pthread_cond_t*))(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    if (Schedule* schedule = Schedule::current()) schedule->notify(condition, INT_MAX);
    return CUPOOL_SYSTEM(pthread_cond_broadcast, int(pthread_cond_t*))(condition);
}

int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
    Schedule::check_destroyed(condition);
    return CUPOOL_SYSTEM(pthread_cond_destroy, int(pthread_cond_t*))(condition);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) noexcept {
    if (Schedule* schedule = Schedule::current()) return schedule->create(thread, attributes, function, argument);
    return CUPOOL_SYSTEM(pthread_create, int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))(thread, attributes, function,
                                                                                                          argument);
}

int pthread_join(pthread_t thread, void** result) {
    if (Schedule* schedule = Schedule::current()) return schedule->join(thread, result);
    return CUPOOL_SYSTEM(pthread_join, int(pthread_t, void**))(thread, result);
}

int sched_yield() noexcept {
    if (Schedule* schedule = Schedule::current()) {
        schedule->yield();
        return 0;
    }
    return CUPOOL_SYSTEM(sched_yield, int())();
}

int nanosleep(const timespec* time, timespec* left) {
    if (Schedule* schedule = Schedule::current()) {
        schedule->sleep_until(schedule->now() + nanoseconds(*time));
        return 0;
    }
    return CUPOOL_SYSTEM(nanosleep, int(const timespec*, timespec*))(time, left);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
    if (Schedule* schedule = Schedule::current()) {
        schedule->sleep_until(nanoseconds(*time) + ((flags & TIMER_ABSTIME) != 0 ? 0 : schedule->now()));
        return 0;
    }
    return CUPOOL_SYSTEM(clock_nanosleep, int(clockid_t, int, const timespec*, timespec*))(clock, flags, time, left);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
    if (Schedule* schedule = Schedule::current()) {
        *time = to_timespec(schedule->now());
        return 0;
    }
    return CUPOOL_SYSTEM(clock_gettime, int(clockid_t, timespec*))(clock, time);
}

/// By which the standard library makes futures, atomics and guards wait.
long syscall(long number, ...) noexcept {
    std::va_list list;
    va_start(list, number);
    long arguments[6];
    for (long& argument : arguments) argument = va_arg(list, long);
    va_end(list);
    Schedule* const schedule = Schedule::current();
    if (number == SYS_futex && schedule != nullptr) {
        const auto answer = scheduled_futex(*schedule, reinterpret_cast<std::uint32_t*>(arguments[0]), static_cast<int>(arguments[1]),
                                            arguments[2], reinterpret_cast<const timespec*>(arguments[3]));
        if (answer) return *answer;
    }
    return CUPOOL_SYSTEM(syscall, long(long, ...))(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                                                   arguments[5]);
}

}  // extern "C"
