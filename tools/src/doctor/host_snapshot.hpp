#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cupool::tools {

/// What is known about one file of the host.
struct HostFile {
    std::string type = "file";  ///< "file", "directory", "link", "device", "socket", "pipe" or "other"
    int mode = 0644;            ///< permission bits
    int group = 0;              ///< number of the owning group
    std::string access;         ///< what this user may do: "rw", "r", "none" (permission bits), "denied" (EPERM: a device cgroup)
    std::string text;           ///< the content, or the lines of it that matter; empty for libraries
    std::string target;         ///< of a link, as it is written
    std::string elf;            ///< of a library: "x86-64", "aarch64", ..., or "empty", "truncated", "no ELF"; else empty
    int major = 0;              ///< of a device node

    friend bool operator==(const HostFile&, const HostFile&) = default;
};

/// A file that a program which asks for a library by name may get.
struct LibraryCandidate {
    std::string name;      ///< "libcuda.so.1"
    std::string path;      ///< where the dynamic loader finds it
    std::string source;    ///< "LD_LIBRARY_PATH", "ld.so.conf", "default folder", or "not searched" for other known folders
    std::string resolved;  ///< without links; empty if a link leads nowhere
    std::string version;   ///< in the name of the file: "580.65.06"; may be empty
    std::string elf;       ///< as HostFile::elf
    bool readable = true;  ///< whether this user may read it

    /// Whether it lies in a folder of stubs or of NVIDIA's forward-compatibility package.
    bool is_stub() const;
    bool is_compat() const;
};

/// What one device answered.
struct DeviceAnswer {
    std::string name;
    std::string uuid;
    std::string pci_bus_id;
    bool mig_instance = false;
    std::string compute_mode = "default";        ///< "default", "exclusive process" or "prohibited"
    std::uint64_t total_memory = 0;              ///< bytes
    std::optional<std::uint64_t> free_memory;    ///< bytes; unknown if no context could be opened
    std::optional<int> context;                  ///< the status of opening a context; unknown if that was not tried
    std::optional<bool> persistence;             ///< NVML's answers; unknown without NVML
    std::optional<std::uint64_t> ecc_errors;     ///< uncorrected errors since the driver was loaded
    std::map<std::string, std::uint64_t> users;  ///< bytes of device memory by process id
};

/// What the driver answered to a child process.
struct DriverAnswer {
    /// "not asked", "answered", "crashed", "hung" or "failed" (the child could not run).
    std::string outcome = "not asked";
    std::string detail;           ///< how the child ended: "SIGSEGV"; why it could not run
    std::string stage;            ///< where the child ended: "loading", "cuInit", "contexts"
    std::string library;          ///< the libcuda that was used
    std::string reason = "none";  ///< of the probe
    std::string explanation;      ///< of the probe
    bool forked = false;          ///< asked in a child that was forked after cuInit
    bool simulated = false;
    int version = 0;                    ///< 13000 is 13.0
    std::optional<int> init;            ///< the status of cuInit
    std::optional<int> jit;             ///< the status of loading a small PTX module
    std::optional<int> mig_cards;       ///< the number of cards in MIG mode; unknown without NVML
    std::vector<DeviceAnswer> devices;  ///< in the driver's order
};

/// Facts about the process that asks.
struct ProcessFacts {
    bool root = false;                    ///< whether its user is root
    std::vector<int> groups;              ///< numbers of its groups
    std::string architecture = "x86-64";  ///< as HostFile::elf
    bool static_program = false;          ///< linked without a dynamic loader
};

/// All that a diagnosis looks at, as plain data: no names of hosts or users and no home directories.
struct HostSnapshot {
    std::map<std::string, HostFile> files;  ///< by absolute path; others do not exist or do not matter
    std::map<std::string, std::string> environment;
    std::vector<std::string> kernel_log;  ///< lines about GPUs and modules
    bool kernel_log_readable = false;
    std::vector<LibraryCandidate> libraries;  ///< in the order of the dynamic loader
    ProcessFacts process;
    DriverAnswer driver;

    const HostFile* file(const std::string& path) const;
    bool exists(const std::string& path) const { return file(path) != nullptr; }
    /// The text of a file; empty if there is none.
    std::string text(const std::string& path) const;
    /// The paths that match a pattern of fnmatch(3), in which "*" does not match a slash.
    std::vector<std::string> matching(const std::string& pattern) const;
    std::optional<std::string> variable(const std::string& name) const;
};

}  // namespace cupool::tools
