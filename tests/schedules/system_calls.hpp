// The system's own functions, behind those that pthread_calls.cpp replaces.
#pragma once

#include <dlfcn.h>

namespace cupool::test {

template <class Function>
Function* system_function(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace cupool::test

/// The system's function of that name. The type is decayed, as attributes of the declaration do not matter here.
#define CUPOOL_SYSTEM(name, ...)                                                             \
    ([]() {                                                                                  \
        static auto* const system_one = ::cupool::test::system_function<__VA_ARGS__>(#name); \
        return system_one;                                                                   \
    }())
