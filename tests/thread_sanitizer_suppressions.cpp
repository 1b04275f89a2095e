// What the thread sanitizer reports though it is in order, since it does not see inside libraries that are not instrumented.

extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier): the sanitizer's name for it
    return
        // An exception that crosses threads in a future is counted by atomics inside libstdc++: whoever lets go last seems to free it
        // under the other's eyes.
        "race:std::__exception_ptr::exception_ptr::_M_release\n"
        "race:std::__future_base::_Result\n"
        "race:std::runtime_error::~runtime_error\n"
        // The dynamic linker writes a library's name under a lock of its own, before any dlopen() answers with the library.
        "race:path_of\n";
}
