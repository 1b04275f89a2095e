#include "api/error_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include "api/handle_call.hpp"

namespace cupool::simulator {
namespace {

struct ErrorName {
    int result;
    const char* name;
};

// The names that driver 580 returns.
constexpr std::array names{
    ErrorName{0, "CUDA_SUCCESS"},
    ErrorName{1, "CUDA_ERROR_INVALID_VALUE"},
    ErrorName{2, "CUDA_ERROR_OUT_OF_MEMORY"},
    ErrorName{3, "CUDA_ERROR_NOT_INITIALIZED"},
    ErrorName{4, "CUDA_ERROR_DEINITIALIZED"},
    ErrorName{5, "CUDA_ERROR_PROFILER_DISABLED"},
    ErrorName{6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED"},
    ErrorName{7, "CUDA_ERROR_PROFILER_ALREADY_STARTED"},
    ErrorName{8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED"},
    ErrorName{34, "CUDA_ERROR_STUB_LIBRARY"},
    ErrorName{36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"},
    ErrorName{46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    ErrorName{100, "CUDA_ERROR_NO_DEVICE"},
    ErrorName{101, "CUDA_ERROR_INVALID_DEVICE"},
    ErrorName{102, "CUDA_ERROR_DEVICE_NOT_LICENSED"},
    ErrorName{200, "CUDA_ERROR_INVALID_IMAGE"},
    ErrorName{201, "CUDA_ERROR_INVALID_CONTEXT"},
    ErrorName{202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"},
    ErrorName{205, "CUDA_ERROR_MAP_FAILED"},
    ErrorName{206, "CUDA_ERROR_UNMAP_FAILED"},
    ErrorName{207, "CUDA_ERROR_ARRAY_IS_MAPPED"},
    ErrorName{208, "CUDA_ERROR_ALREADY_MAPPED"},
    ErrorName{209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    ErrorName{210, "CUDA_ERROR_ALREADY_ACQUIRED"},
    ErrorName{211, "CUDA_ERROR_NOT_MAPPED"},
    ErrorName{212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY"},
    ErrorName{213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER"},
    ErrorName{214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
    ErrorName{215, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
    ErrorName{216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
    ErrorName{217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    ErrorName{218, "CUDA_ERROR_INVALID_PTX"},
    ErrorName{219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"},
    ErrorName{220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
    ErrorName{221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
    ErrorName{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    ErrorName{223, "CUDA_ERROR_JIT_COMPILATION_DISABLED"},
    ErrorName{224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"},
    ErrorName{225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
    ErrorName{226, "CUDA_ERROR_CONTAINED"},
    ErrorName{300, "CUDA_ERROR_INVALID_SOURCE"},
    ErrorName{301, "CUDA_ERROR_FILE_NOT_FOUND"},
    ErrorName{302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"},
    ErrorName{303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"},
    ErrorName{304, "CUDA_ERROR_OPERATING_SYSTEM"},
    ErrorName{400, "CUDA_ERROR_INVALID_HANDLE"},
    ErrorName{401, "CUDA_ERROR_ILLEGAL_STATE"},
    ErrorName{402, "CUDA_ERROR_LOSSY_QUERY"},
    ErrorName{500, "CUDA_ERROR_NOT_FOUND"},
    ErrorName{600, "CUDA_ERROR_NOT_READY"},
    ErrorName{700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    ErrorName{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    ErrorName{702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    ErrorName{703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"},
    ErrorName{704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
    ErrorName{705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    ErrorName{708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
    ErrorName{709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    ErrorName{710, "CUDA_ERROR_ASSERT"},
    ErrorName{711, "CUDA_ERROR_TOO_MANY_PEERS"},
    ErrorName{712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    ErrorName{713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    ErrorName{714, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
    ErrorName{715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    ErrorName{716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    ErrorName{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
    ErrorName{718, "CUDA_ERROR_INVALID_PC"},
    ErrorName{719, "CUDA_ERROR_LAUNCH_FAILED"},
    ErrorName{720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    ErrorName{721, "CUDA_ERROR_TENSOR_MEMORY_LEAK"},
    ErrorName{800, "CUDA_ERROR_NOT_PERMITTED"},
    ErrorName{801, "CUDA_ERROR_NOT_SUPPORTED"},
    ErrorName{802, "CUDA_ERROR_SYSTEM_NOT_READY"},
    ErrorName{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    ErrorName{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
    ErrorName{805, "CUDA_ERROR_MPS_CONNECTION_FAILED"},
    ErrorName{806, "CUDA_ERROR_MPS_RPC_FAILURE"},
    ErrorName{807, "CUDA_ERROR_MPS_SERVER_NOT_READY"},
    ErrorName{808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"},
    ErrorName{809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"},
    ErrorName{810, "CUDA_ERROR_MPS_CLIENT_TERMINATED"},
    ErrorName{811, "CUDA_ERROR_CDP_NOT_SUPPORTED"},
    ErrorName{812, "CUDA_ERROR_CDP_VERSION_MISMATCH"},
    ErrorName{900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    ErrorName{901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    ErrorName{902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
    ErrorName{903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
    ErrorName{904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
    ErrorName{905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
    ErrorName{906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
    ErrorName{907, "CUDA_ERROR_CAPTURED_EVENT"},
    ErrorName{908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
    ErrorName{909, "CUDA_ERROR_TIMEOUT"},
    ErrorName{910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
    ErrorName{911, "CUDA_ERROR_EXTERNAL_DEVICE"},
    ErrorName{912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
    ErrorName{913, "CUDA_ERROR_FUNCTION_NOT_LOADED"},
    ErrorName{914, "CUDA_ERROR_INVALID_RESOURCE_TYPE"},
    ErrorName{915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"},
    ErrorName{916, "CUDA_ERROR_KEY_ROTATION"},
    ErrorName{999, "CUDA_ERROR_UNKNOWN"},
};

const ErrorName* find_name(abi::Status result) {
    const auto* const found =
        std::find_if(names.begin(), names.end(), [&](const ErrorName& name) { return name.result == static_cast<int>(result); });
    return found == names.end() ? nullptr : found;
}

// The description is the name in lower case; the texts of a real driver are not copied.
std::string text_of(const ErrorName& name) {
    constexpr std::string_view prefix = "CUDA_ERROR_";
    std::string text = name.name;
    text.erase(0, text.rfind(prefix, 0) == 0 ? prefix.size() : 0);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(c == '_' ? ' ' : std::tolower(c)); });
    return text;
}

const std::map<int, std::string>& texts() {
    static const auto* const all = [] {
        auto* const map = new std::map<int, std::string>;
        for (const ErrorName& name : names) {
            map->emplace(name.result, text_of(name));
        }
        return map;
    }();
    return *all;
}

}  // namespace

std::string error_name(abi::Status result) {
    const ErrorName* const found = find_name(result);
    return found == nullptr ? std::to_string(static_cast<int>(result)) : found->name;
}

namespace exports {

Status get_error_name(Status error, const char** name) {
    return handle_call(EntryPoint::get_error_name, [&] {
        require(name != nullptr, Status::invalid_value);
        const ErrorName* const found = find_name(error);
        *name = found == nullptr ? nullptr : found->name;
        require(found != nullptr, Status::invalid_value);
    });
}

Status get_error_string(Status error, const char** text) {
    return handle_call(EntryPoint::get_error_string, [&] {
        require(text != nullptr, Status::invalid_value);
        const auto found = texts().find(static_cast<int>(error));
        *text = found == texts().end() ? nullptr : found->second.c_str();
        require(found != texts().end(), Status::invalid_value);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
