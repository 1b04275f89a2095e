// The status codes of the driver: names and numbers as in the CUDA Driver API, their meaning in our
// words, and their categories.

#include <algorithm>
#include <cupool/driver/error.hpp>
#include <iterator>

namespace cupool {

namespace {

using Category = ErrorCategory;

struct ResultRow {
    int number;
    std::string_view name;
    ErrorCategory category;
    std::string_view text;
};

// Sorted by number.
constexpr ResultRow rows[] = {
    {0, "CUDA_SUCCESS", Category::internal, "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", Category::invalid_argument, "a parameter is outside the range the call accepts"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", Category::out_of_memory, "there is not enough memory, or another resource has run out"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", Category::driver_unavailable,
     "the driver is not initialised in this process, as happens in a child forked from a process that had initialised it"},
    {4, "CUDA_ERROR_DEINITIALIZED", Category::shutdown, "the driver is shutting down with the process"},
    {5, "CUDA_ERROR_PROFILER_DISABLED", Category::unsupported,
     "profiling is not available in this run, perhaps because another profiler is attached"},
    {6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", Category::unsupported, "the profiler was not set up (no longer answered since CUDA 5.0)"},
    {7, "CUDA_ERROR_PROFILER_ALREADY_STARTED", Category::unsupported, "the profiler runs already (no longer answered since CUDA 5.0)"},
    {8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", Category::unsupported,
     "the profiler has stopped already (no longer answered since CUDA 5.0)"},
    {34, "CUDA_ERROR_STUB_LIBRARY", Category::driver_unavailable,
     "this libcuda is the toolkit's stub, made for linking only; a real one comes with the display driver"},
    {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", Category::unsupported, "the installed driver is too old for this call"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", Category::driver_unavailable,
     "the device is taken: another process holds it exclusively, or its compute mode forbids contexts"},
    {100, "CUDA_ERROR_NO_DEVICE", Category::no_device, "the driver sees no CUDA device"},
    {101, "CUDA_ERROR_INVALID_DEVICE", Category::invalid_device, "there is no such device, or it cannot do what was asked"},
    {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", Category::unsupported, "the virtual GPU has no licence"},
    {200, "CUDA_ERROR_INVALID_IMAGE", Category::jit_failure, "the module is no valid PTX, cubin or fatbin"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", Category::wrong_context, "no context is current, or the one that is is not valid here"},
    {202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", Category::invalid_argument,
     "the context is current already (no longer answered since CUDA 3.2)"},
    {205, "CUDA_ERROR_MAP_FAILED", Category::internal, "memory could not be mapped"},
    {206, "CUDA_ERROR_UNMAP_FAILED", Category::internal, "memory could not be unmapped"},
    {207, "CUDA_ERROR_ARRAY_IS_MAPPED", Category::invalid_argument, "the array is mapped and so cannot be destroyed"},
    {208, "CUDA_ERROR_ALREADY_MAPPED", Category::invalid_argument, "the resource is mapped already"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", Category::jit_failure, "the module holds no code for this device's architecture"},
    {210, "CUDA_ERROR_ALREADY_ACQUIRED", Category::invalid_argument, "the resource was acquired already"},
    {211, "CUDA_ERROR_NOT_MAPPED", Category::invalid_argument, "the resource is not mapped"},
    {212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", Category::invalid_argument, "the resource is not mapped as an array"},
    {213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", Category::invalid_argument, "the resource is not mapped as a pointer"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", Category::device_fault, "the device's memory had an error that ECC could not correct"},
    {215, "CUDA_ERROR_UNSUPPORTED_LIMIT", Category::unsupported, "the device does not have this limit"},
    {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", Category::invalid_argument, "the context is in use by another thread"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", Category::unsupported, "the two devices cannot reach each other's memory"},
    {218, "CUDA_ERROR_INVALID_PTX", Category::jit_failure, "the PTX does not compile"},
    {219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", Category::unsupported, "the OpenGL or DirectX context is not valid"},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", Category::device_fault, "an NVLink had an error that could not be corrected"},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", Category::jit_failure,
     "the driver's PTX compiler library is missing (libnvidia-ptxjitcompiler; in containers: the compute capability must be granted)"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", Category::jit_failure, "the PTX is of a newer version than the driver knows"},
    {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", Category::jit_failure, "compiling PTX is disabled (CUDA_DISABLE_PTX_JIT)"},
    {224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", Category::unsupported, "the device does not offer this kind of execution affinity"},
    {225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", Category::jit_failure,
     "the PTX synchronises the device from device code, which is no longer possible"},
    {226, "CUDA_ERROR_CONTAINED", Category::device_fault, "the device met a fault and contained it to this process"},
    {300, "CUDA_ERROR_INVALID_SOURCE", Category::jit_failure, "the kernel's source is not valid"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND", Category::io, "a file was not found"},
    {302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", Category::jit_failure, "a symbol in a shared object could not be resolved"},
    {303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", Category::driver_unavailable, "a shared object of the driver could not be initialised"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", Category::io, "a call of the operating system failed"},
    {400, "CUDA_ERROR_INVALID_HANDLE", Category::invalid_argument, "a handle is not valid, or not in this context"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", Category::invalid_argument, "something the call needs is not in the state it must be in"},
    {402, "CUDA_ERROR_LOSSY_QUERY", Category::unsupported, "the answer would lose information"},
    {500, "CUDA_ERROR_NOT_FOUND", Category::invalid_argument, "nothing has that name"},
    {600, "CUDA_ERROR_NOT_READY", Category::not_ready, "earlier asynchronous work is not done yet"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", Category::device_fault, "a kernel touched an address that is not its own"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", Category::launch_failure,
     "the launch needs more registers, shared memory or threads than a block can have"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", Category::device_fault, "a kernel ran longer than the display's watchdog allows"},
    {703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", Category::launch_failure, "the launch uses an incompatible texturing mode"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", Category::invalid_argument, "peer access is enabled already"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", Category::invalid_argument, "peer access is not enabled"},
    {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", Category::invalid_argument, "the primary context exists already and cannot be changed so"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", Category::wrong_context, "the context is destroyed, or was never set up"},
    {710, "CUDA_ERROR_ASSERT", Category::device_fault, "an assertion in a kernel failed; the context is lost"},
    {711, "CUDA_ERROR_TOO_MANY_PEERS", Category::unsupported, "no more peer access can be enabled on a device of these"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", Category::invalid_argument, "part of the host memory is registered already"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", Category::invalid_argument, "the host memory is not registered"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", Category::device_fault, "a kernel corrupted its call stack or let it overflow"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", Category::device_fault, "a kernel ran an instruction that is none"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", Category::device_fault, "a kernel accessed memory at an address that is not aligned for it"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", Category::device_fault,
     "a kernel used an address outside the space its instruction works in"},
    {718, "CUDA_ERROR_INVALID_PC", Category::device_fault, "a kernel jumped to where no code is"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", Category::device_fault, "a kernel died: a trap, or a fault without a code of its own"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", Category::launch_failure,
     "a cooperative launch has more blocks than the device can hold at once"},
    {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", Category::device_fault, "a kernel ended without giving its tensor memory back"},
    {800, "CUDA_ERROR_NOT_PERMITTED", Category::unsupported, "this operation is not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", Category::unsupported, "this system or driver does not support the operation"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", Category::not_ready,
     "the system is not ready for CUDA yet: on NVSwitch machines the fabric manager must run, of the driver's version"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", Category::driver_unavailable,
     "the kernel driver is of another version than this libcuda: reboot, reload it, or drop the library that shadows the right one"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", Category::driver_unavailable,
     "this libcuda is of the forward-compatibility package, which works with data-centre GPUs only: take it out of the library path"},
    {805, "CUDA_ERROR_MPS_CONNECTION_FAILED", Category::not_ready, "the MPS server cannot be reached"},
    {806, "CUDA_ERROR_MPS_RPC_FAILURE", Category::driver_unavailable, "talking with the MPS server failed"},
    {807, "CUDA_ERROR_MPS_SERVER_NOT_READY", Category::not_ready, "the MPS server takes no new clients now"},
    {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", Category::driver_unavailable, "the MPS server has as many clients as it can"},
    {809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", Category::driver_unavailable,
     "the MPS server has as many connections to the device as it can"},
    {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", Category::device_fault, "the MPS server ended this client"},
    {811, "CUDA_ERROR_CDP_NOT_SUPPORTED", Category::unsupported, "the device's setting does not allow kernels to launch kernels"},
    {812, "CUDA_ERROR_CDP_VERSION_MISMATCH", Category::unsupported, "modules use different versions of launching kernels from kernels"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", Category::unsupported, "this cannot be done while the stream is captured"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", Category::invalid_argument, "an earlier error has spoiled the stream's capture"},
    {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", Category::invalid_argument, "two separate captures would be merged"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", Category::invalid_argument, "the capture did not begin in this stream"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", Category::invalid_argument,
     "the capture has branches that were not joined to its first stream"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", Category::invalid_argument, "captured work would depend on work outside the capture"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", Category::invalid_argument, "a stream under capture would wait for the default stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT", Category::invalid_argument, "the event was last recorded in a captured stream"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", Category::invalid_argument, "the capture was begun by another thread"},
    {909, "CUDA_ERROR_TIMEOUT", Category::not_ready, "the wait timed out"},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", Category::invalid_argument, "the graph differs too much to update its executable form"},
    {911, "CUDA_ERROR_EXTERNAL_DEVICE", Category::device_fault, "another device of the system failed asynchronously"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", Category::launch_failure, "the launch's cluster shape is not possible"},
    {913, "CUDA_ERROR_FUNCTION_NOT_LOADED", Category::invalid_argument, "the kernel is not loaded yet and this call does not load it"},
    {914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", Category::invalid_argument, "a resource is of a kind the call does not take"},
    {915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", Category::invalid_argument, "the resources are too few or do not fit together"},
    {916, "CUDA_ERROR_KEY_ROTATION", Category::internal, "exchanging the keys of confidential computing failed"},
    {917, "CUDA_ERROR_STREAM_DETACHED", Category::invalid_argument, "the stream has lost its context"},
    {918, "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE", Category::invalid_argument, "capturing into an existing graph failed"},
    {999, "CUDA_ERROR_UNKNOWN", Category::internal, "the driver failed and does not say why"},
};

const ResultRow* find_row(abi::Status result) noexcept {
    const int number = static_cast<int>(result);
    const auto* row =
        std::lower_bound(std::begin(rows), std::end(rows), number, [](const ResultRow& left, int right) { return left.number < right; });
    return row != std::end(rows) && row->number == number ? row : nullptr;
}

}  // namespace

std::string_view result_name(abi::Status result) noexcept {
    const ResultRow* row = find_row(result);
    return row != nullptr ? row->name : std::string_view();
}

std::string_view result_text(abi::Status result) noexcept {
    const ResultRow* row = find_row(result);
    return row != nullptr ? row->text : std::string_view();
}

std::string describe(abi::Status result) {
    const std::string number = std::to_string(static_cast<int>(result));
    const ResultRow* row = find_row(result);
    if (row == nullptr) return "error " + number + " (a number this build does not know; see the documentation of the installed driver)";
    return std::string(row->name) + " (" + number + "): " + std::string(row->text);
}

ErrorCategory category_of(abi::Status result) noexcept {
    const ResultRow* row = find_row(result);
    return row != nullptr ? row->category : ErrorCategory::internal;
}

std::optional<Reason> reason_of(abi::Status result) noexcept {
    switch (static_cast<int>(result)) {
        case 34: return Reason::library_unusable;
        case 36: return Reason::driver_too_old;
        case 46: return Reason::device_unhealthy;
        case 100: return Reason::no_visible_device;
        case 214: return Reason::device_unhealthy;
        case 220: return Reason::device_unhealthy;
        case 802: return Reason::not_ready;
        case 803: return Reason::kernel_driver;
        case 804: return Reason::kernel_driver;
        case 805: return Reason::not_ready;
        case 806: return Reason::not_ready;
        case 807: return Reason::not_ready;
        case 808: return Reason::not_ready;
        case 809: return Reason::not_ready;
        default: return std::nullopt;
    }
}

bool is_sticky(abi::Status result) noexcept {
    // According to the CUDA Driver API these leave the process (710: the context) in a state from
    // which only its termination recovers.
    constexpr int sticky[] = {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};
    return std::binary_search(std::begin(sticky), std::end(sticky), static_cast<int>(result));
}

}  // namespace cupool
