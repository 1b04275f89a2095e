#include <algorithm>
#include <cstring>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/module.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr char header[] = ".version 6.3\n.target sm_75\n.address_size 64\n";

}  // namespace

TEST_CASE("a module is loaded, asked for its kernels and unloaded") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 1));
    {
        // Not terminated: the text's length counts.
        const std::string text =
            std::string(header) + ".visible .entry first()\n{\nret;\n}\n.visible .entry second(.param .u32 n)\n{\nret;\n}\nXXX";
        Module module(context, std::string_view(text).substr(0, text.size() - 3));
        CHECK(module.context() == context.view());
        CHECK(module.kernel<>("first").name() == "first");
        CHECK(module.kernel<std::uint32_t>("second").context().ordinal() == 1);
        const Error error = error_of([&] { module.kernel<>("third"); });
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK(error.device() == 1);
        CHECK_THAT(error.what(), contains_text("\"third\""));
        CHECK(error_of([&] { module.global("nothing"); }).category() == ErrorCategory::invalid_argument);

        Module moved = std::move(module);
        CHECK(moved.kernel<>("first").handle() != nullptr);
        moved = Module(context, std::string(header) + ".visible .entry other()\n{\nret;\n}\n");
        CHECK(machine.simulator.live_counts().modules == 1);
    }
    CHECK(machine.simulator.live_counts().modules == 0);
}

TEST_CASE("the compiler's whole log comes with the error") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const Error error = error_of([&] { Module(context, "this is no PTX"); });
    CHECK(error.category() == ErrorCategory::jit_failure);
    CHECK(error.call() == "cuModuleLoadDataEx");
    CHECK(error.device() == 0);
    CHECK_FALSE(error.log().empty());
    CHECK_THAT(error.what(), contains_text("JIT log"));
}

TEST_CASE("a log longer than the first buffer is kept whole") {
    // A driver whose compiler says as much as the buffer takes, up to 100000 characters and a last word.
    struct Verbose {
        static abi::Status load(abi::Module*, const void*, unsigned count, abi::JitOption* options, void** values) {
            char* buffer = nullptr;
            std::size_t size = 0;
            for (unsigned index = 0; index < count; ++index) {
                if (options[index] == abi::JitOption::error_log_buffer) {
                    buffer = static_cast<char*>(values[index]);
                } else if (options[index] == abi::JitOption::error_log_buffer_size_bytes) {
                    size = reinterpret_cast<std::uintptr_t>(values[index]);
                }
            }
            const std::string log = std::string(100000, 'x') + " the end";
            const std::size_t kept = std::min(log.size(), size - 1);
            std::memcpy(buffer, log.data(), kept);
            buffer[kept] = '\0';
            return abi::Status::invalid_ptx;
        }
    };
    Machine machine;
    LoadOptions options;
    void* library = ::dlopen(CUPOOL_SIMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    options.resolver = [library](const char* exported) -> void* {
        const std::string name = exported;
        if (name == "cuModuleLoadDataEx") return reinterpret_cast<void*>(&Verbose::load);
        return name.rfind("cuGetProcAddress", 0) == 0 ? nullptr : ::dlsym(library, exported);
    };
    const PrimaryContext context = PrimaryContext::retain(Device(Driver::open(options), 0));
    const Error error = error_of([&] { Module(context, header); });
    CHECK(error.log().size() == 100008);
    CHECK(error.log().substr(error.log().size() - 7) == "the end");
}

TEST_CASE("a module's variables are spans of bytes") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Module module(context.context(),
                        std::string(header) + ".visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};\n.visible .entry k()\n{\nret;\n}\n");
    const DeviceSpan<std::byte> table = module.global("table");
    CHECK(table.size() == 16);
    CHECK(table.device() == 0);
}

TEST_CASE("PTX of a version that no driver knows is refused, however large its number") {
    Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    for (const std::string version : {"9.1", "9.4294967296", "429496736.0", "4294967302.3", "99999999999999999999.0"}) {
        INFO(version);
        const Error error = error_of(
            [&] { Module(context, ".version " + version + "\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n"); });
        CHECK(error.category() == ErrorCategory::jit_failure);
        CHECK_THAT(error.log(), contains_text("Unsupported .version"));
    }
}
