// What a tool does when operator new gets no memory. Linked into the tools alone, as it holds for the whole process.

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

/// Composing and throwing an exception takes less than this.
constexpr std::size_t memory_for_exception = std::size_t{1} << 16;

void write_to_stderr(const char* text) { static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); }

/// Several threads may run out of memory at once: the first says so, the others wait for the end of the process.
[[noreturn]] void say_so_and_end() {
    static std::atomic_flag is_said;
    if (is_said.test_and_set()) {
        for (;;) ::pause();
    }
    write_to_stderr(program_invocation_short_name);
    write_to_stderr(": out of host memory\n");
    std::_Exit(ExitCode::failed);
}

/// Throws where there is memory for an exception, which says what was too large. Where there is none, throwing would end in
/// std::terminate(), so the tool says what is wrong and ends.
void handle_shortage() {
    void* const probe = std::malloc(memory_for_exception);
    std::free(probe);
    if (probe != nullptr) throw std::bad_alloc();
    say_so_and_end();
}

/// Runs before the constructors of static objects, which allocate too.
[[gnu::constructor(101)]] void install() { std::set_new_handler(handle_shortage); }

}  // namespace
}  // namespace cupool::tools
