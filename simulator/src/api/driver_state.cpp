#include "api/driver_state.hpp"

#include <atomic>

#include <pthread.h>

namespace cupool::simulator {
namespace {

std::atomic<int> version{13000};
std::atomic<bool> initialised{false};
std::atomic<bool> forked_child{false};
thread_local bool in_host_function = false;

void note_fork() { forked_child = initialised.load(); }

}  // namespace

int driver_version() { return version; }

void set_driver_version(int new_version) { version = new_version; }

bool is_initialised() { return initialised; }

void set_initialised(bool now) {
    static const int registered = pthread_atfork(nullptr, nullptr, note_fork);
    static_cast<void>(registered);
    initialised = now;
}

bool is_forked_child() { return forked_child; }

HostFunctionScope::HostFunctionScope() { in_host_function = true; }

HostFunctionScope::~HostFunctionScope() { in_host_function = false; }

bool is_in_host_function() { return in_host_function; }

}  // namespace cupool::simulator
