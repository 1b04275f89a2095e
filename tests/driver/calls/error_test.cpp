#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/device.hpp>
#include <cupool/driver/error.hpp>
#include <cupool/driver/result.hpp>
#include <set>
#include <sstream>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

Error make_error_here(SourceLocation where = SourceLocation::current()) { return Error(ErrorCategory::io, "something", where); }

}  // namespace

TEST_CASE("an error carries what it was given, and says all of it on one line") {
    ErrorDetails details;
    details.category = ErrorCategory::jit_failure;
    details.message = "cannot load a module";
    details.code = abi::Status::invalid_ptx;
    details.call = "cuModuleLoadDataEx";
    details.device = 3;
    details.log = "line 1\nline 2\n";
    details.driver_log = "line 3\n";
    const Error error(details);
    CHECK(error.category() == ErrorCategory::jit_failure);
    CHECK(error.message() == "cannot load a module");
    CHECK(error.code() == abi::Status::invalid_ptx);
    CHECK(error.call() == "cuModuleLoadDataEx");
    CHECK(error.device() == 3);
    CHECK_FALSE(error.reason());
    CHECK(error.log() == "line 1\nline 2\n");
    CHECK(error.driver_log() == "line 3\n");
    const std::string what = error.what();
    for (const char* part : {"jit_failure", "cannot load a module", "cuModuleLoadDataEx", "CUDA_ERROR_INVALID_PTX (218)", "device 3",
                             "line 1 | line 2", "driver log: line 3]", "error_test.cpp"}) {
        CHECK_THAT(what, contains_text(part));
    }
    CHECK(what.find('\n') == std::string::npos);
}

TEST_CASE("an error names the place of the call that failed") {
    const int line = __LINE__ + 1;
    const Error error = make_error_here();
    CHECK(error.location().line == line);
    CHECK_THAT(error.location().file, contains_text("error_test.cpp"));
}

TEST_CASE("a number unknown to this build survives") {
    const auto unknown = static_cast<abi::Status>(998);
    CHECK(result_name(unknown).empty());
    CHECK(result_text(unknown).empty());
    CHECK_THAT(describe(unknown), contains_text("998"));
    CHECK(category_of(unknown) == ErrorCategory::internal);
    CHECK_FALSE(is_sticky(unknown));

    Machine machine;
    machine.simulator.plan_fault("cuDeviceTotalMem", 1, 998);
    const Error error = error_of([&] { Device(machine.driver, 0).total_memory(); });
    CHECK(error.code() == unknown);
    CHECK(error.device() == 0);
    CHECK_THAT(error.what(), contains_text("998"));
}

TEST_CASE("what newer drivers answer beyond the table stays a number") {
    for (const int number : {47, 227, 919}) {
        Machine machine;
        machine.simulator.plan_fault("cuDeviceTotalMem", 1, number);
        const Error error = error_of([&] { Device(machine.driver, 0).total_memory(); });
        CHECK(error.code() == static_cast<abi::Status>(number));
        CHECK(error.category() == ErrorCategory::internal);
        CHECK_THAT(error.what(), contains_text(std::to_string(number)));
        CHECK_FALSE(is_sticky(static_cast<abi::Status>(number)));
    }
}

TEST_CASE("every answer of the table has a name, a text of its own and a category") {
    std::set<std::string_view> names;
    int known = 0;
    for (int number = 0; number < 1000; ++number) {
        const auto result = static_cast<abi::Status>(number);
        if (!result_name(result).empty()) {
            ++known;
            names.insert(result_name(result));
            CHECK_FALSE(result_text(result).empty());
            CHECK((result_name(result).rfind("CUDA_ERROR_", 0) == 0 || number == 0));
        }
    }
    CHECK(known == 103);
    CHECK(names.size() == 103);
}

TEST_CASE("answers fall into their categories") {
    CHECK(category_of(abi::Status::out_of_memory) == ErrorCategory::out_of_memory);
    CHECK(category_of(abi::Status::invalid_ptx) == ErrorCategory::jit_failure);
    CHECK(category_of(abi::Status::not_ready) == ErrorCategory::not_ready);
    CHECK(category_of(abi::Status::deinitialized) == ErrorCategory::shutdown);
    CHECK(category_of(abi::Status::launch_out_of_resources) == ErrorCategory::launch_failure);
    CHECK(category_of(abi::Status::no_device) == ErrorCategory::no_device);
    CHECK(reason_of(abi::Status::system_not_ready) == Reason::not_ready);
    CHECK(reason_of(abi::Status::system_driver_mismatch) == Reason::kernel_driver);
    CHECK(reason_of(abi::Status::device_unavailable) == Reason::device_unhealthy);
    CHECK_FALSE(reason_of(abi::Status::invalid_value));
    for (const int sticky : {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911}) {
        CHECK(is_sticky(static_cast<abi::Status>(sticky)));
        CHECK(category_of(static_cast<abi::Status>(sticky)) == ErrorCategory::device_fault);
    }
    CHECK_FALSE(is_sticky(abi::Status::launch_out_of_resources));
}

TEST_CASE("every enumerator prints its name") {
    std::ostringstream out;
    for (int category = 0; category <= static_cast<int>(ErrorCategory::internal); ++category)
        CHECK(to_string(static_cast<ErrorCategory>(category)) != "unknown");
    for (const Reason reason :
         {Reason::none, Reason::no_library, Reason::library_unusable, Reason::kernel_driver, Reason::no_visible_device,
          Reason::device_unhealthy, Reason::permission, Reason::driver_too_old, Reason::not_ready, Reason::partial}) {
        CHECK(to_string(reason) != "unknown");
    }
    out << ErrorCategory::device_fault << ' ' << Reason::partial;
    CHECK(out.str() == "device_fault partial");
}

TEST_CASE("a result is a value or an error") {
    Result<std::string> good(std::string("yes"));
    CHECK(good);
    CHECK(good.value() == "yes");
    CHECK(std::move(good).value() == "yes");
    const Result<std::string> bad(Error(ErrorCategory::io, "no"));
    CHECK_FALSE(bad.has_value());
    CHECK(bad.error().message() == "no");
    CHECK(error_of([&] { bad.value(); }).category() == ErrorCategory::io);
}

TEST_CASE("an error can be reported at another line, with all else as it was") {
    ErrorDetails details;
    details.category = ErrorCategory::launch_failure;
    details.message = "too many threads";
    details.code = abi::Status::invalid_value;
    details.call = "cuLaunchKernel";
    details.device = 1;
    const Error inner(details);
    const SourceLocation here = SourceLocation::current();
    try {
        detail::report_at(here, [&] { throw inner; });
        FAIL("nothing was thrown");
    } catch (const Error& error) {
        CHECK(error.location().line == here.line);
        CHECK(error.location().file == std::string(here.file));
        CHECK(error.category() == inner.category());
        CHECK(error.message() == inner.message());
        CHECK(error.code() == inner.code());
        CHECK(error.device() == inner.device());
        CHECK_THAT(error.what(), contains_text("error_test.cpp:" + std::to_string(here.line)));
    }
    CHECK(detail::report_at(here, [] { return 7; }) == 7);
}
