#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "doctor/host_snapshot.hpp"

namespace cupool::tools {

/// Looks at the files of a host that matter to GPUs. Opens regular files only, so it neither blocks
/// nor wakes a device. \param root  the folder of the host's tree: "" for this host
class HostFiles {
public:
    explicit HostFiles(std::string root) : root_(std::move(root)) {}

    /// Adds the files and the kernel log to a snapshot. If its driver hangs, files that ask the driver
    /// are left out.
    void collect(HostSnapshot& snapshot) const;

    /// The facts of one file; nullopt if there is none.
    std::optional<HostFile> look_at(const std::string& path) const;
    /// The content of a regular file, or its last part if it is longer; empty if it cannot be read.
    std::string read(const std::string& path) const;
    /// The beginning of a regular file. \param size  gets the number of its bytes
    std::string read_head(const std::string& path, std::uint64_t& size) const;
    /// The existing paths that match a pattern of glob(3).
    std::vector<std::string> glob(const std::string& pattern) const;
    /// A path with its last link, and the links that this leads to, followed within the root; empty if it leads nowhere.
    std::string resolve(const std::string& path) const;

private:
    void collect_pci_devices(HostSnapshot& snapshot) const;
    void collect_kernel_log(HostSnapshot& snapshot) const;
    std::string real(const std::string& path) const { return root_ + path; }

    std::string root_;
};

}  // namespace cupool::tools
