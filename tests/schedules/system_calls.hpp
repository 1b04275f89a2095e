// The system's own functions, behind those that pthread_calls.cpp replaces.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <type_traits>

namespace cupool::test {

template <class Function>
Function* system_function(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace cupool::test

/// The system's function of that name. The type is decayed, as attributes of the declaration do not matter here. The pointer is no static
/// that is initialised under a guard: a thread waits for a guard by syscall(), which is one of these functions.
#define CUPOOL_SYSTEM(name, ...)                                                                       \
    ([]() {                                                                                            \
        static std::atomic<std::add_pointer_t<__VA_ARGS__>> known{nullptr};                            \
        if (known.load() == nullptr) known.store(::cupool::test::system_function<__VA_ARGS__>(#name)); \
        return known.load();                                                                           \
    }())
