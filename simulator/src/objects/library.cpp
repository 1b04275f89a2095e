#include "objects/library.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/handle_call.hpp"
#include "api/rollback.hpp"
#include "api/state.hpp"
#include "memory/address_space.hpp"
#include "objects/jit.hpp"

namespace cupool::simulator {
namespace {

using abi::Status;

std::shared_ptr<Library> library_of(State& state, abi::CodeLibrary handle) {
    auto library = state.libraries.find(handle);
    require(library != nullptr, Status::invalid_handle);
    return library;
}

std::shared_ptr<LibraryKernel> kernel_of(State& state, abi::LibraryKernel handle) {
    auto kernel = state.library_kernels.find(handle);
    require(kernel != nullptr, Status::invalid_handle);
    return kernel;
}

// Compiles for the first device: devices support the same PTX unless a test configures them otherwise.
CupoolSimDevice first_device_kind() {
    const Locked state;
    return state->devices.front()->kind;
}

std::shared_ptr<Module> module_in(State& state, Library& library, Context& context) {
    if (const auto known = state.modules.find(library.modules[context.handle])) {
        return known;
    }
    auto module = load_module(state, context, library.program);
    module->is_of_library = true;
    library.modules[context.handle] = module->handle;
    return module;
}

std::shared_ptr<Function> function_in(State& state, const LibraryKernel& kernel, Context& context) {
    const auto module = module_in(state, *kernel.library, context);
    return function_of(state, function_handle(state, *module, kernel.entry_index));
}

// Attributes are taken from the device's primary context if it exists.
std::shared_ptr<Function> function_on(State& state, const LibraryKernel& kernel, abi::Device device) {
    return function_in(state, kernel, *context_of(state, device_at(state, device).primary_context));
}

void remove_kernels(State& state, const Library& library) {
    state.library_kernels.remove_if([&](const LibraryKernel& kernel) { return kernel.library == &library; });
}

Operations pending_with(State& state, const Library& library) {
    Operations pending;
    for (const auto& [_, handle] : library.modules) {
        if (const auto module = state.modules.find(handle)) {
            const Operations here = pending_in(state, *module->context);
            pending.insert(pending.end(), here.begin(), here.end());
        }
    }
    return pending;
}

}  // namespace

std::shared_ptr<Function> launched_function(State& state, abi::Function handle, Context& context) {
    const auto kernel = state.library_kernels.find(reinterpret_cast<abi::LibraryKernel>(handle));
    return kernel ? function_in(state, *kernel, context) : function_of(state, handle);
}

namespace exports {

Status library_load_data(CodeLibrary* library, const void* code, JitOption* jit_options, void** jit_values, unsigned jit_count,
                         LibraryOption* options, void** values, unsigned count) {
    return handle_call(EntryPoint::library_load_data, [&] {
        require(library != nullptr && code != nullptr, Status::invalid_value);
        require(count == 0 || (options != nullptr && values != nullptr), Status::invalid_value);
        require(count == 0, Status::not_supported);
        JitLog log(jit_count, jit_options, jit_values);
        const auto loaded = std::make_shared<simulator::Library>(simulator::Library{nullptr, compile(code, first_device_kind(), log)});
        log.write_error("");
        const Locked state;
        loaded->handle = HandleTable<simulator::Library>::issue();
        Rollback rollback([&] { remove_kernels(*state, *loaded); });
        for (std::size_t i = 0; i < loaded->program.entries().size(); ++i) {
            const auto kernel = std::make_shared<simulator::LibraryKernel>(
                simulator::LibraryKernel{HandleTable<simulator::LibraryKernel>::issue(), loaded.get(), i});
            state->library_kernels.add(kernel);
            loaded->kernels.push_back(kernel->handle);
        }
        state->libraries.add(loaded);
        rollback.keep();
        *library = loaded->handle;
    });
}

Status library_unload(CodeLibrary library) {
    return handle_call(EntryPoint::library_unload, [&] {
        Operations pending;
        {
            const Locked state;
            pending = pending_with(*state, *library_of(*state, library));
        }
        scheduler().wait_for(pending);
        const Locked state;
        const auto doomed = library_of(*state, library);
        for (const auto& [_, handle] : doomed->modules) {
            if (const auto module = state->modules.find(handle)) {
                unload_module(*state, *module);
            }
        }
        remove_kernels(*state, *doomed);
        state->libraries.remove(library);
    });
}

Status library_get_kernel(LibraryKernel* kernel, CodeLibrary library, const char* name) {
    return handle_call(EntryPoint::library_get_kernel, [&] {
        require(kernel != nullptr && name != nullptr && *name != '\0', Status::invalid_value);
        const Locked state;
        const auto owner = library_of(*state, library);
        const auto entry_index = owner->program.find_entry(name);
        require(entry_index.has_value(), Status::not_found);
        *kernel = owner->kernels[*entry_index];
    });
}

Status library_get_global(DevicePointer* pointer, std::size_t* bytes, CodeLibrary library, const char* name) {
    return handle_call(EntryPoint::library_get_global, [&] {
        require(name != nullptr && *name != '\0' && (pointer != nullptr || bytes != nullptr), Status::invalid_value);
        const Locked state;
        const auto owner = library_of(*state, library);
        const auto index = owner->program.find_variable(name);
        require(index.has_value(), Status::not_found);
        const auto module = module_in(*state, *owner, *current_context(*state));
        if (pointer != nullptr) {
            *pointer = module->variables[*index]->start;
        }
        if (bytes != nullptr) {
            *bytes = owner->program.variables()[*index].size;
        }
    });
}

Status library_get_kernel_count(unsigned* count, CodeLibrary library) {
    return handle_call(EntryPoint::library_get_kernel_count, [&] {
        require(count != nullptr, Status::invalid_value);
        const Locked state;
        *count = static_cast<unsigned>(library_of(*state, library)->kernels.size());
    });
}

Status library_enumerate_kernels(LibraryKernel* kernels, unsigned count, CodeLibrary library) {
    return handle_call(EntryPoint::library_enumerate_kernels, [&] {
        require(kernels != nullptr && count > 0, Status::invalid_value);
        const Locked state;
        const auto& all = library_of(*state, library)->kernels;
        std::copy_n(all.begin(), std::min<std::size_t>(count, all.size()), kernels);
    });
}

Status library_kernel_get_function(Function* function, LibraryKernel kernel) {
    return handle_call(EntryPoint::library_kernel_get_function, [&] {
        require(function != nullptr, Status::invalid_value);
        const Locked state;
        *function = function_in(*state, *kernel_of(*state, kernel), *current_context(*state))->handle;
    });
}

Status library_kernel_get_name(const char** name, LibraryKernel kernel) {
    return handle_call(EntryPoint::library_kernel_get_name, [&] {
        require(name != nullptr, Status::invalid_value);
        const Locked state;
        const auto named = kernel_of(*state, kernel);
        *name = named->library->program.entries()[named->entry_index].name.c_str();
    });
}

Status library_kernel_get_attribute(int* value, FunctionAttribute attribute, LibraryKernel kernel, Device device) {
    return handle_call(EntryPoint::library_kernel_get_attribute, device, [&] {
        require(value != nullptr, Status::invalid_value);
        const Locked state;
        *value = attribute_of(*function_on(*state, *kernel_of(*state, kernel), device), attribute);
    });
}

Status library_kernel_set_attribute(FunctionAttribute attribute, int value, LibraryKernel kernel, Device device) {
    return handle_call(EntryPoint::library_kernel_set_attribute, device, [&] {
        const Locked state;
        set_attribute(*function_on(*state, *kernel_of(*state, kernel), device), attribute, value);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
