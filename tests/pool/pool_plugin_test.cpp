// A plugin with a pool that is taken down while the plugin is unloaded.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>

#include <thread>

#include "catch.hpp"

namespace {

/// \return 0 where the plugin was loaded, used and unloaded
int use_plugin() {
    void* const plugin = ::dlopen(CUPOOL_TEST_POOL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return 1;
    const auto work = reinterpret_cast<int (*)()>(::dlsym(plugin, "cupool_test_pool_plugin_work"));
    if (work == nullptr || work() != 0) return 2;
    ::dlclose(plugin);
    if (::dlopen(CUPOOL_TEST_POOL_PLUGIN, RTLD_NOW | RTLD_NOLOAD) != nullptr) return 3;  // proves nothing
    // What the plugin left behind would run into code that is gone.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return 0;
}

}  // namespace

TEST_CASE("a plugin is unloaded when the pool that went in its own work has been taken down", "[teardown]") {
#if defined(__SANITIZE_THREAD__)
    CUPOOL_SKIP("skipped: the thread sanitizer forgets which library an exit handler is of, and runs it when that is gone");
#endif
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        for (int round = 0; round < 3; ++round) {
            if (const int code = use_plugin(); code != 0) ::_exit(code);
        }
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK_FALSE(WIFSIGNALED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
