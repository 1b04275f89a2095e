#pragma once

#include <cupool/driver/jit_options.hpp>
#include <cupool/driver/kernel.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cupool {

/// Code that belongs to no context and provides kernels and variables for any. From CUDA 12.0.
/// Move-only. Keeps its driver; must not outlive the contexts in which it is used. Thread-safe.
class Library {
public:
    /// \param image  PTX text, or the bytes of a cubin or fatbin
    /// \throws Error unsupported before CUDA 12.0; jit_failure, with the full
    /// compiler output in log(), here or at first use
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

    /// The driver that loaded the library.
    const std::shared_ptr<const Driver>& driver() const noexcept { return driver_; }
    /// The handle of the driver.
    abi::CodeLibrary handle() const noexcept { return handle_; }

    /// A kernel for launches in that context, valid as long as the library and the context.
    /// \throws Error invalid_argument if the library has no kernel of that name, or the arguments
    /// do not match its parameters
    template <class... Arguments>
    Kernel<Arguments...> kernel(const std::string& name, ContextView context, SourceLocation where = SourceLocation::current()) const {
        return Kernel<Arguments...>(untyped_kernel(name, context, where), where);
    }
    /// The same without checked parameter types.
    UntypedKernel untyped_kernel(const std::string& name, ContextView context, SourceLocation where = SourceLocation::current()) const;

    /// The names of all kernels. \throws Error unsupported before CUDA 12.4
    std::vector<std::string> kernel_names(SourceLocation where = SourceLocation::current()) const;
    /// An attribute of a kernel on a device, for all its contexts. \throws Error invalid_argument
    /// if there is no such kernel
    int kernel_attribute(const std::string& name, abi::FunctionAttribute attribute, const Device& device,
                         SourceLocation where = SourceLocation::current()) const;
    /// Sets an attribute of a kernel on a device, for all its contexts.
    void set_kernel_attribute(const std::string& name, abi::FunctionAttribute attribute, int value, const Device& device,
                              SourceLocation where = SourceLocation::current()) const;

    /// The bytes of a global variable in a context. \throws Error invalid_argument if there is no
    /// variable of that name
    DeviceSpan<std::byte> global(const std::string& name, ContextView context, SourceLocation where = SourceLocation::current()) const;

private:
    const Driver& loaded_by(const SourceLocation& where) const;
    abi::LibraryKernel kernel_handle(const std::string& name, const SourceLocation& where) const;
    void release() noexcept {
        if (handle_ != nullptr) detail::call_from_destructor<&EntryPoints::library_unload>(*driver_, detail::no_ordinal, handle_);
    }

    std::shared_ptr<const Driver> driver_;
    abi::CodeLibrary handle_ = nullptr;
};

}  // namespace cupool
