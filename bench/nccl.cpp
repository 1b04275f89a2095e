#include "nccl.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cupool::bench {

namespace {

// These have the same values in the nccl.h of every version 2.
constexpr int uint32_type = 3;
constexpr int sum_operation = 0;
constexpr int supported_major_version = 2;

int major_version(int version) { return version < 10000 ? version / 1000 : version / 10000; }

}  // namespace

struct Nccl::Functions {
    using Communicator = void*;
    using Stream = abi::Stream;

    int (*get_version)(int*);
    const char* (*error_string)(int);
    int (*init_all)(Communicator*, int, const int*);
    int (*destroy)(Communicator);
    int (*group_start)();
    int (*group_end)();
    int (*all_reduce)(const void*, void*, std::size_t, int, int, Communicator, Stream);
    int (*reduce_scatter)(const void*, void*, std::size_t, int, int, Communicator, Stream);
    int (*all_gather)(const void*, void*, std::size_t, int, Communicator, Stream);
    int (*broadcast)(const void*, void*, std::size_t, int, int, Communicator, Stream);

    /// \throws std::runtime_error if one is missing
    explicit Functions(void* library) {
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
            if (function == nullptr) throw std::runtime_error(std::string("libnccl.so.2 has no ") + name);
        };
        find(get_version, "ncclGetVersion");
        find(error_string, "ncclGetErrorString");
        find(init_all, "ncclCommInitAll");
        find(destroy, "ncclCommDestroy");
        find(group_start, "ncclGroupStart");
        find(group_end, "ncclGroupEnd");
        find(all_reduce, "ncclAllReduce");
        find(reduce_scatter, "ncclReduceScatter");
        find(all_gather, "ncclAllGather");
        find(broadcast, "ncclBroadcast");
    }
};

std::unique_ptr<Nccl> Nccl::find(const DevicePool& pool) {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    auto functions = std::make_unique<Functions>(library);
    int version = 0;
    if (functions->get_version(&version) != 0 || major_version(version) != supported_major_version) return nullptr;
    return std::unique_ptr<Nccl>(new Nccl(pool, std::move(functions), version));
}

Nccl::Nccl(const DevicePool& pool, std::unique_ptr<Functions> functions, int version)
    : pool_(pool), functions_(std::move(functions)), version_(version), communicators_(pool.device_count()) {
    require(functions_->init_all(communicators_.data(), static_cast<int>(communicators_.size()), pool.devices().data()));
}

Nccl::~Nccl() {
    for (void* const communicator : communicators_) functions_->destroy(communicator);
}

void Nccl::require(int result) const {
    if (result != 0) throw std::runtime_error(std::string("NCCL: ") + functions_->error_string(result));
}

template <class Call>
void Nccl::group(const Call& call) const {
    require(functions_->group_start());
    for (std::size_t i = 0; i < communicators_.size(); ++i) require(call(i, communicators_[i], pool_.context_at(i).stream().handle()));
    require(functions_->group_end());
}

namespace {
void* pointer(abi::DevicePointer address) { return reinterpret_cast<void*>(address); }
}  // namespace

void Nccl::all_reduce(const Arrays& inputs, const Arrays& outputs, std::size_t count) const {
    group([&](std::size_t i, void* communicator, abi::Stream stream) {
        return functions_->all_reduce(pointer(inputs[i]), pointer(outputs[i]), count, uint32_type, sum_operation, communicator, stream);
    });
}

void Nccl::reduce_scatter(const Arrays& inputs, const Arrays& outputs, std::size_t count) const {
    group([&](std::size_t i, void* communicator, abi::Stream stream) {
        return functions_->reduce_scatter(pointer(inputs[i]), pointer(outputs[i]), count, uint32_type, sum_operation, communicator, stream);
    });
}

void Nccl::all_gather(const Arrays& inputs, const Arrays& outputs, std::size_t count) const {
    group([&](std::size_t i, void* communicator, abi::Stream stream) {
        return functions_->all_gather(pointer(inputs[i]), pointer(outputs[i]), count, uint32_type, communicator, stream);
    });
}

void Nccl::broadcast(abi::DevicePointer source, const Arrays& outputs, std::size_t count) const {
    group([&](std::size_t i, void* communicator, abi::Stream stream) {
        return functions_->broadcast(pointer(i == 0 ? source : outputs[i]), pointer(outputs[i]), count, uint32_type, 0, communicator,
                                     stream);
    });
}

}  // namespace cupool::bench
