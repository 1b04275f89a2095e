// The raw entry points of a libcuda, loaded by its path, without cupool.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include <cupool/driver/abi.hpp>

namespace cupool::test {

using namespace abi;

struct Library {
    explicit Library(const std::string& path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (handle == nullptr) {
            throw std::runtime_error(dlerror());
        }
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) \
    member = reinterpret_cast<decltype(member)>(symbol(exported));
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
        get_proc_address = reinterpret_cast<decltype(get_proc_address)>(symbol("cuGetProcAddress"));
        get_proc_address_v2 = reinterpret_cast<decltype(get_proc_address_v2)>(symbol("cuGetProcAddress_v2"));
    }

    void* symbol(const char* name) const { return dlsym(handle, name); }

    void* handle;
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) Status(*member) signature = nullptr;
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    Status (*get_proc_address)(const char*, void**, int, std::uint64_t) = nullptr;
    Status (*get_proc_address_v2)(const char*, void**, int, std::uint64_t, ProcAddressQueryResult*) = nullptr;
};

}  // namespace cupool::test
