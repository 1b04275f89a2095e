// The simulated driver, its calls marked as the driver's.

#include <dlfcn.h>

#include <cupool/driver/entry_points.hpp>
#include <string>

#include "failing_new.hpp"
#include "simulated_driver.hpp"

namespace cupool::test {

namespace {

/// The simulated driver's own functions.
const EntryPoints& driver_functions() {
    static const EntryPoints functions = [] {
        void* const library = dlopen(CUPOOL_SIMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        EntryPoints found;
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) \
    found.member = reinterpret_cast<decltype(found.member)>(dlsym(library, exported));
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
        return found;
    }();
    return functions;
}

template <auto Member, class... Arguments>
abi::Status marked_call(Arguments... arguments) {
    const InDriver scope;
    return (driver_functions().*Member)(arguments...);
}

template <auto Member, class... Arguments>
void* marked(abi::Status (*EntryPoints::*)(Arguments...)) {
    return reinterpret_cast<void*>(&marked_call<Member, Arguments...>);
}

void* find(const char* exported) {
    const std::string name(exported);
#define CUPOOL_ENTRY_POINT(member, base, version, row_exported, need, since, signature) \
    if (name == row_exported) return marked<&EntryPoints::member>(&EntryPoints::member);
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    return nullptr;
}

}  // namespace

LoadOptions simulated_driver() {
    driver_functions();
    LoadOptions options;
    options.resolver = find;
    return options;
}

}  // namespace cupool::test
