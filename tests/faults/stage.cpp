#include "stage.hpp"

#include <stdexcept>

#include "simulated_driver.hpp"

namespace cupool::test {

namespace {

constexpr int device_count = 2;

void require(abi::Status result) {
    if (result != abi::Status::success) throw std::runtime_error("the caller's own calls fail: " + describe(result));
}

}  // namespace

std::optional<Error> Outcome::error() const {
    if (!thrown) return std::nullopt;
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) {
        return error;
    } catch (...) {
        return std::nullopt;
    }
}

std::string Outcome::words() const {
    if (!thrown) return is_right ? "" : "gives a wrong answer, and no error";
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
        return exception.what();
    }
}

Outcome attempt(const Program& program, World& world) noexcept {
    try {
        return {program.run(world), nullptr};
    } catch (...) {
        return {false, std::current_exception()};
    }
}

CallersContext::CallersContext(const EntryPoints& api) : api_(api) {
    require(api.init(0));
    require(api.context_create(&context_, 0, device_count - 1));
}

CallersContext::~CallersContext() { api_.context_destroy(context_); }

bool CallersContext::is_current() const {
    abi::Context current = nullptr;
    return api_.context_get_current(&current) == abi::Status::success && current == context_;
}

void CallersContext::restore() const { require(api_.context_set_current(context_)); }

Stage::Stage()
    : simulator_(CUPOOL_SIMULATOR_LIBRARY, std::vector<SimulatedDevice>(device_count)), driver_(Driver::open(simulated_driver())) {
    caller_.emplace(driver_->api());
    renew_world();
}

void Stage::renew_world() {
    world_.reset();
    world_.emplace(Driver::open(simulated_driver()), memory_);
}

CupoolSimLiveCounts Stage::end() {
    world_.reset();
    caller_.reset();
    return simulator_.live_counts();
}

}  // namespace cupool::test
