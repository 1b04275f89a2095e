// Temporary: prints what a real driver answers, for the record.
#include <dlfcn.h>

#include <cupool/driver/graph.hpp>
#include <cupool/driver/stream_capture.hpp>
#include <iostream>

#include "kernels.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("print the variants of entry points", "[record]") {
    CUPOOL_NEEDS_GPUS(1);
    void* library = dlopen(Driver::system()->report().library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
    using Query = abi::Result (*)(const char*, void**, int, std::uint64_t, abi::ProcAddressQueryResult*);
    const auto query = reinterpret_cast<Query>(dlsym(library, "cuGetProcAddress_v2"));
    for (const EntryPointInfo& row : all_entry_points) {
        void* legacy = nullptr;
        void* per_thread = nullptr;
        query(row.base, &legacy, 13000, 1, nullptr);
        query(row.base, &per_thread, 13000, 2, nullptr);
        std::cout << "RECORD\t" << row.base << " has another for the per-thread stream\t" << (legacy != per_thread ? "yes" : "no") << '\n';
    }
    for (const EntryPointInfo& row : all_entry_points) {
        std::string seen;
        std::string last = "none";
        for (int version = 1000; version <= 13000; version += 10) {
            void* found = nullptr;
            query(row.base, &found, version, 0, nullptr);
            const std::string kind = found == nullptr ? "none" : found == dlsym(library, row.exported) ? "ours" : "another";
            if (kind != last) seen += " " + std::to_string(version) + ":" + kind;
            last = kind;
        }
        std::cout << "RECORD\tvariants of " << row.base << '\t' << seen << '\n';
    }
    std::cout << std::flush;
}
