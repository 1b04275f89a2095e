// The reaction of a tool to a failure of operator new. Only the tools link this file, because it
// applies to the whole process.

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

/// Enough memory to compose and throw an exception.
constexpr std::size_t memory_for_exception = std::size_t{1} << 16;

void write_to_stderr(const char* text) { static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); }

/// Several threads may run out of memory at once: the first one prints the message, the others wait
/// for the end of the process.
[[noreturn]] void say_so_and_end() {
    static std::atomic_flag is_said;
    if (is_said.test_and_set()) {
        for (;;) ::pause();
    }
    write_to_stderr(program_invocation_short_name);
    write_to_stderr(": out of host memory\n");
    std::_Exit(ExitCode::failed);
}

/// Throws if there is memory for an exception, whose handler reports what was too large. Without
/// memory, throwing would end in std::terminate(), so the tool prints a message and exits.
void handle_shortage() {
    void* const probe = std::malloc(memory_for_exception);
    std::free(probe);
    if (probe != nullptr) throw std::bad_alloc();
    say_so_and_end();
}

/// Runs before the constructors of static objects, because these allocate, too.
[[gnu::constructor(101)]] void install() { std::set_new_handler(handle_shortage); }

}  // namespace
}  // namespace cupool::tools
