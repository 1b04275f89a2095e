#include <cupool/driver/log.hpp>
#include <cupool/driver/module.hpp>
#include <utility>

#include "kernels/jit.hpp"

namespace cupool {

Module::Module(ContextView context, std::string_view image, const JitOptions& options, SourceLocation where)
    : handle_(context.share(where)) {
    const std::string terminated(image);
    const CurrentContext current(context, where);
    abi::Module module = nullptr;
    detail::Compilation compilation = detail::compile(
        options,
        [&](detail::OptionList& list) {
            return detail::invoke<&EntryPoints::module_load_data>(context.driver(), context.ordinal(), where, &module,
                                                                  static_cast<const void*>(terminated.c_str()), list.count(),
                                                                  list.options(), list.values());
        },
        [&] { detail::call<&EntryPoints::module_unload>(context.driver(), context.ordinal(), where, module); });
    if (compilation.result != abi::Status::success) {
        detail::throw_failed_compilation(context.driver(), context.ordinal(), entry_point_info<&EntryPoints::module_load_data>, compilation,
                                         "cannot load a module of " + std::to_string(image.size()) + " bytes", where);
    }
    handle_.take(module);
    info_log_ = std::move(compilation.info_log);
    info_log_.shrink_to_fit();
    compile_milliseconds_ = compilation.milliseconds;
    if (!info_log_.empty()) detail::log(LogLevel::debug, info_log_);
}

UntypedKernel Module::untyped_kernel(const std::string& name, SourceLocation where) const {
    const CurrentContext current(context(), where);
    abi::Function function = nullptr;
    const abi::Status result = detail::invoke<&EntryPoints::module_get_function>(context().driver(), context().ordinal(), where, &function,
                                                                                 handle(), name.c_str());
    if (result != abi::Status::success) {
        detail::throw_failed_call(context().driver(), entry_point_info<&EntryPoints::module_get_function>, result, context().ordinal(),
                                  where, "no kernel \"" + name + "\" in the module");
    }
    return UntypedKernel(context(), function, name);
}

DeviceSpan<std::byte> Module::global(const std::string& name, SourceLocation where) const {
    const CurrentContext current(context(), where);
    abi::DevicePointer pointer = 0;
    std::size_t bytes = 0;
    const abi::Status result = detail::invoke<&EntryPoints::module_get_global>(context().driver(), context().ordinal(), where, &pointer,
                                                                               &bytes, handle(), name.c_str());
    if (result != abi::Status::success) {
        detail::throw_failed_call(context().driver(), entry_point_info<&EntryPoints::module_get_global>, result, context().ordinal(), where,
                                  "no variable \"" + name + "\" in the module");
    }
    return {pointer, bytes, context().ordinal()};
}

std::vector<std::string> Module::kernel_names(SourceLocation where) const {
    const CurrentContext current(context(), where);
    const Driver& driver = context().driver();
    unsigned count = 0;
    detail::call<&EntryPoints::module_get_function_count>(driver, context().ordinal(), where, &count, handle());
    std::vector<abi::Function> functions(count);
    if (count > 0)
        detail::call<&EntryPoints::module_enumerate_functions>(driver, context().ordinal(), where, functions.data(), count, handle());
    std::vector<std::string> names;
    for (const abi::Function function : functions) {
        const char* name = nullptr;
        detail::call<&EntryPoints::function_get_name>(driver, context().ordinal(), where, &name, function);
        names.emplace_back(name);
    }
    return names;
}

abi::ModuleLoadingMode module_loading_mode(const Driver& driver, SourceLocation where) {
    driver.initialize(where);
    auto mode = abi::ModuleLoadingMode::eager;
    detail::call<&EntryPoints::module_get_loading_mode>(driver, detail::no_ordinal, where, &mode);
    return mode;
}

}  // namespace cupool
