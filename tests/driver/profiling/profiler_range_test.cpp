#include <dlfcn.h>

#include <cstdlib>
#include <cupool/driver/profiler_range.hpp>
#include <string>

#include "catch.hpp"

using cupool::ProfilerRange;

TEST_CASE("ranges are told to a profiler that is there") {
    REQUIRE(::setenv("NVTX_INJECTION64_PATH", CUPOOL_FAKE_PROFILER, 1) == 0);
    {
        const ProfilerRange outer("outer");
        const ProfilerRange inner("inner");
    }
    { const ProfilerRange next("next"); }
    void* const library = ::dlopen(CUPOOL_FAKE_PROFILER, RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library != nullptr);
    const auto told = reinterpret_cast<const char* (*)()>(::dlsym(library, "cupool_fake_profiler_told"));
    REQUIRE(told != nullptr);
    CHECK(std::string(told()) == "(outer(inner))(next)");
}
