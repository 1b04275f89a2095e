#pragma once

#include <cupool/driver/context.hpp>
#include <cupool/driver/jit_options.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace cupool {

/// Links several pieces of code that refer to each other into one image for the device of a
/// context. Move-only. Keeps its context alive.
///
///     Linker linker(context);
///     linker.add(first_ptx);
///     linker.add(second_ptx);
///     const Module module(context, linker.complete());
class Linker {
public:
    /// \throws Error any failure of the driver call
    explicit Linker(ContextView context, const JitOptions& options = {}, SourceLocation where = SourceLocation::current());
    ~Linker();
    Linker(Linker&&) noexcept;
    Linker& operator=(Linker&&) noexcept;

    /// \param name  the name of the input in the log
    /// \throws Error jit_failure, with the full compiler output in log()
    void add(std::string_view image, abi::LinkInput type = abi::LinkInput::ptx, const std::string& name = "input",
             SourceLocation where = SourceLocation::current());

    /// Returns the image, for a Module to load. Nothing can be added afterwards.
    /// \throws Error jit_failure, with the full linker output in log()
    std::string complete(SourceLocation where = SourceLocation::current());

    /// The output of compiler and linker, up to 64 KiB; final after complete().
    std::string info_log(SourceLocation where = SourceLocation::current()) const;

private:
    struct State;

    State& state(const SourceLocation& where) const;

    std::unique_ptr<State> state_;
};

}  // namespace cupool
