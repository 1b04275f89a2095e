#pragma once

#include <cupool/driver/context.hpp>
#include <cupool/driver/jit_options.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace cupool {

/// Makes one image for a context's device of several pieces of code that refer to each other. Move-only. Keeps its context alive.
///
///     Linker linker(context);
///     linker.add(first_ptx);
///     linker.add(second_ptx);
///     const Module module(context, linker.complete());
class Linker {
public:
    /// \throws Error whatever the driver answers
    explicit Linker(ContextView context, const JitOptions& options = {}, SourceLocation where = SourceLocation::current());
    ~Linker();
    Linker(Linker&&) noexcept;
    Linker& operator=(Linker&&) noexcept;

    /// \param name  what the log calls it
    /// \throws Error jit_failure, with all that the compiler said in log()
    void add(std::string_view image, abi::LinkInput type = abi::LinkInput::ptx, const std::string& name = "input",
             SourceLocation where = SourceLocation::current());

    /// The image, for a Module to load. Nothing can be added any more.
    /// \throws Error jit_failure, with all that the linker said in log()
    std::string complete(SourceLocation where = SourceLocation::current());

    /// What compiler and linker have said, up to 64 KiB; complete after complete().
    std::string info_log(SourceLocation where = SourceLocation::current()) const;

private:
    struct State;

    State& state(const SourceLocation& where) const;

    std::unique_ptr<State> state_;
};

}  // namespace cupool
