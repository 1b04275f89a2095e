#pragma once

#include <exception>
#include <optional>
#include <string>

#include "programs.hpp"

namespace cupool::test {

/// What came of one attempt of a program.
struct Outcome {
    bool is_right = false;
    std::exception_ptr thrown;

    /// The cupool::Error that it threw, if it threw one.
    std::optional<Error> error() const;
    /// What went wrong.
    std::string words() const;
};

/// Runs a program once. Allocates nothing.
Outcome attempt(const Program& program, World& world) noexcept;

/// A context that the program's caller has made current, without cupool, and finds current again.
class CallersContext {
public:
    explicit CallersContext(const EntryPoints& api);
    ~CallersContext();
    CallersContext(const CallersContext&) = delete;
    CallersContext& operator=(const CallersContext&) = delete;

    bool is_current() const;
    void restore() const;

private:
    EntryPoints api_;
    abi::Context context_ = nullptr;
};

/// The machine, its caller, and one World after another.
class Stage {
public:
    Stage();

    Simulator& simulator() { return simulator_; }
    World& world() { return *world_; }
    CallersContext& caller() { return *caller_; }

    /// A caller who begins anew, also with the driver.
    void renew_world();

    /// Ends everything. \return what is left alive then
    CupoolSimLiveCounts end();

private:
    HostMemory memory_;
    Simulator simulator_;
    std::shared_ptr<const Driver> driver_;
    std::optional<CallersContext> caller_;
    std::optional<World> world_;
};

}  // namespace cupool::test
