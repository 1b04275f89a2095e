// Modules, libraries and links.
#include <algorithm>
#include <cupool/driver/library.hpp>
#include <cupool/driver/linker.hpp>

#include "kernels.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr char wrong_ptx[] = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry wrong()\n{\n    bra frobnicate;\n}\n";

std::vector<std::string> sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
}

const std::vector<std::string> all_names{"add", "add_offset", "cramped", "meet", "nothing"};

}  // namespace

TEST_CASE("code that does not compile is refused with the compiler's words", "[modules]") {
    CUPOOL_NEEDS_GPUS(1);
    const Error error = error_of([] { Module(gpus()[0], wrong_ptx); });
    CHECK(error.category() == ErrorCategory::jit_failure);
    CHECK(error.code() == abi::Status::invalid_ptx);
    CHECK_THAT(error.log(), contains_text("line 6"));
    CHECK_THAT(error.log(), contains_text("frobnicate"));
    CHECK(error_of([] { Module(gpus()[0], "nothing like a module"); }).category() == ErrorCategory::jit_failure);
    CHECK(error_of([] { Module(gpus()[0], ""); }).category() == ErrorCategory::jit_failure);
}

TEST_CASE("options reach the compiler", "[modules]") {
    CUPOOL_NEEDS_GPUS(1);
    JitOptions options;
    options.max_registers = 64;
    options.optimization_level = 2;
    options.cache_mode = abi::JitCacheMode::global_level_only;
    options.fallback = abi::JitFallback::prefer_ptx;
    options.line_info = true;
    options.wall_time = true;
    const Module module(gpus()[0], kernels_ptx, options);
    CHECK(module.compile_milliseconds().value_or(-1) >= 0);
    CHECK(module.kernel<>("nothing").attribute(abi::FunctionAttribute::register_count) <= 64);
    CHECK_FALSE(Module(gpus()[0], kernels_ptx).compile_milliseconds().has_value());
}

TEST_CASE("a module tells its kernels", "[modules]") {
    CUPOOL_NEEDS_GPUS(1);
    const Module module(gpus()[0], kernels_ptx);
    CHECK(sorted(module.kernel_names()) == all_names);
    CHECK(error_of([&] { module.untyped_kernel("no_such"); }).code() == abi::Status::not_found);
    CHECK(error_of([&] { module.global("no_such"); }).code() == abi::Status::not_found);
    CHECK(module.global("offset").size() == 4);
    const auto mode = module_loading_mode(gpus()[0].driver());
    CHECK((mode == abi::ModuleLoadingMode::lazy || mode == abi::ModuleLoadingMode::eager));
}

TEST_CASE("a library's kernels run in every context, each with variables of its own", "[modules]") {
    CUPOOL_NEEDS_GPUS(1);
    const Library library(Driver::system(), kernels_ptx);
    CHECK(sorted(library.kernel_names()) == all_names);
    int expected = 5;
    for (const ContextView context : gpus()) {
        Bench bench(context);
        const auto add_offset = library.kernel<DeviceSpan<int>, unsigned>("add_offset", context);
        add_offset.launch(Bench::shape, bench.stream, bench.values.span(), Bench::count);
        CHECK(bench.result() == Bench::all(5));
        ++expected;
        const DeviceSpan<std::byte> offset = library.global("offset", context);
        REQUIRE(offset.size() == sizeof expected);
        copy(offset, std::as_bytes(std::span(&expected, 1)), bench.stream);
        add_offset.launch(Bench::shape, bench.stream, bench.values.span(), Bench::count);
        CHECK(bench.result() == Bench::all(5 + expected));
    }
}

TEST_CASE("a library's kernels have attributes on each device", "[modules]") {
    CUPOOL_NEEDS_GPUS(1);
    const Library library(Driver::system(), kernels_ptx);
    const Device& device = gpus()[0].device();
    CHECK(library.kernel_attribute("cramped", abi::FunctionAttribute::max_threads_per_block, device) == 64);
    library.set_kernel_attribute("cramped", abi::FunctionAttribute::max_dynamic_shared_size_bytes, 64 * 1024, device);
    CHECK(library.kernel_attribute("cramped", abi::FunctionAttribute::max_dynamic_shared_size_bytes, device) == 64 * 1024);
    CHECK(error_of([&] { library.untyped_kernel("no_such", gpus()[0]); }).code() == abi::Status::not_found);
    CHECK(error_of([&] { library.global("no_such", gpus()[0]); }).code() == abi::Status::not_found);
}

TEST_CASE("a library that does not compile says why, when loaded or when used", "[modules]") {
    CUPOOL_NEEDS_GPUS(1);
    const Error error = error_of([] { Library(Driver::system(), wrong_ptx).untyped_kernel("wrong", gpus()[0]); });
    CHECK(error.category() == ErrorCategory::jit_failure);
}

TEST_CASE("what is linked is a module", "[modules]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    Linker linker(bench.context);
    linker.add(kernels_ptx);
    const std::string image = linker.complete();
    CHECK_FALSE(image.empty());
    const Module module(bench.context, image);
    module.kernel<DeviceSpan<int>, int, unsigned>("add").launch(Bench::shape, bench.stream, bench.values.span(), 4, Bench::count);
    CHECK(bench.result() == Bench::all(4));
}

TEST_CASE("a link that fails has the compiler's words", "[modules]") {
    CUPOOL_NEEDS_GPUS(1);
    Linker linker(gpus()[0]);
    const Error error = error_of([&] { linker.add(wrong_ptx, abi::LinkInput::ptx, "wrong.ptx"); });
    CHECK(error.category() == ErrorCategory::jit_failure);
    CHECK_THAT(error.log(), contains_text("line 6"));
}
