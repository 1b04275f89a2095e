#include "objects/module.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "api/handle_call.hpp"
#include "api/rollback.hpp"
#include "api/state.hpp"
#include "checks/kernel_limits.hpp"
#include "memory/address_space.hpp"
#include "memory/memory.hpp"
#include "objects/jit.hpp"

namespace cupool::simulator {
namespace {

void initialise(const Module& module) {
    const auto& variables = module.program.variables();
    for (std::size_t i = 0; i < variables.size(); ++i) {
        std::byte* const data = module.variables[i]->backing->data();
        std::memset(data, 0, variables[i].size);
        std::copy(variables[i].initial.begin(), variables[i].initial.end(), data);
        for (const auto& relocation : variables[i].relocations) {
            const std::uint64_t address = module.variables[relocation.variable]->start + static_cast<std::uint64_t>(relocation.addend);
            std::memcpy(data + relocation.offset, &address, sizeof(address));
        }
    }
}

void release_variables(State& state, const Module& module) {
    for (const auto& allocation : module.variables) {
        release_memory(state, *allocation);
    }
}

void allocate_variable(State& state, Module& module, const ptx::Variable& variable) {
    Device& device = module.context->device;
    const std::size_t bytes = std::max<std::size_t>(variable.size, 1);
    auto allocation = std::make_shared<Allocation>(Allocation::Kind::module_variable, device.ordinal, module.context->handle, bytes);
    take_memory(state, device, bytes);
    Rollback rollback([&] { return_memory(device, bytes); });
    map(allocation);
    rollback.keep();
    module.variables.push_back(std::move(allocation));
}

void allocate_variables(State& state, Module& module) {
    for (const ptx::Variable& variable : module.program.variables()) {
        allocate_variable(state, module, variable);
    }
    initialise(module);
}

CupoolSimDevice current_device_kind() {
    const Locked state;
    return current_context(*state)->device.kind;
}

std::shared_ptr<Module> module_of(State& state, abi::Module handle) {
    auto module = state.modules.find(handle);
    require(module != nullptr, abi::Status::invalid_handle);
    return module;
}

int const_bytes(const ptx::Program& program) {
    std::uint64_t bytes = 0;
    for (const ptx::Variable& variable : program.variables()) {
        bytes += variable.constant ? variable.size : 0;
    }
    return static_cast<int>(bytes);
}

}  // namespace

std::shared_ptr<Module> load_module(State& state, Context& context, ptx::Program program) {
    const auto module = std::make_shared<Module>(Module{HandleTable<Module>::issue(), &context, std::move(program), {}, {}});
    module->variables.reserve(module->program.variables().size());
    Rollback rollback([&] { release_variables(state, *module); });
    allocate_variables(state, *module);
    state.modules.add(module);
    rollback.keep();
    return module;
}

void unload_module(State& state, const Module& module) {
    release_variables(state, module);
    state.functions.remove_if([&](const Function& function) { return function.module == &module; });
    state.modules.remove(module.handle);
}

abi::Function function_handle(State& state, Module& module, std::size_t entry_index) {
    const auto known = module.functions.find(entry_index);
    if (known != module.functions.end()) {
        return known->second;
    }
    const auto function = std::make_shared<Function>();
    function->handle = HandleTable<Function>::issue();
    function->module = &module;
    function->entry_index = entry_index;
    const std::uint32_t static_bytes = function->entry().shared_bytes;
    function->max_dynamic_shared_bytes = default_shared_bytes - std::min(static_bytes, default_shared_bytes);
    state.functions.add(function);
    module.functions.emplace(entry_index, function->handle);
    return function->handle;
}

int attribute_of(const Function& function, abi::FunctionAttribute attribute) {
    const ptx::Entry& entry = function.entry();
    const CupoolSimDevice& device = function.module->context->device.kind;
    switch (attribute) {
        case abi::FunctionAttribute::max_threads_per_block: return static_cast<int>(max_threads(entry));
        case abi::FunctionAttribute::shared_size_bytes: return static_cast<int>(entry.shared_bytes);
        case abi::FunctionAttribute::const_size_bytes: return const_bytes(function.module->program);
        case abi::FunctionAttribute::local_size_bytes: return static_cast<int>(entry.local_bytes);
        case abi::FunctionAttribute::register_count: return static_cast<int>(entry.registers);
        case abi::FunctionAttribute::ptx_version: return target_capability(function.module->program);
        case abi::FunctionAttribute::binary_version: return device.compute_capability_major * 10 + device.compute_capability_minor;
        case abi::FunctionAttribute::max_dynamic_shared_size_bytes: return static_cast<int>(function.max_dynamic_shared_bytes);
        case abi::FunctionAttribute::preferred_shared_memory_carveout: return function.preferred_carveout;
        case abi::FunctionAttribute::non_portable_cluster_size_allowed: return function.non_portable_cluster_size ? 1 : 0;
        case abi::FunctionAttribute::cache_mode_ca:
        case abi::FunctionAttribute::cluster_size_must_be_set:
        case abi::FunctionAttribute::required_cluster_width:
        case abi::FunctionAttribute::required_cluster_height:
        case abi::FunctionAttribute::required_cluster_depth:
        case abi::FunctionAttribute::cluster_scheduling_policy: return 0;
    }
    fail(abi::Status::invalid_value);
}

void set_attribute(Function& function, abi::FunctionAttribute attribute, int value) {
    using abi::Status;
    switch (attribute) {
        case abi::FunctionAttribute::max_dynamic_shared_size_bytes:
            require(value >= 0 && static_cast<std::uint32_t>(value) + function.entry().shared_bytes <= max_shared_bytes,
                    Status::invalid_value);
            function.max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
            return;
        case abi::FunctionAttribute::preferred_shared_memory_carveout:
            require(value >= -1 && value <= 100, Status::invalid_value);
            function.preferred_carveout = value;
            return;
        case abi::FunctionAttribute::non_portable_cluster_size_allowed: function.non_portable_cluster_size = value != 0; return;
        default: fail(Status::invalid_value);
    }
}

std::shared_ptr<Function> function_of(State& state, abi::Function handle) {
    auto function = state.functions.find(handle);
    require(function != nullptr, abi::Status::invalid_handle);
    return function;
}

namespace exports {

Status module_load_data(Module* module, const void* image, unsigned option_count, JitOption* options, void** option_values) {
    return handle_call(EntryPoint::module_load_data, [&] {
        const CupoolSimDevice device = current_device_kind();
        require(module != nullptr && image != nullptr, Status::invalid_value);
        JitLog log(option_count, options, option_values);
        ptx::Program program = compile(image, device, log);
        log.write_error("");
        const Locked state;
        *module = load_module(*state, *current_context(*state), std::move(program))->handle;
    });
}

Status module_unload(Module module) {
    return handle_call(EntryPoint::module_unload, [&] {
        Operations pending;
        {
            const Locked state;
            const auto doomed = module_of(*state, module);
            require(!doomed->is_of_library, Status::not_permitted);
            pending = pending_in(*state, *doomed->context);
        }
        scheduler().wait_for(pending);
        const Locked state;
        unload_module(*state, *module_of(*state, module));
    });
}

Status module_get_function(Function* function, Module module, const char* name) {
    return handle_call(EntryPoint::module_get_function, [&] {
        require(function != nullptr && name != nullptr && *name != '\0', Status::invalid_value);
        const Locked state;
        const auto owner = module_of(*state, module);
        const auto entry_index = owner->program.find_entry(name);
        require(entry_index.has_value(), Status::not_found);
        *function = function_handle(*state, *owner, *entry_index);
    });
}

Status module_get_global(DevicePointer* pointer, std::size_t* bytes, Module module, const char* name) {
    return handle_call(EntryPoint::module_get_global, [&] {
        require(name != nullptr && *name != '\0' && (pointer != nullptr || bytes != nullptr), Status::invalid_value);
        const Locked state;
        const auto owner = module_of(*state, module);
        require(!owner->program.find_entry(name), Status::invalid_value);
        const auto index = owner->program.find_variable(name);
        require(index.has_value(), Status::not_found);
        if (pointer != nullptr) {
            *pointer = owner->variables[*index]->start;
        }
        if (bytes != nullptr) {
            *bytes = owner->program.variables()[*index].size;
        }
    });
}

Status function_get_attribute(int* value, FunctionAttribute attribute, Function function) {
    return handle_call(EntryPoint::function_get_attribute, [&] {
        require(value != nullptr, Status::invalid_value);
        const Locked state;
        *value = attribute_of(*function_of(*state, function), attribute);
    });
}

Status function_set_attribute(Function function, FunctionAttribute attribute, int value) {
    return handle_call(EntryPoint::function_set_attribute, [&] {
        const Locked state;
        set_attribute(*function_of(*state, function), attribute, value);
    });
}

Status function_set_cache_config(Function function, CacheConfig config) {
    return handle_call(EntryPoint::function_set_cache_config, [&] {
        require(config >= CacheConfig::none && config <= CacheConfig::prefer_equal, Status::invalid_value);
        const Locked state;
        function_of(*state, function);
    });
}

Status function_get_module(Module* module, Function function) {
    return handle_call(EntryPoint::function_get_module, [&] {
        require(module != nullptr, Status::invalid_value);
        const Locked state;
        *module = function_of(*state, function)->module->handle;
    });
}

Status function_get_name(const char** name, Function function) {
    return handle_call(EntryPoint::function_get_name, [&] {
        require(name != nullptr, Status::invalid_value);
        const Locked state;
        *name = function_of(*state, function)->entry().name.c_str();
    });
}

Status function_get_parameter_info(Function function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    return handle_call(EntryPoint::function_get_parameter_info, [&] {
        require(offset != nullptr, Status::invalid_value);
        const Locked state;
        const auto kernel = function_of(*state, function);
        require(index < kernel->entry().parameters.size(), Status::invalid_value);
        *offset = kernel->entry().parameters[index].offset;
        if (bytes != nullptr) {
            *bytes = kernel->entry().parameters[index].size;
        }
    });
}

Status module_get_loading_mode(ModuleLoadingMode* mode) {
    return handle_call(EntryPoint::module_get_loading_mode, [&] {
        require(mode != nullptr, Status::invalid_value);
        *mode = ModuleLoadingMode::lazy;
    });
}

Status module_get_function_count(unsigned* count, Module module) {
    return handle_call(EntryPoint::module_get_function_count, [&] {
        require(count != nullptr, Status::invalid_value);
        const Locked state;
        *count = static_cast<unsigned>(module_of(*state, module)->program.entries().size());
    });
}

Status module_enumerate_functions(Function* functions, unsigned count, Module module) {
    return handle_call(EntryPoint::module_enumerate_functions, [&] {
        require(functions != nullptr && count > 0, Status::invalid_value);
        const Locked state;
        const auto owner = module_of(*state, module);
        for (std::size_t i = 0; i < std::min<std::size_t>(count, owner->program.entries().size()); ++i) {
            functions[i] = function_handle(*state, *owner, i);
        }
    });
}

}  // namespace exports
}  // namespace cupool::simulator
