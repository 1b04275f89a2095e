#pragma once

#include <cupool/driver/kernel.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cupool {

/// How the driver compiles PTX; as its own defaults where nothing is set.
struct JitOptions {
    std::optional<int> max_registers;       ///< a thread may use
    std::optional<int> optimization_level;  ///< 0 to 4; the driver's default is 4
    bool verbose = false;                   ///< ask for register and memory use of each kernel in info_log()
};

/// Code loaded into a context: PTX, compiled by the driver for its device, or a cubin. Move-only. Keeps its context alive.
/// Members are safe from any thread.
class Module {
public:
    /// \param image  PTX text, or the bytes of a cubin or fatbin
    /// \throws Error jit_failure, whose log() is all that the compiler said
    Module(ContextView context, std::string_view image, const JitOptions& options = {}, SourceLocation where = SourceLocation::current());
    ~Module() { release(); }
    Module(Module&& other) noexcept;
    Module& operator=(Module&& other) noexcept;

    ContextView context() const noexcept { return context_.get(); }
    abi::Module handle() const noexcept { return handle_; }
    /// What the compiler said while it succeeded.
    const std::string& info_log() const noexcept { return info_log_; }

    /// \throws Error invalid_argument where the module has no kernel of that name
    template <class... Arguments>
    Kernel<Arguments...> kernel(const std::string& name, SourceLocation where = SourceLocation::current()) const {
        return Kernel<Arguments...>(untyped_kernel(name, where));
    }
    UntypedKernel untyped_kernel(const std::string& name, SourceLocation where = SourceLocation::current()) const;

    /// A global variable of the module, as bytes. \throws Error invalid_argument where it has none of that name
    DeviceSpan<std::byte> global(const std::string& name, SourceLocation where = SourceLocation::current()) const;

private:
    void release() noexcept;

    std::shared_ptr<const detail::ContextState> context_;
    abi::Module handle_ = nullptr;
    std::string info_log_;
};

}  // namespace cupool
