// The main() of every test executable, for Catch2 2 and 3.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include "catch.hpp"

// An exception that crosses threads in a future is counted by atomics inside libstdc++, which the thread sanitizer does not see: whoever
// lets go last seems to free it under the other's eyes.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier): the sanitizer's name for it
    return "race:std::__exception_ptr::exception_ptr::_M_release\n"
           "race:std::__future_base::_Result\n"
           "race:std::runtime_error::~runtime_error\n";
}

int main(int argc, char** argv) {
    const int result = Catch::Session().run(argc, argv);
#ifdef SKIP
    return result;
#else
    // Catch2 without SKIP answers how many assertions failed, and four would look like "every case was skipped".
    return result == 0 ? 0 : 1;
#endif
}
