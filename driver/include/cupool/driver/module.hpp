#pragma once

#include <cupool/driver/jit_options.hpp>
#include <cupool/driver/kernel.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cupool {

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

    /// The context that it is in.
    ContextView context() const noexcept { return context_.get(); }
    /// The driver's own handle.
    abi::Module handle() const noexcept { return handle_; }
    /// What the compiler said while it succeeded.
    const std::string& info_log() const noexcept { return info_log_; }

    /// How long the compiler took, where the options asked.
    std::optional<float> compile_milliseconds() const noexcept { return compile_milliseconds_; }

    /// \throws Error invalid_argument where the module has no kernel of that name, or the driver can tell (from CUDA 12.4) and the kernel's
    /// parameters are not as many as the arguments, or not of their sizes
    template <class... Arguments>
    Kernel<Arguments...> kernel(const std::string& name, SourceLocation where = SourceLocation::current()) const {
        return Kernel<Arguments...>(untyped_kernel(name, where), where);
    }
    /// The same, its parameters' types unchecked.
    UntypedKernel untyped_kernel(const std::string& name, SourceLocation where = SourceLocation::current()) const;

    /// Of every kernel that it has. \throws Error unsupported before CUDA 12.4
    std::vector<std::string> kernel_names(SourceLocation where = SourceLocation::current()) const;

    /// A global variable of the module, as bytes. \throws Error invalid_argument where it has none of that name
    DeviceSpan<std::byte> global(const std::string& name, SourceLocation where = SourceLocation::current()) const;

private:
    void release() noexcept;

    detail::Shared<const detail::ContextState> context_;
    abi::Module handle_ = nullptr;
    std::string info_log_;
    std::optional<float> compile_milliseconds_;
};

/// Whether the driver brings kernels to the device when they are first used, or when their module is loaded: as CUDA_MODULE_LOADING says.
/// \throws Error unsupported before CUDA 11.7
abi::ModuleLoadingMode module_loading_mode(const Driver& driver, SourceLocation where = SourceLocation::current());

}  // namespace cupool
