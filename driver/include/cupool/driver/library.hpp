#pragma once

#include <cupool/driver/jit_options.hpp>
#include <cupool/driver/kernel.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cupool {

/// Code that belongs to no context: its kernels and variables can be had in any. From CUDA 12.0. Move-only. Keeps its driver; must not
/// outlive the contexts that it is used in. Members are safe from any thread.
class Library {
public:
    /// \param image  PTX text, or the bytes of a cubin or fatbin
    /// \throws Error unsupported before CUDA 12.0; jit_failure, whose log() is all that the compiler said, here or when first used
    Library(std::shared_ptr<const Driver> driver, std::string_view image, const JitOptions& options = {},
            SourceLocation where = SourceLocation::current());
    ~Library() { release(); }
    Library(Library&& other) noexcept : driver_(std::move(other.driver_)), handle_(std::exchange(other.handle_, nullptr)) {}
    Library& operator=(Library&& other) noexcept {
        if (this != &other) {
            release();
            driver_ = std::move(other.driver_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }

    /// The driver that loaded it.
    const std::shared_ptr<const Driver>& driver() const noexcept { return driver_; }
    /// The driver's own handle.
    abi::CodeLibrary handle() const noexcept { return handle_; }

    /// A kernel, to be launched in that context; valid as long as the library and the context.
    /// \throws Error invalid_argument where the library has no kernel of that name, or the arguments are not the kernel's
    template <class... Arguments>
    Kernel<Arguments...> kernel(const std::string& name, ContextView context, SourceLocation where = SourceLocation::current()) const {
        return Kernel<Arguments...>(untyped_kernel(name, context, where), where);
    }
    /// The same, its parameters' types unchecked.
    UntypedKernel untyped_kernel(const std::string& name, ContextView context, SourceLocation where = SourceLocation::current()) const;

    /// Of every kernel that it has. \throws Error unsupported before CUDA 12.4
    std::vector<std::string> kernel_names(SourceLocation where = SourceLocation::current()) const;
    /// What a kernel is on a device, for all contexts there. \throws Error invalid_argument where there is no such kernel
    int kernel_attribute(const std::string& name, abi::FunctionAttribute attribute, const Device& device,
                         SourceLocation where = SourceLocation::current()) const;
    /// Sets one of a kernel's attributes, for all contexts of a device.
    void set_kernel_attribute(const std::string& name, abi::FunctionAttribute attribute, int value, const Device& device,
                              SourceLocation where = SourceLocation::current()) const;

    /// A global variable, as bytes: that of the context. \throws Error invalid_argument where it has none of that name
    DeviceSpan<std::byte> global(const std::string& name, ContextView context, SourceLocation where = SourceLocation::current()) const;

private:
    const Driver& loaded_by(const SourceLocation& where) const;
    abi::LibraryKernel kernel_handle(const std::string& name, const SourceLocation& where) const;
    void release() noexcept {
        if (handle_ != nullptr) {
            detail::call_from_destructor<&EntryPoints::library_unload>(*driver_, detail::no_ordinal, handle_);
        }
    }

    std::shared_ptr<const Driver> driver_;
    abi::CodeLibrary handle_ = nullptr;
};

}  // namespace cupool
