#include <cupool/driver/library.hpp>
#include <cupool/driver/log.hpp>

#include "kernels/jit.hpp"

namespace cupool {

Library::Library(std::shared_ptr<const Driver> driver, std::string_view image, const JitOptions& options, SourceLocation where)
    : driver_(std::move(driver)) {
    driver_->initialize(where);
    const std::string terminated(image);
    abi::CodeLibrary library = nullptr;
    const detail::Compilation compilation = detail::compile(
        options,
        [&](detail::OptionList& list) {
            return detail::invoke<&EntryPoints::library_load_data>(
                *driver_, detail::no_ordinal, where, &library, static_cast<const void*>(terminated.c_str()), list.options(), list.values(),
                list.count(), static_cast<abi::LibraryOption*>(nullptr), static_cast<void**>(nullptr), 0U);
        },
        [&] { detail::call<&EntryPoints::library_unload>(*driver_, detail::no_ordinal, where, library); });
    if (compilation.result != abi::Status::success) {
        detail::throw_failed_compilation(*driver_, detail::no_ordinal, entry_point_info<&EntryPoints::library_load_data>, compilation,
                                         "cannot load a library of " + std::to_string(image.size()) + " bytes", where);
    }
    handle_ = library;
}

const Driver& Library::loaded_by(const SourceLocation& where) const {
    if (driver_ == nullptr) detail::throw_moved_from("the library", where);
    return *driver_;
}

abi::LibraryKernel Library::kernel_handle(const std::string& name, const SourceLocation& where) const {
    abi::LibraryKernel kernel = nullptr;
    const abi::Status result =
        detail::invoke<&EntryPoints::library_get_kernel>(loaded_by(where), detail::no_ordinal, where, &kernel, handle_, name.c_str());
    if (result != abi::Status::success) {
        detail::throw_failed_call(loaded_by(where), entry_point_info<&EntryPoints::library_get_kernel>, result, detail::no_ordinal, where,
                                  "no kernel \"" + name + "\" in the library");
    }
    return kernel;
}

UntypedKernel Library::untyped_kernel(const std::string& name, ContextView context, SourceLocation where) const {
    abi::Function function = nullptr;
    const abi::LibraryKernel kernel = kernel_handle(name, where);
    detail::call_in<&EntryPoints::library_kernel_get_function>(context, where, &function, kernel);
    return UntypedKernel(context, function, name);
}

std::vector<std::string> Library::kernel_names(SourceLocation where) const {
    unsigned count = 0;
    detail::call<&EntryPoints::library_get_kernel_count>(loaded_by(where), detail::no_ordinal, where, &count, handle_);
    std::vector<abi::LibraryKernel> kernels(count);
    if (count > 0)
        detail::call<&EntryPoints::library_enumerate_kernels>(loaded_by(where), detail::no_ordinal, where, kernels.data(), count, handle_);
    std::vector<std::string> names;
    for (const abi::LibraryKernel kernel : kernels) {
        const char* name = nullptr;
        detail::call<&EntryPoints::library_kernel_get_name>(loaded_by(where), detail::no_ordinal, where, &name, kernel);
        names.emplace_back(name);
    }
    return names;
}

int Library::kernel_attribute(const std::string& name, abi::FunctionAttribute attribute, const Device& device, SourceLocation where) const {
    int value = 0;
    detail::call<&EntryPoints::library_kernel_get_attribute>(loaded_by(where), device.ordinal(), where, &value, attribute,
                                                             kernel_handle(name, where), device.handle());
    return value;
}

void Library::set_kernel_attribute(const std::string& name, abi::FunctionAttribute attribute, int value, const Device& device,
                                   SourceLocation where) const {
    detail::call<&EntryPoints::library_kernel_set_attribute>(loaded_by(where), device.ordinal(), where, attribute, value,
                                                             kernel_handle(name, where), device.handle());
}

DeviceSpan<std::byte> Library::global(const std::string& name, ContextView context, SourceLocation where) const {
    (void)loaded_by(where);
    const CurrentContext current(context, where);
    abi::DevicePointer pointer = 0;
    std::size_t bytes = 0;
    const abi::Status result = detail::invoke<&EntryPoints::library_get_global>(context.driver(), context.ordinal(), where, &pointer,
                                                                                &bytes, handle_, name.c_str());
    if (result != abi::Status::success) {
        detail::throw_failed_call(context.driver(), entry_point_info<&EntryPoints::library_get_global>, result, context.ordinal(), where,
                                  "no variable \"" + name + "\" in the library");
    }
    return {pointer, bytes, context.ordinal()};
}

}  // namespace cupool
