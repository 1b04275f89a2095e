// A library that does something as soon as it is loaded: what CUPOOL_TEST_FOREIGN says.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

const struct AtLoad {
    AtLoad() {
        const char* const variable = std::getenv("CUPOOL_TEST_FOREIGN");
        const std::string_view deed = variable == nullptr ? "speak" : variable;
        if (deed == "speak") std::puts("foreign code runs");
        if (deed == "crash") {
            std::signal(SIGSEGV, SIG_DFL);  // sanitizers make an exit code of it
            std::raise(SIGSEGV);
        }
        if (deed == "abort") std::abort();
        if (deed == "leave") ::_exit(0);
        if (deed == "fail") ::_exit(3);
        if (deed == "hang") ::pause();
        if (deed == "hang unheard") {
            ::close(STDOUT_FILENO);
            ::pause();
        }
        if (deed == "leave a process" && ::fork() == 0) {
            ::alarm(60);  // it ends some time
            ::pause();
        }
        while (deed == "speak without end") std::puts("foreign code runs");
    }
} at_load;

}  // namespace
