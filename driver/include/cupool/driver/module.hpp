#pragma once

#include <cupool/driver/detail/owned_handle.hpp>
#include <cupool/driver/jit_options.hpp>
#include <cupool/driver/kernel.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cupool {

/// Code that is loaded into a context: PTX, which the driver compiles for its device, or a cubin.
/// Move-only. Keeps its context alive. Thread-safe.
class Module {
public:
    /// \param image  PTX text, or the bytes of a cubin or fatbin
    /// \throws Error jit_failure, with the full compiler output in log()
    Module(ContextView context, std::string_view image, const JitOptions& options = {}, SourceLocation where = SourceLocation::current());

    /// The context to which it belongs.
    ContextView context() const noexcept { return handle_.context(); }
    /// The handle of the driver.
    abi::Module handle() const noexcept { return handle_.get(); }
    /// The output of a successful compilation.
    const std::string& info_log() const noexcept { return info_log_; }

    /// The time of the compilation, if JitOptions::wall_time is set.
    std::optional<float> compile_milliseconds() const noexcept { return compile_milliseconds_; }

    /// A kernel of the module.
    /// \throws Error invalid_argument if the module has no kernel of that name; also if the driver
    /// reports the parameters (from CUDA 12.4) and their number or sizes differ from those of the
    /// arguments
    template <class... Arguments>
    Kernel<Arguments...> kernel(const std::string& name, SourceLocation where = SourceLocation::current()) const {
        return Kernel<Arguments...>(untyped_kernel(name, where), where);
    }
    /// The same without checked parameter types.
    UntypedKernel untyped_kernel(const std::string& name, SourceLocation where = SourceLocation::current()) const;

    /// The names of all kernels. \throws Error unsupported before CUDA 12.4
    std::vector<std::string> kernel_names(SourceLocation where = SourceLocation::current()) const;

    /// The bytes of a global variable of the module. \throws Error invalid_argument if there is no
    /// variable of that name
    DeviceSpan<std::byte> global(const std::string& name, SourceLocation where = SourceLocation::current()) const;

private:
    detail::OwnedHandle<abi::Module, &EntryPoints::module_unload> handle_;
    std::string info_log_;
    std::optional<float> compile_milliseconds_;
};

/// Whether the driver loads kernels at their first use or with their module, which
/// CUDA_MODULE_LOADING determines.
/// \throws Error unsupported before CUDA 11.7
abi::ModuleLoadingMode module_loading_mode(const Driver& driver, SourceLocation where = SourceLocation::current());

}  // namespace cupool
