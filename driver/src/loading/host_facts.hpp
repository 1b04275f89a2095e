#pragma once

#include <cupool/driver/probe.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cupool::detail {

/// What a host shows of its NVIDIA driver without calling it.
struct HostFacts {
    struct Node {
        std::string path;
        bool accessible;  ///< this user may read and write it
    };

    std::vector<Node> device_nodes;              ///< /dev/nvidia*, sorted; under WSL /dev/dxg
    bool has_kernel_driver = false;              ///< the kernel module says that it is loaded, or WSL's is there
    std::string kernel_driver_version;           ///< "580.65.06"; empty where it is not told
    std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES, where it is set

    bool hides_every_device() const;
    bool lacks_permission() const;
    std::vector<Evidence> evidence() const;
};

/// \param root  stands before every path
HostFacts gather_host_facts(const std::string& root = {});

/// What a simulated driver's machine shows, which is not the host: of that only the environment holds for it.
HostFacts simulated_host_facts(const HostFacts& host);

/// Why cuInit answered what it did, in the light of the host's facts.
struct Diagnosis {
    Reason reason;
    std::string explanation;
};

/// \param library_path  the libcuda, whose file name may carry its version
/// \pre result is not success
Diagnosis diagnose_initialization(abi::Status result, const HostFacts& facts, const std::string& library_path);

/// What an error says that tells why no device can be used.
ErrorCategory category_of_reason(Reason reason);

/// Why a driver that did start shows no device.
Diagnosis diagnose_no_device(const HostFacts& facts);

/// The first dotted number in a text: "580.65.06"; empty where there is none.
std::string find_version(const std::string& text);

}  // namespace cupool::detail
