// Old drivers, one newer than we know, and drivers that lack one thing: what is missing is missed where it is called, and there alone.

#include <dlfcn.h>

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// The simulated driver, found by its exported names; one of them is withheld.
std::shared_ptr<const Driver> open_without(const std::string& missing) {
    void* const library = ::dlopen(CUPOOL_SIMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    LoadOptions options;
    options.resolver = [=](const char* exported) -> void* {
        const std::string name = exported;
        return name == missing || name.rfind("cuGetProcAddress", 0) == 0 ? nullptr : ::dlsym(library, exported);
    };
    return Driver::open(options);
}

/// Calls an entry point, whatever its parameters, with zeros.
template <auto Member, class... Parameters>
void call_with_zeros(const Driver& driver, abi::Status (*const EntryPoints::*)(Parameters...)) {
    detail::call<Member>(driver, detail::no_ordinal, SourceLocation::current(), Parameters{}...);
}

void check_is_unsupported(const Error& error, const EntryPointInfo& row, int version) {
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(error.call() == row.base);
    CHECK_THAT(error.message(), contains_text(std::string(row.base) + " needs a driver of CUDA " + cuda_version_text(row.since)));
    CHECK_THAT(error.message(), contains_text("is of CUDA " + cuda_version_text(version) + " and does not have it"));
}

/// A row of the table, with what depends on its type.
struct EntryPoint {
    const EntryPointInfo& info;
    bool (*is_present)(const Driver& driver);
    void (*call)(const Driver& driver);
};
const EntryPoint entry_points[] = {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature)                               \
    {entry_point_info<&EntryPoints::member>, [](const Driver& driver) { return driver.api().member != nullptr; }, \
     [](const Driver& driver) { call_with_zeros<&EntryPoints::member>(driver, &EntryPoints::member); }},
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
};

/// Calls what the driver must not have, and looks at the error.
void check_refused(const EntryPoint& entry_point, const Driver& driver) {
    const EntryPointInfo& row = entry_point.info;
    INFO(row.base << " of version " << row.version << " on a driver of CUDA " << cuda_version_text(driver.version()));
    REQUIRE_FALSE(entry_point.is_present(driver));
    check_is_unsupported(error_of([&] { entry_point.call(driver); }), row, driver.version());
}

/// What most programs do.
void work(const std::shared_ptr<const Driver>& driver) {
    const DeviceContext context = DeviceContext::for_device(driver, 0);
    const Stream stream(context.context());
    DeviceBuffer<int> buffer(1000, context.with_stream(stream));
    PinnedBuffer<int> pinned(1000, context.context());
    copy_async(buffer.span(), pinned.span(), stream);
    const Event event(context.context());
    event.synchronize();
    const Module module(context.context(), ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n");
    module.kernel<>("nothing").launch({1, 1}, stream);
    stream.launch_host_function([] {});
    stream.synchronize();
    context.context().device().uuid();
}

}  // namespace

TEST_CASE("drivers of every age open, and refuse by name what they do not have") {
    for (const int version : {11020, 11080, 12020, 12080, 13000, 14010}) {
        const Machine machine(std::vector<SimulatedDevice>(1), version);
        CHECK(machine.driver->version() == version);
        for (const EntryPoint& entry_point : entry_points) {
            const EntryPointInfo& row = entry_point.info;
            CHECK((row.need == EntryPointInfo::optional || row.since <= version));
            if (row.since > version) {
                check_refused(entry_point, *machine.driver);
            } else {
                CHECK(entry_point.is_present(*machine.driver));
            }
        }
        try {
            work(machine.driver);
        } catch (const Error& error) {  // one that is older than something it was asked for
            INFO(error.what());
            CHECK(error.category() == ErrorCategory::unsupported);
            CHECK(version < 12000);
        }
    }
}

TEST_CASE("a driver that lacks one optional entry point refuses that one alone") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    for (const EntryPoint& entry_point : entry_points) {
        const EntryPointInfo& row = entry_point.info;
        if (row.need != EntryPointInfo::optional) continue;
        INFO("without " << row.exported);
        const std::shared_ptr<const Driver> driver = open_without(row.exported);
        check_refused(entry_point, *driver);
        try {
            work(driver);
        } catch (const Error& error) {
            check_is_unsupported(error, row, 13000);
        }
    }
}

TEST_CASE("a driver that lacks one required entry point is no driver") {
    const Machine machine(std::vector<SimulatedDevice>(1));
    for (const EntryPointInfo& row : all_entry_points) {
        if (row.need == EntryPointInfo::optional) continue;
        const Error error = error_of([&] { open_without(row.exported); });
        INFO(row.exported);
        CHECK(error.reason() == Reason::library_unusable);
        CHECK_THAT(error.message(), contains_text(row.base));
    }
}
