#include "program/interruption.hpp"

#include <csignal>
#include <initializer_list>

namespace cupool::tools {

namespace {

volatile std::sig_atomic_t was_signalled = 0;

}  // namespace

void end_on_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { was_signalled = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

bool is_interrupted() { return was_signalled != 0; }

}  // namespace cupool::tools
