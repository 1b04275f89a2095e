#pragma once

#include <cupool/driver/probe.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cupool::detail {

/// What a host reveals about its NVIDIA driver without a driver call.
struct HostFacts {
    struct Node {
        std::string path;
        bool accessible;  ///< whether this user may read and write it
    };

    std::vector<Node> device_nodes;              ///< /dev/nvidia*, sorted; under WSL /dev/dxg
    bool has_kernel_driver = false;              ///< whether the kernel module is loaded, or that of WSL exists
    std::string kernel_driver_version;           ///< "580.65.06"; empty if unknown
    std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES, if it is set

    bool hides_every_device() const;
    bool lacks_permission() const;
    std::vector<Evidence> evidence() const;
};

/// \param root  a prefix of all paths
HostFacts gather_host_facts(const std::string& root = {});

/// The facts of the machine of a simulated driver, for which only the environment of the host
/// holds.
HostFacts simulated_host_facts(const HostFacts& host);

/// Why cuInit or the list of devices failed, according to the facts of the host.
struct Diagnosis {
    Reason reason;
    std::string explanation;
};

/// Explains a failed cuInit. \param library_path  the libcuda, whose file name may contain its
/// version
/// \pre result is not success
Diagnosis diagnose_initialization(abi::Status result, const HostFacts& facts, const std::string& library_path);

/// The category of an error for a reason why no device can be used.
ErrorCategory category_of_reason(Reason reason);

/// Explains why an initialised driver lists no device.
Diagnosis diagnose_no_device(const HostFacts& facts);

/// The first dotted number in a text, such as "580.65.06"; empty if there is none.
std::string find_version(const std::string& text);

}  // namespace cupool::detail
