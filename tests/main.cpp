// The main() of every test executable, for Catch2 2 and 3.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include "catch.hpp"

int main(int argc, char** argv) {
    const int result = Catch::Session().run(argc, argv);
#ifdef SKIP
    return result;
#else
    // Catch2 without SKIP answers how many assertions failed, and four would look like "every case was skipped".
    return result == 0 ? 0 : 1;
#endif
}
