#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "api/driver_state.hpp"
#include "api/handle_call.hpp"

/// \file
/// cuGetProcAddress: returns the newest variant of a base name that is not newer than the requested version.

namespace cupool::simulator {
namespace {

using abi::ProcAddressQueryResult;
using abi::Status;
using namespace std::string_view_literals;

Status not_simulated() { return Status::not_supported; }
// A separate function, since a driver returns another address too.
Status not_simulated_per_thread() { return Status::not_supported; }

struct Variant {
    std::string_view base;
    int version;
};

// Variants that driver 580 has and this one lacks, of base names that it has. A request returns a function that answers "not supported",
// since a variant with another signature would misread its arguments.
constexpr std::array variants_not_simulated{
    Variant{"cuDeviceTotalMem", 2000},
    Variant{"cuDevicePrimaryCtxRelease", 7000},
    Variant{"cuCtxCreate", 2000},
    Variant{"cuCtxCreate", 12050},
    Variant{"cuCtxDestroy", 2000},
    Variant{"cuCtxPushCurrent", 2000},
    Variant{"cuCtxPopCurrent", 2000},
    Variant{"cuCtxGetDevice", 13000},
    Variant{"cuCtxSynchronize", 13000},
    Variant{"cuMemGetInfo", 2000},
    Variant{"cuMemAlloc", 2000},
    Variant{"cuMemFree", 2000},
    Variant{"cuMemcpyHtoD", 2000},
    Variant{"cuMemcpyDtoH", 2000},
    Variant{"cuMemcpyDtoD", 2000},
    Variant{"cuMemcpyHtoDAsync", 2000},
    Variant{"cuMemcpyDtoHAsync", 2000},
    Variant{"cuMemcpyDtoDAsync", 3000},
    Variant{"cuStreamDestroy", 2000},
    Variant{"cuEventDestroy", 2000},
    Variant{"cuEventElapsedTime", 12080},
    Variant{"cuModuleGetGlobal", 2000},
    Variant{"cuDevicePrimaryCtxSetFlags", 7000},
    Variant{"cuDevicePrimaryCtxReset", 7000},
    Variant{"cuStreamGetCtx", 12050},
    Variant{"cuStreamWaitValue32", 8000},
    Variant{"cuStreamWaitValue64", 9000},
    Variant{"cuStreamWriteValue32", 8000},
    Variant{"cuStreamWriteValue64", 9000},
    Variant{"cuStreamBeginCapture", 10000},
    Variant{"cuStreamGetCaptureInfo", 10010},
    Variant{"cuStreamGetCaptureInfo", 12030},
    Variant{"cuGraphAddKernelNode", 12000},
    Variant{"cuGraphNodeGetDependencies", 12030},
    Variant{"cuGraphInstantiate", 10000},
    Variant{"cuGraphExecUpdate", 12000},
    Variant{"cuGraphExecKernelNodeSetParams", 12000},
    Variant{"cuLinkCreate", 5050},
    Variant{"cuLinkAddData", 5050},
    Variant{"cuMemGetAddressRange", 2000},
    Variant{"cuMemAllocPitch", 2000},
    Variant{"cuMemAdvise", 12020},
    Variant{"cuMemPrefetchAsync", 12020},
    Variant{"cuMemHostGetDevicePointer", 2020},
    Variant{"cuMemHostRegister", 4000},
    Variant{"cuMemcpy2D", 2000},
    Variant{"cuMemcpy2DUnaligned", 2000},
    Variant{"cuMemcpy2DAsync", 2000},
    Variant{"cuMemcpy3DAsync", 2000},
    Variant{"cuMemsetD8", 2000},
    Variant{"cuMemsetD16", 2000},
    Variant{"cuMemsetD32", 2000},
    Variant{"cuIpcOpenMemHandle", 4010},
};

// Base names that have a variant for the per-thread default stream, which is not simulated either.
constexpr std::array per_thread_names{
    "cuMemcpyHtoD"sv,
    "cuMemcpyDtoH"sv,
    "cuMemcpyDtoD"sv,
    "cuMemcpyHtoDAsync"sv,
    "cuMemcpyDtoHAsync"sv,
    "cuMemcpyDtoDAsync"sv,
    "cuMemcpyPeerAsync"sv,
    "cuMemsetD8Async"sv,
    "cuMemsetD32Async"sv,
    "cuMemAllocAsync"sv,
    "cuMemAllocFromPoolAsync"sv,
    "cuMemFreeAsync"sv,
    "cuStreamSynchronize"sv,
    "cuStreamQuery"sv,
    "cuStreamWaitEvent"sv,
    "cuLaunchHostFunc"sv,
    "cuEventRecord"sv,
    "cuLaunchKernel"sv,
    "cuLaunchKernelEx"sv,
    "cuLaunchCooperativeKernel"sv,
    "cuStreamGetPriority"sv,
    "cuStreamGetFlags"sv,
    "cuStreamGetCtx"sv,
    "cuStreamGetId"sv,
    "cuStreamWaitValue32"sv,
    "cuStreamWaitValue64"sv,
    "cuStreamWriteValue32"sv,
    "cuStreamWriteValue64"sv,
    "cuStreamBeginCapture"sv,
    "cuStreamEndCapture"sv,
    "cuStreamIsCapturing"sv,
    "cuStreamGetCaptureInfo"sv,
    "cuEventRecordWithFlags"sv,
    "cuGraphUpload"sv,
    "cuGraphLaunch"sv,
    "cuMemcpy"sv,
    "cuMemcpyAsync"sv,
    "cuMemcpyPeer"sv,
    "cuMemcpy2D"sv,
    "cuMemcpy2DUnaligned"sv,
    "cuMemcpy2DAsync"sv,
    "cuMemcpy3DAsync"sv,
    "cuMemcpy3DPeerAsync"sv,
    "cuMemsetD8"sv,
    "cuMemsetD16"sv,
    "cuMemsetD32"sv,
    "cuMemsetD16Async"sv,
    "cuMemsetD2D8Async"sv,
    "cuMemsetD2D16Async"sv,
    "cuMemsetD2D32Async"sv,
    "cuMemPrefetchAsync"sv,
};

struct Lookup {
    void* address = nullptr;
    ProcAddressQueryResult status = ProcAddressQueryResult::symbol_not_found;
};

/// Selects among the variants of one base name.
class Search {
public:
    Search(std::string_view base, int version) : base_(base), version_(version) {}

    void consider(std::string_view base, int version, void* address) {
        if (base != base_ || version > driver_version()) {
            return;
        }
        if (version > version_) {
            if (result_.address == nullptr) {
                result_.status = ProcAddressQueryResult::version_not_sufficient;
            }
        } else if (version >= found_version_) {
            found_version_ = version;
            result_ = {address, ProcAddressQueryResult::success};
        }
    }

    const Lookup& result() const { return result_; }

private:
    std::string_view base_;
    int version_;
    int found_version_ = 0;
    Lookup result_;
};

}  // namespace

namespace exports {

[[gnu::visibility("default")]] Status get_proc_address(const char* symbol, void** function, int version,
                                                       std::uint64_t flags) __asm__("cuGetProcAddress");
[[gnu::visibility("default")]] Status get_proc_address_v2(const char* symbol, void** function, int version, std::uint64_t flags,
                                                          ProcAddressQueryResult* status) __asm__("cuGetProcAddress_v2");

}  // namespace exports

namespace {

constexpr int first_version_of_get_proc_address = 11030;
constexpr int second_version_of_get_proc_address = 12000;
constexpr std::uint64_t per_thread_default_stream = 2;
constexpr std::uint64_t known_flags = 3;

Lookup find(std::string_view base, int version) {
    Search search(base, version);
    for (const EntryPointInfo& entry : entry_points()) {
        search.consider(entry.base, entry.version, entry.address);
    }
    for (const Variant& variant : variants_not_simulated) {
        search.consider(variant.base, variant.version, reinterpret_cast<void*>(&not_simulated));
    }
    search.consider("cuGetProcAddress", first_version_of_get_proc_address, reinterpret_cast<void*>(&exports::get_proc_address));
    search.consider("cuGetProcAddress", second_version_of_get_proc_address, reinterpret_cast<void*>(&exports::get_proc_address_v2));
    return search.result();
}

Status look_up(const char* symbol, void** function, int version, std::uint64_t flags, ProcAddressQueryResult* status) {
    if (symbol == nullptr || function == nullptr || flags > known_flags || version > driver_version()) {
        return Status::invalid_value;
    }
    const Lookup lookup = find(symbol, version);
    const bool per_thread = (flags & per_thread_default_stream) != 0 &&
                            std::find(per_thread_names.begin(), per_thread_names.end(), symbol) != per_thread_names.end();
    *function = per_thread && lookup.address != nullptr ? reinterpret_cast<void*>(&not_simulated_per_thread) : lookup.address;
    if (status != nullptr) {
        *status = lookup.status;
    }
    return Status::success;
}

}  // namespace

namespace exports {

Status get_proc_address(const char* symbol, void** function, int version, std::uint64_t flags) {
    if (driver_version() < first_version_of_get_proc_address) {
        return Status::not_supported;
    }
    const Status result = look_up(symbol, function, version, flags, nullptr);
    return result == Status::success && *function == nullptr ? Status::not_found : result;
}

Status get_proc_address_v2(const char* symbol, void** function, int version, std::uint64_t flags, ProcAddressQueryResult* status) {
    if (driver_version() < second_version_of_get_proc_address) {
        return Status::not_supported;
    }
    return look_up(symbol, function, version, flags, status);
}

}  // namespace exports
}  // namespace cupool::simulator
