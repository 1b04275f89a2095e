#include "documented_answers.hpp"

#include <map>
#include <stdexcept>

namespace cupool::test {

namespace {

enum Answer : int {
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    deinitialized = 4,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    map_failed = 205,
    no_binary_for_gpu = 209,
    already_acquired = 210,
    unsupported_limit = 215,
    peer_access_unsupported = 217,
    invalid_ptx = 218,
    jit_compiler_not_found = 221,
    unsupported_ptx_version = 222,
    unsupported_execution_affinity = 224,
    file_not_found = 301,
    shared_object_symbol_not_found = 302,
    shared_object_init_failed = 303,
    operating_system = 304,
    invalid_handle = 400,
    illegal_state = 401,
    not_found = 500,
    not_ready = 600,
    launch_out_of_resources = 701,
    launch_incompatible_texturing = 703,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    primary_context_active = 708,
    too_many_peers = 711,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    cooperative_launch_too_large = 720,
    stream_capture_unsupported = 900,
    stream_capture_invalidated = 901,
    stream_capture_unmatched = 903,
    stream_capture_unjoined = 904,
    stream_capture_implicit = 906,
    stream_capture_wrong_thread = 908,
    graph_exec_update_failure = 910,
    invalid_cluster_size = 912,
    invalid_resource_type = 914,
    invalid_resource_configuration = 915,
    not_permitted = 800,
    not_supported = 801,
    system_not_ready = 802,
    system_driver_mismatch = 803,
    compat_not_supported_on_device = 804,
    unknown = 999,
    undocumented = 998,
};

/// What any call may answer of work given to a device before: a kernel's fault, or the hardware's.
constexpr int asynchronous_faults[] = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};

enum class Asynchronous { faults_too, no_faults };

using Codes = std::vector<int>;

Codes with(std::initializer_list<int> answers, Asynchronous asynchronous = Asynchronous::faults_too) {
    Codes codes{deinitialized, not_initialized};
    codes.insert(codes.end(), answers);
    if (asynchronous == Asynchronous::faults_too) codes.insert(codes.end(), std::begin(asynchronous_faults), std::end(asynchronous_faults));
    codes.push_back(undocumented);
    return codes;
}

/// The row of most calls that work in the current context.
Codes in_context(std::initializer_list<int> answers = {}) {
    Codes codes = with(answers);
    codes.insert(codes.end(), {invalid_context, invalid_value});
    return codes;
}

const std::map<std::string, Codes>& table() {
    constexpr auto no_faults = Asynchronous::no_faults;
    static const std::map<std::string, Codes> rows{
        // initialisation and version
        {"cuInit", with({invalid_value, no_device, invalid_device, system_not_ready, system_driver_mismatch, compat_not_supported_on_device,
                         unknown})},
        {"cuDriverGetVersion", with({invalid_value}, no_faults)},
        {"cuGetErrorName", with({invalid_value}, no_faults)},
        {"cuGetErrorString", with({invalid_value}, no_faults)},

        // devices
        {"cuDeviceGetCount", in_context()},
        {"cuDeviceGet", in_context({invalid_device})},
        {"cuDeviceGetName", in_context({invalid_device})},
        {"cuDeviceGetUuid", with({invalid_value, invalid_device})},
        {"cuDeviceTotalMem", in_context({invalid_device})},
        {"cuDeviceGetAttribute", in_context({invalid_device})},
        {"cuDeviceGetPCIBusId", with({invalid_value, invalid_device})},
        {"cuDeviceCanAccessPeer", with({invalid_device})},
        {"cuDeviceGetByPCIBusId", with({invalid_value, invalid_device})},
        {"cuDeviceGetP2PAttribute", with({invalid_device, invalid_value})},
        {"cuDeviceGetExecAffinitySupport", with({invalid_context, invalid_value, invalid_device})},
        {"cuDeviceGetDefaultMemPool", in_context({invalid_device, not_supported})},

        // contexts
        {"cuDevicePrimaryCtxRetain", in_context({invalid_device, out_of_memory, unknown})},
        {"cuDevicePrimaryCtxRelease", with({invalid_device, invalid_context})},
        {"cuDevicePrimaryCtxGetState", with({invalid_device, invalid_value})},
        {"cuCtxCreate", in_context({invalid_device, not_supported, out_of_memory, unknown})},
        {"cuCtxDestroy", in_context()},
        {"cuCtxPushCurrent", in_context()},
        {"cuCtxPopCurrent", in_context()},
        {"cuCtxGetCurrent", with({})},
        {"cuCtxSetCurrent", in_context()},
        {"cuCtxGetDevice", in_context()},
        {"cuCtxSynchronize", with({invalid_context})},
        {"cuCtxGetStreamPriorityRange", in_context()},
        {"cuDevicePrimaryCtxSetFlags", with({invalid_device, invalid_value, primary_context_active})},
        {"cuDevicePrimaryCtxReset", with({invalid_device, primary_context_active})},
        {"cuCtxGetFlags", in_context()},
        {"cuCtxSetFlags", in_context()},
        {"cuCtxGetLimit", with({invalid_value, unsupported_limit})},
        {"cuCtxSetLimit", with({invalid_value, unsupported_limit, out_of_memory, invalid_context})},
        {"cuCtxGetCacheConfig", in_context()},
        {"cuCtxSetCacheConfig", in_context()},
        {"cuCtxGetId", in_context()},
        {"cuCtxGetApiVersion", with({unknown})},
        {"cuCtxGetExecAffinity", in_context({unsupported_execution_affinity})},
        {"cuCtxEnablePeerAccess", in_context({peer_access_already_enabled, too_many_peers, peer_access_unsupported})},
        {"cuCtxDisablePeerAccess", with({peer_access_not_enabled, invalid_context})},

        // green contexts
        {"cuDeviceGetDevResource", with({invalid_resource_type, invalid_value, invalid_device})},
        {"cuDevSmResourceSplitByCount", with({invalid_device, invalid_value, invalid_resource_type, invalid_resource_configuration})},
        {"cuDevResourceGenerateDesc", with({invalid_value, invalid_resource_type, invalid_resource_configuration})},
        {"cuGreenCtxCreate", with({invalid_device, invalid_value, not_supported, out_of_memory})},
        {"cuGreenCtxDestroy", with({invalid_context})},
        {"cuGreenCtxGetDevResource", with({invalid_resource_type, invalid_value})},
        {"cuCtxFromGreenCtx", with({invalid_value})},
        {"cuGreenCtxStreamCreate", in_context({out_of_memory})},

        // memory
        {"cuMemGetInfo", in_context()},
        {"cuMemAlloc", in_context({out_of_memory})},
        {"cuMemFree", in_context()},
        {"cuMemHostAlloc", in_context({out_of_memory})},
        {"cuMemFreeHost", in_context()},
        {"cuMemcpyHtoD", in_context()},
        {"cuMemcpyDtoH", in_context()},
        {"cuMemcpyDtoD", in_context()},
        {"cuMemcpyHtoDAsync", in_context({invalid_handle})},
        {"cuMemcpyDtoHAsync", in_context({invalid_handle})},
        {"cuMemcpyDtoDAsync", in_context({invalid_handle})},
        {"cuMemcpyPeerAsync", in_context({invalid_handle})},
        {"cuMemsetD8Async", in_context({invalid_handle})},
        {"cuMemsetD32Async", in_context({invalid_handle})},
        {"cuPointerGetAttribute", in_context({invalid_device})},
        {"cuMemGetAddressRange", in_context({not_found})},
        {"cuMemAllocPitch", in_context({out_of_memory})},
        {"cuMemAllocManaged", in_context({not_supported, out_of_memory})},
        {"cuMemAdvise", with({invalid_value, invalid_device})},
        {"cuMemPrefetchAsync", with({invalid_value, invalid_device})},
        {"cuMemRangeGetAttribute", with({invalid_value, invalid_device})},
        {"cuMemHostGetDevicePointer", in_context()},
        {"cuMemHostGetFlags", in_context()},
        {"cuMemHostRegister", in_context({out_of_memory, host_memory_already_registered, not_permitted, not_supported})},
        {"cuMemHostUnregister", in_context({out_of_memory, host_memory_not_registered})},
        {"cuMemcpy", in_context()},
        {"cuMemcpyAsync", in_context({invalid_handle})},
        {"cuMemcpyPeer", in_context()},
        {"cuMemcpy2D", in_context()},
        {"cuMemcpy2DUnaligned", in_context()},
        {"cuMemcpy2DAsync", in_context({invalid_handle})},
        {"cuMemcpy3DAsync", in_context({invalid_handle})},
        {"cuMemcpy3DPeerAsync", in_context({invalid_handle})},
        {"cuMemsetD8", in_context()},
        {"cuMemsetD16", in_context()},
        {"cuMemsetD32", in_context()},
        {"cuMemsetD16Async", in_context()},
        {"cuMemsetD2D8Async", in_context()},
        {"cuMemsetD2D16Async", in_context()},
        {"cuMemsetD2D32Async", in_context()},
        {"cuPointerGetAttributes", in_context({invalid_device})},

        // stream-ordered memory
        {"cuMemPoolCreate", with({invalid_value, out_of_memory, not_permitted, not_supported})},
        {"cuMemPoolDestroy", with({invalid_value})},
        {"cuMemPoolSetAttribute", with({invalid_value})},
        {"cuMemPoolGetAttribute", with({invalid_value})},
        {"cuMemPoolTrimTo", with({invalid_value})},
        {"cuMemPoolSetAccess", with({invalid_value, invalid_device, not_supported, peer_access_unsupported})},
        {"cuMemPoolGetAccess", with({invalid_value, invalid_device})},
        {"cuMemPoolExportToShareableHandle", with({invalid_value, out_of_memory})},
        {"cuMemPoolImportFromShareableHandle", with({invalid_value, out_of_memory})},
        {"cuMemPoolExportPointer", with({invalid_value, out_of_memory})},
        {"cuMemPoolImportPointer", with({invalid_value, out_of_memory})},
        {"cuMemAllocAsync", in_context({not_supported, out_of_memory})},
        {"cuMemAllocFromPoolAsync", in_context({not_supported, out_of_memory})},
        {"cuMemFreeAsync", in_context({not_supported})},

        // virtual memory
        {"cuMemAddressReserve", with({invalid_value, out_of_memory, not_permitted, not_supported})},
        {"cuMemAddressFree", with({invalid_value, not_permitted, not_supported})},
        {"cuMemCreate", with({invalid_value, out_of_memory, invalid_device, not_permitted, not_supported})},
        {"cuMemRelease", with({invalid_value, not_permitted, not_supported})},
        {"cuMemMap", with({invalid_value, invalid_device, out_of_memory, not_permitted, not_supported, illegal_state})},
        {"cuMemUnmap", with({invalid_value, not_permitted, not_supported})},
        {"cuMemSetAccess", with({invalid_value, invalid_device, not_supported})},
        {"cuMemGetAccess", with({invalid_value, invalid_device, not_permitted, not_supported})},
        {"cuMemGetAllocationGranularity", with({invalid_value, not_permitted, not_supported})},
        {"cuMemExportToShareableHandle", with({invalid_value, not_permitted, not_supported})},
        {"cuMemImportFromShareableHandle", with({invalid_value, out_of_memory, not_permitted, not_supported})},
        {"cuMemGetAllocationPropertiesFromHandle", with({invalid_value, not_permitted, not_supported})},

        // memory and events of other processes
        {"cuIpcGetMemHandle", in_context({invalid_handle, out_of_memory, map_failed})},
        {"cuIpcOpenMemHandle", in_context({map_failed, invalid_handle, too_many_peers})},
        {"cuIpcCloseMemHandle", in_context({map_failed, invalid_handle})},
        {"cuIpcGetEventHandle", with({invalid_handle, out_of_memory, map_failed, invalid_value})},
        {"cuIpcOpenEventHandle", in_context({map_failed, peer_access_unsupported, invalid_handle})},

        // streams and events
        {"cuStreamCreateWithPriority", in_context({out_of_memory})},
        {"cuStreamDestroy", in_context({invalid_handle})},
        {"cuStreamSynchronize", with({invalid_context, invalid_handle})},
        {"cuStreamQuery", with({invalid_context, invalid_handle, not_ready})},
        {"cuStreamWaitEvent", with({invalid_context, invalid_handle})},
        {"cuLaunchHostFunc", in_context({invalid_handle, not_supported})},
        {"cuEventCreate", in_context({out_of_memory})},
        {"cuEventDestroy", with({invalid_context, invalid_handle})},
        {"cuEventRecord", in_context({invalid_handle})},
        {"cuEventQuery", with({invalid_handle, invalid_value, not_ready})},
        {"cuEventSynchronize", with({invalid_context, invalid_handle})},
        {"cuEventElapsedTime", with({invalid_context, invalid_handle, invalid_value, not_ready, unknown})},
        {"cuStreamGetPriority", with({invalid_context, invalid_handle, invalid_value, out_of_memory})},
        {"cuStreamGetFlags", with({invalid_context, invalid_handle, invalid_value, out_of_memory})},
        {"cuStreamGetCtx", with({invalid_context, invalid_handle})},
        {"cuStreamGetId", with({invalid_context, invalid_handle})},
        {"cuStreamWaitValue32", with({invalid_value, not_supported})},
        {"cuStreamWaitValue64", with({invalid_value, not_supported})},
        {"cuStreamWriteValue32", with({invalid_value, not_supported})},
        {"cuStreamWriteValue64", with({invalid_value, not_supported})},
        {"cuEventRecordWithFlags", in_context({invalid_handle})},

        // stream capture and graphs
        {"cuStreamBeginCapture", with({invalid_value, illegal_state, stream_capture_unsupported})},
        {"cuStreamEndCapture", with({invalid_value, illegal_state, stream_capture_invalidated, stream_capture_unmatched,
                                     stream_capture_unjoined, stream_capture_wrong_thread})},
        {"cuStreamIsCapturing", with({invalid_value, stream_capture_implicit})},
        {"cuStreamGetCaptureInfo", with({invalid_value, stream_capture_implicit})},
        {"cuThreadExchangeStreamCaptureMode", with({invalid_value}, no_faults)},
        {"cuGraphCreate", with({invalid_value, out_of_memory})},
        {"cuGraphDestroy", with({invalid_value})},
        {"cuGraphAddKernelNode", with({invalid_value, not_supported, out_of_memory})},
        {"cuGraphAddMemcpyNode", with({invalid_value, not_supported, out_of_memory})},
        {"cuGraphAddMemsetNode", with({invalid_value, invalid_context, out_of_memory})},
        {"cuGraphAddHostNode", with({invalid_value, not_supported, out_of_memory})},
        {"cuGraphAddChildGraphNode", with({invalid_value, out_of_memory})},
        {"cuGraphAddEmptyNode", with({invalid_value, out_of_memory})},
        {"cuGraphAddEventRecordNode", with({invalid_value, not_supported, out_of_memory})},
        {"cuGraphAddEventWaitNode", with({invalid_value, not_supported, out_of_memory})},
        {"cuGraphGetNodes", with({invalid_value})},
        {"cuGraphNodeGetType", with({invalid_value})},
        {"cuGraphNodeGetDependencies", with({invalid_value})},
        {"cuGraphInstantiate", with({invalid_value, out_of_memory})},
        {"cuGraphExecDestroy", with({invalid_value})},
        {"cuGraphExecUpdate", with({graph_exec_update_failure})},
        {"cuGraphExecKernelNodeSetParams", with({invalid_value, not_supported})},
        {"cuGraphUpload", with({invalid_value})},
        {"cuGraphLaunch", with({invalid_value})},
        {"cuUserObjectCreate", with({invalid_value})},
        {"cuUserObjectRelease", with({invalid_value})},
        {"cuGraphRetainUserObject", with({invalid_value})},

        // modules and kernels
        {"cuModuleLoadDataEx",
         in_context({invalid_ptx, unsupported_ptx_version, not_found, out_of_memory, file_not_found, no_binary_for_gpu, invalid_image,
                     shared_object_symbol_not_found, shared_object_init_failed, jit_compiler_not_found, operating_system})},
        {"cuModuleUnload", in_context({not_permitted})},
        {"cuModuleGetFunction", in_context({not_found})},
        {"cuModuleGetGlobal", in_context({not_found})},
        {"cuFuncGetAttribute", in_context({invalid_handle})},
        {"cuFuncSetAttribute", in_context({invalid_handle})},
        {"cuOccupancyMaxActiveBlocksPerMultiprocessor", in_context({unknown})},
        {"cuLaunchKernel", in_context({invalid_image, invalid_handle, launch_out_of_resources, launch_incompatible_texturing,
                                       shared_object_init_failed, not_found})},
        {"cuLaunchCooperativeKernel", in_context({invalid_image, invalid_handle, launch_out_of_resources, launch_incompatible_texturing,
                                                  cooperative_launch_too_large, shared_object_init_failed, not_found})},
        {"cuLaunchKernelEx", in_context({invalid_image, invalid_handle, launch_out_of_resources, launch_incompatible_texturing,
                                         cooperative_launch_too_large, shared_object_init_failed, not_found, invalid_cluster_size})},
        {"cuFuncGetParamInfo", with({invalid_value})},
        {"cuFuncGetName", with({invalid_value})},
        {"cuFuncGetModule", in_context({invalid_handle})},
        {"cuFuncSetCacheConfig", with({invalid_value, invalid_context})},
        {"cuOccupancyMaxPotentialBlockSize", in_context({unknown})},
        {"cuOccupancyAvailableDynamicSMemPerBlock", in_context({unknown})},
        {"cuOccupancyMaxActiveClusters", in_context({invalid_cluster_size, unknown})},
        {"cuModuleGetLoadingMode", with({invalid_value})},
        {"cuModuleGetFunctionCount", with({invalid_value})},
        {"cuModuleEnumerateFunctions", with({invalid_value})},

        // libraries and linking
        {"cuLibraryLoadData",
         in_context({invalid_ptx, unsupported_ptx_version, out_of_memory, no_binary_for_gpu, shared_object_symbol_not_found,
                     shared_object_init_failed, jit_compiler_not_found, not_supported})},
        {"cuLibraryUnload", with({invalid_value})},
        {"cuLibraryGetKernel", with({invalid_value, invalid_handle, not_found})},
        {"cuLibraryGetGlobal", in_context({invalid_handle, not_found})},
        {"cuLibraryGetKernelCount", with({invalid_value})},
        {"cuLibraryEnumerateKernels", with({invalid_value, invalid_handle})},
        {"cuKernelGetFunction", in_context({invalid_handle, not_found})},
        {"cuKernelGetName", with({invalid_value})},
        {"cuKernelGetAttribute", with({invalid_value, invalid_handle, invalid_device})},
        {"cuKernelSetAttribute", with({invalid_value, invalid_handle, invalid_device, out_of_memory})},
        {"cuLinkCreate", in_context({out_of_memory, jit_compiler_not_found})},
        {"cuLinkAddData",
         with({invalid_handle, invalid_value, invalid_image, invalid_ptx, unsupported_ptx_version, out_of_memory, no_binary_for_gpu})},
        {"cuLinkComplete", with({invalid_handle, out_of_memory})},
        {"cuLinkDestroy", with({invalid_handle})},

        // profiling
        {"cuProfilerStart", with({invalid_context}, no_faults)},
        {"cuProfilerStop", with({invalid_context}, no_faults)},

        // the driver's log
        {"cuLogsCurrent", with({invalid_value}, no_faults)},
        {"cuLogsDumpToMemory", with({invalid_value}, no_faults)},
    };
    return rows;
}

bool is_device_fault(int answer) {
    for (const int fault : asynchronous_faults) {
        if (answer == fault) return true;
    }
    return false;
}

ErrorCategory category_of_words(int answer) {
    switch (answer) {
        case invalid_value:
        case invalid_handle:
        case illegal_state:
        case not_found:
        case already_acquired:
        case peer_access_already_enabled:
        case peer_access_not_enabled:
        case primary_context_active:
        case stream_capture_invalidated:
        case stream_capture_unmatched:
        case stream_capture_unjoined:
        case stream_capture_implicit:
        case stream_capture_wrong_thread:
        case graph_exec_update_failure:
        case invalid_resource_type:
        case invalid_resource_configuration:
        case host_memory_already_registered:
        case host_memory_not_registered: return ErrorCategory::invalid_argument;
        case out_of_memory: return ErrorCategory::out_of_memory;
        case not_initialized:
        case shared_object_init_failed:
        case system_driver_mismatch:
        case compat_not_supported_on_device: return ErrorCategory::driver_unavailable;
        case deinitialized: return ErrorCategory::shutdown;
        case no_device: return ErrorCategory::no_device;
        case invalid_device: return ErrorCategory::invalid_device;
        case invalid_context: return ErrorCategory::wrong_context;
        case invalid_image:
        case no_binary_for_gpu:
        case invalid_ptx:
        case jit_compiler_not_found:
        case unsupported_ptx_version:
        case shared_object_symbol_not_found: return ErrorCategory::jit_failure;
        case file_not_found:
        case operating_system: return ErrorCategory::io;
        case not_ready:
        case system_not_ready: return ErrorCategory::not_ready;
        case launch_out_of_resources:
        case launch_incompatible_texturing:
        case cooperative_launch_too_large:
        case invalid_cluster_size: return ErrorCategory::launch_failure;
        case unsupported_limit:
        case stream_capture_unsupported:
        case peer_access_unsupported:
        case too_many_peers:
        case not_permitted:
        case not_supported: return ErrorCategory::unsupported;
        default: return ErrorCategory::internal;
    }
}

}  // namespace

const std::vector<int>& documented_answers(std::string_view entry_point) { return table().at(std::string(entry_point)); }

ErrorCategory expected_category(const std::string& entry_point, int answer) {
    // A driver that does not say its version, or does not start, is unavailable, whatever it answers; absence and patience are said apart.
    if (entry_point == "cuDriverGetVersion") return ErrorCategory::driver_unavailable;
    if (entry_point == "cuInit" && answer == invalid_device) return ErrorCategory::no_device;
    if (entry_point == "cuInit" && answer != no_device && answer != system_not_ready) return ErrorCategory::driver_unavailable;
    return is_device_fault(answer) ? ErrorCategory::device_fault : category_of_words(answer);
}

bool is_ordinary_answer(const std::string& entry_point, int answer) {
    return ((entry_point == "cuStreamQuery" || entry_point == "cuEventQuery") && answer == not_ready) ||
           (entry_point == "cuCtxEnablePeerAccess" && answer == peer_access_already_enabled) ||
           (entry_point == "cuFuncGetParamInfo" && answer == invalid_value);  // a kernel has no more parameters
}

}  // namespace cupool::test
