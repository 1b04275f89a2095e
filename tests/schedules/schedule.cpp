#include "schedule.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <sstream>
#include <utility>

#include "system_calls.hpp"

namespace cupool::test {

/// A thread that takes part. Only the one that has the token looks at these.
class Schedule::Thread {
public:
    enum class State { runnable, blocked, ended };

    Thread(Schedule& of, int its_number, std::string its_name) : schedule(of), number(its_number), name(std::move(its_name)) {
        ::sem_init(&token, 0, 0);
    }
    ~Thread() { ::sem_destroy(&token); }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    void await_token() {
        while (::sem_wait(&token) != 0 && errno == EINTR) continue;
    }
    bool may_time_out() const { return state == State::blocked && deadline.has_value(); }

    Schedule& schedule;
    const int number;
    const std::string name;
    sem_t token;
    State state = State::runnable;
    const char* doing = "begins";
    const void* object = nullptr;  // of what it does
    std::optional<std::int64_t> deadline;
    bool was_woken = false;
    int mutexes = 0;  // that it holds
    pthread_t handle{};
    void* (*function)(void*) = nullptr;
    void* argument = nullptr;
};

namespace {

/// What no run comes near to.
constexpr std::uint64_t max_points = 1'000'000;

thread_local Schedule::Thread* own_thread = nullptr;
/// Also in a child that was forked.
Schedule* current_schedule = nullptr;

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

}  // namespace

Schedule::Schedule(std::uint64_t seed, std::string name, Forks forks)
    : name_(std::move(name)), forks_(std::move(forks)), process_(::getpid()), generator_(seed), now_(1'000'000'000'000'000) {
    changes_ = std::uint64_t{1} << below(5);  // few changes and many find different faults
    current_schedule = this;
    own_thread = &add("the first thread");
    forker_ = &add("the forking thread");
    if (start(*forker_, &forker_->handle, nullptr, run_forker) != 0) fail("there is no thread to fork");
    give_token_to(*forker_);
}

Schedule::~Schedule() {
    if (own_thread != nullptr) fail("a schedule has not been ended");
    current_schedule = nullptr;
}

Schedule* Schedule::current() {
    if (own_thread == nullptr || own_thread->schedule.process_ != ::getpid()) return nullptr;
    return &own_thread->schedule;
}

Schedule::Thread& Schedule::self() const { return *own_thread; }

void Schedule::end() {
    while (!others_have_ended()) block("waits for all threads to end", this);
    is_ending_ = true;
    forker_->state = Thread::State::runnable;
    while (forker_->state != Thread::State::ended) block("waits for the forking thread to end", this);
    CUPOOL_SYSTEM(pthread_join, int(pthread_t, void**))(forker_->handle, nullptr);
    own_thread = nullptr;
}

bool Schedule::others_have_ended() const {
    return std::all_of(threads_.begin(), threads_.end(), [&](const auto& thread) {
        return thread.get() == own_thread || thread.get() == forker_ || thread->state == Thread::State::ended;
    });
}

void Schedule::yield() { point("yields"); }

int Schedule::lock(pthread_mutex_t* mutex) {
    point("locks", mutex);
    int result = 0;
    acquire("waits for mutex", mutex, [&] { return result = CUPOOL_SYSTEM(pthread_mutex_trylock, int(pthread_mutex_t*))(mutex); });
    if (result == 0) {
        holders_[mutex] = self().number;
        ++self().mutexes;
    }
    return result;
}

int Schedule::try_lock(pthread_mutex_t* mutex) {
    point("tries to lock", mutex);
    const int result = CUPOOL_SYSTEM(pthread_mutex_trylock, int(pthread_mutex_t*))(mutex);
    if (result == 0) {
        holders_[mutex] = self().number;
        ++self().mutexes;
    }
    return result;
}

int Schedule::unlock(pthread_mutex_t* mutex) {
    point("unlocks", mutex);
    holders_.erase(mutex);
    --self().mutexes;
    const int result = CUPOOL_SYSTEM(pthread_mutex_unlock, int(pthread_mutex_t*))(mutex);
    wake(mutex, threads_.size());
    return result;
}

int Schedule::read_lock(pthread_rwlock_t* lock) {
    point("locks for reading", lock);
    int result = 0;
    acquire("waits for read lock", lock, [&] { return result = CUPOOL_SYSTEM(pthread_rwlock_tryrdlock, int(pthread_rwlock_t*))(lock); });
    ++self().mutexes;
    return result;
}

int Schedule::write_lock(pthread_rwlock_t* lock) {
    point("locks for writing", lock);
    int result = 0;
    acquire("waits for write lock", lock, [&] { return result = CUPOOL_SYSTEM(pthread_rwlock_trywrlock, int(pthread_rwlock_t*))(lock); });
    ++self().mutexes;
    return result;
}

int Schedule::unlock(pthread_rwlock_t* lock) {
    point("unlocks", lock);
    --self().mutexes;
    const int result = CUPOOL_SYSTEM(pthread_rwlock_unlock, int(pthread_rwlock_t*))(lock);
    wake(lock, threads_.size());
    return result;
}

/// Attempts until the object is not busy.
void Schedule::acquire(const char* doing, const void* object, const std::function<int()>& attempt) {
    while (attempt() == EBUSY) block(doing, object);
}

int Schedule::wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::optional<std::int64_t> deadline) {
    unlock(mutex);  // whoever notifies from here on finds this thread waiting, as nobody runs before it blocks
    const bool was_woken = block("waits for condition", condition, deadline);
    lock(mutex);
    return was_woken ? 0 : ETIMEDOUT;
}

void Schedule::notify(const void* object, std::uint64_t count) {
    point("notifies", object);
    wake(object, count);
}

bool Schedule::wait_for_change(const void* object, const std::uint32_t* word, std::uint32_t value, std::optional<std::int64_t> deadline) {
    point("looks at futex", object);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) return true;
    return block("waits for futex", object, deadline);
}

int Schedule::create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
    point("creates a thread");
    Thread& thread = add("created by thread " + std::to_string(self().number));
    thread.function = function;
    thread.argument = argument;
    const int result = start(thread, handle, attributes, run_thread);
    if (result != 0) thread.state = Thread::State::ended;
    point("has created a thread");
    return result;
}

int Schedule::start(Thread& thread, pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*)) {
    const int result = CUPOOL_SYSTEM(pthread_create, Create)(handle, attributes, function, &thread);
    if (result == 0) thread.handle = *handle;
    return result;
}

int Schedule::join(pthread_t handle, void** result) {
    point("joins a thread");
    // Handles are used again: the latest thread that has it is meant.
    const auto found = std::find_if(threads_.rbegin(), threads_.rend(), [=](const auto& thread) { return thread->handle == handle; });
    if (found != threads_.rend()) {
        const Thread* const joined = found->get();
        while (joined->state != Thread::State::ended) block("joins thread", joined);
    }
    return CUPOOL_SYSTEM(pthread_join, int(pthread_t, void**))(handle, result);
}

void Schedule::sleep_until(std::int64_t time) { block("sleeps", nullptr, time); }

std::int64_t Schedule::now() { return now_ += 100; }

void Schedule::check_destroyed(const pthread_cond_t* condition) {
    if (current_schedule == nullptr) return;
    for (const auto& thread : current_schedule->threads_) {
        if (thread->state == Thread::State::blocked && thread->object == condition) {
            current_schedule->fail("a condition is destroyed for which thread " + std::to_string(thread->number) + " waits");
        }
    }
}

namespace {

/// Ends the part of a thread in its schedule. Made first on the thread, it is destroyed behind all other objects of the thread.
class Participation {
public:
    explicit Participation(std::function<void()> end) : end_(std::move(end)) {}
    ~Participation() { end_(); }
    Participation(const Participation&) = delete;
    Participation& operator=(const Participation&) = delete;

private:
    std::function<void()> end_;
};

}  // namespace

void* Schedule::run_thread(void* argument) {
    Thread& thread = *static_cast<Thread*>(argument);
    own_thread = &thread;
    thread_local const Participation participation([&thread] { thread.schedule.finish(thread); });
    thread.await_token();
    return thread.function(thread.argument);
}

void* Schedule::run_forker(void* argument) {
    Thread& thread = *static_cast<Thread*>(argument);
    Schedule& schedule = thread.schedule;
    own_thread = &thread;
    thread.await_token();
    while (!schedule.is_ending_) {
        schedule.block("waits until a fork is due", &thread);
        if (schedule.is_ending_) break;
        schedule.forks_.fork();
        schedule.forking_ = nullptr;
    }
    schedule.finish(thread);
    return nullptr;
}

/// The thread's part ends. Its last steps in the system are not in the schedule.
void Schedule::finish(Thread& thread) {
    thread.state = Thread::State::ended;
    thread.doing = "has ended";
    wake(&thread, threads_.size());
    wake(this, threads_.size());
    own_thread = nullptr;
    ::sem_post(&choose().token);
}

Schedule::Thread& Schedule::add(std::string name) {
    threads_.push_back(std::make_unique<Thread>(*this, static_cast<int>(threads_.size()), std::move(name)));
    return *threads_.back();
}

/// Where another thread may go on instead of the calling one, but for the calls that a fork makes: so the next point is another thread's.
void Schedule::point(const char* doing, const void* object) {
    Thread& thread = self();
    if (forking_ == &thread) return;
    thread.doing = doing;
    thread.object = object;
    note(doing);
    now_ += static_cast<std::int64_t>(1 + below(50)) * 1000;
    if (++points_ > max_points) fail("the threads do not come to an end");
    if (forking_ == nullptr && !is_ending_ && forks_.is_due(points_)) fork_here();
    if (below(16) < changes_) give_token_to(choose());
}

/// Forks on the calling thread, or on one that does nothing else, while the calling one is in the midst of its call. A thread that holds
/// a mutex does not fork: handlers of the fork may need it.
void Schedule::fork_here() {
    ++forked_;
    if (self().mutexes == 0 && below(2) == 0) {
        forking_ = &self();
        forks_.fork();
        forking_ = nullptr;
    } else {
        forking_ = forker_;
        forker_->state = Thread::State::runnable;
        give_token_to(*forker_);
    }
}

/// Lets others run until the thread is woken. \return false where the deadline came first
bool Schedule::block(const char* doing, const void* object, std::optional<std::int64_t> deadline) {
    Thread& thread = self();
    thread.state = Thread::State::blocked;
    thread.doing = doing;
    thread.object = object;
    thread.deadline = deadline;
    thread.was_woken = false;
    note(doing);
    give_token_to(choose());
    return thread.was_woken;
}

/// Wakes so many of those that wait for the object, whichever.
void Schedule::wake(const void* object, std::uint64_t count) {
    std::vector<Thread*> waiting;
    for (const auto& thread : threads_) {
        if (thread->state == Thread::State::blocked && thread->object == object) waiting.push_back(thread.get());
    }
    for (; count > 0 && !waiting.empty(); --count) {
        const auto chosen = waiting.begin() + static_cast<std::ptrdiff_t>(below(waiting.size()));
        (*chosen)->state = Thread::State::runnable;
        (*chosen)->was_woken = true;
        waiting.erase(chosen);
    }
}

/// The thread that has the token next. One that may time out seldom does so while others can run.
Schedule::Thread& Schedule::choose() {
    std::vector<Thread*> runnable;
    std::vector<Thread*> timed;
    for (const auto& thread : threads_) {
        if (thread->state == Thread::State::runnable) runnable.push_back(thread.get());
        if (thread->may_time_out()) timed.push_back(thread.get());
    }
    if (runnable.empty() && timed.empty()) fail("all threads wait");
    if (!timed.empty() && (runnable.empty() || below(16) == 0)) runnable.swap(timed);
    Thread& chosen = *runnable[below(runnable.size())];
    if (chosen.state == Thread::State::blocked) {
        now_ = std::max(now_, *chosen.deadline);
        chosen.state = Thread::State::runnable;
    }
    return chosen;
}

void Schedule::give_token_to(Thread& next) {
    Thread& thread = self();
    if (&next == &thread) return;
    ::sem_post(&next.token);
    thread.await_token();
}

void Schedule::note(const char* doing) {
    const auto add = [this](std::uint64_t value) { hash_ = (hash_ ^ value) * 1099511628211U; };
    add(static_cast<std::uint64_t>(self().number));
    for (const char* letter = doing; *letter != 0; ++letter) add(static_cast<unsigned char>(*letter));
}

void Schedule::fail(const std::string& why) const {
    std::ostringstream text;
    text << name_ << ": " << why << " (schedule point " << points_ << ")\n";
    for (const auto& thread : threads_) {
        text << "  thread " << thread->number << " (" << thread->name << ") " << thread->doing;
        if (thread->object != nullptr) text << ' ' << thread->object;
        if (const auto holder = holders_.find(thread->object); holder != holders_.end()) text << ", held by thread " << holder->second;
        text << '\n';
    }
    std::cerr << text.str() << std::flush;
    ::_exit(1);
}

}  // namespace cupool::test
