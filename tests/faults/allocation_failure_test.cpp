// The Nth operator new of each program fails, for N = 1, 2, ... until none does; and that and all after it. Each time there is a right
// answer, std::bad_alloc, or an Error out_of_memory; nothing is left alive, the caller's context is current again, and a second attempt
// succeeds.

#include <cupool/driver/log.hpp>
#include <iostream>
#include <new>
#include <string>

#include "catch.hpp"
#include "failing_new.hpp"
#include "sanitizers.hpp"
#include "stage.hpp"
#include "watchdog.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::chrono::seconds patience{300};

/// Under a sanitizer, where a step takes ten times as long, only every fourth allocation fails.
constexpr std::uint64_t stride = is_sanitized ? 4 : 1;

bool is_bad_alloc(const Outcome& outcome) {
    try {
        if (outcome.thrown) std::rethrow_exception(outcome.thrown);
    } catch (const std::bad_alloc&) {
        return true;
    } catch (...) {
    }
    return false;
}

bool is_allowed(const Program& program, const Outcome& outcome) {
    if (outcome.is_right || is_bad_alloc(outcome)) return true;
    const std::optional<Error> error = outcome.error();
    return error && (error->category() == ErrorCategory::out_of_memory || program.explains);
}

/// \return whether there was an allocation to fail
bool fail_allocation(const Program& program, std::uint64_t nth, FailingNew::Duration duration) {
    std::optional<InDriver> driver_at_work(std::in_place);
    Stage stage;
    driver_at_work.reset();
    Outcome outcome;
    bool has_failed = false;
    {
        const FailingNew failing(nth, duration);
        outcome = attempt(program, stage.world());
        has_failed = FailingNew::has_failed();
    }
    if (!is_allowed(program, outcome)) FAIL_CHECK(outcome.words());
    if (!has_failed) CHECK(outcome.is_right);
    CHECK(stage.caller().is_current());
    stage.caller().restore();
    const Outcome again = attempt(program, stage.world());
    CHECK(again.words() == "");
    CHECK(Simulator::to_string(stage.end()) == "nothing");
    driver_at_work.emplace();
    return has_failed;
}

std::uint64_t fail_each_allocation(const Program& program, FailingNew::Duration duration, Watchdog& watchdog) {
    const std::string name = std::string(program.name) + (duration == FailingNew::Duration::once ? ": allocation " : ": from allocation ");
    for (std::uint64_t nth = 1;; nth += stride) {
        const std::string step = name + std::to_string(nth);
        watchdog.begin(step);
        INFO(step);
        if (!fail_allocation(program, nth, duration)) return nth - 1;
    }
}

}  // namespace

TEST_CASE("every allocation fails, once and for ever, and each time there is a right answer or an error") {
    set_log_callback([](LogLevel, std::string_view) {});
    set_log_level(LogLevel::debug);
    Watchdog watchdog(patience);
    for (const Program& program : programs()) {
        if (program.on_demand) continue;
        fail_allocation(program, ~std::uint64_t{0}, FailingNew::Duration::once);  // what is made once a process is made now
        const std::uint64_t once = fail_each_allocation(program, FailingNew::Duration::once, watchdog);
        fail_each_allocation(program, FailingNew::Duration::for_ever, watchdog);
        std::cout << program.name << ": " << once << " allocations, " << (stride == 1 ? "each" : "every fourth") << " of which failed"
                  << std::endl;
    }
    set_log_level(LogLevel::off);
    set_log_callback({});
}
