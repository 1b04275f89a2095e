#include "doctor/host_files.hpp"

#include <fcntl.h>
#include <glob.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <sstream>
#include <string_view>

namespace cupool::tools {
namespace {

/// How much of a file's text goes into a snapshot.
enum class Keep {
    nothing,
    all,
    gpu_lines,       ///< lines that name GPU drivers
    boot_words,      ///< words of the kernel's command line about modules and modes
    control_groups,  ///< with the identifiers of containers replaced
    process_limits,  ///< the limit of the address space
    processor_kind,  ///< whether it is that of a virtual machine
    device_mounts,   ///< the file systems that are mounted on /dev
    group_names,     ///< of groups that own GPU nodes, without their members
};

struct WantedFile {
    const char* pattern;
    Keep keep = Keep::nothing;
};

constexpr WantedFile wanted_files[] = {
    // The kernel driver.
    {"/proc/driver/nvidia/version", Keep::all},
    {"/proc/driver/nvidia/params", Keep::all},
    {"/proc/driver/nvidia/gpus/*/information", Keep::all},
    {"/proc/driver/nvidia/gpus/*/power"},
    {"/proc/driver/nvidia/capabilities/gpu*/mig"},
    {"/proc/driver/nvidia/capabilities/gpu*/mig/gi*"},
    {"/proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*"},
    {"/proc/driver/nvidia-nvswitch"},
    {"/proc/modules", Keep::gpu_lines},
    {"/proc/devices", Keep::gpu_lines},
    {"/proc/cmdline", Keep::boot_words},
    {"/proc/sys/kernel/osrelease", Keep::all},
    {"/sys/module/nvidia/version", Keep::all},
    {"/sys/module/nouveau"},
    {"/sys/module/nvidia"},
    {"/sys/module/nvidia_uvm"},
    {"/sys/module/nvidia_uvm/parameters/uvm_disable_hmm", Keep::all},
    {"/sys/module/nvidia_vgpu_vfio"},
    {"/sys/bus/pci/devices"},
    {"/sys/bus/thunderbolt/devices/*/authorized", Keep::all},
    {"/sys/firmware/efi/efivars/SecureBoot-*", Keep::all},
    {"/sys/kernel/security/lockdown", Keep::all},
    // Module files, where distributions, DKMS and NVIDIA's installer put them.
    {"/lib/modules/*"},
    {"/lib/modules/*/updates/nvidia.ko*"},
    {"/lib/modules/*/updates/dkms/nvidia*.ko*"},
    {"/lib/modules/*/extra/nvidia*.ko*"},
    {"/lib/modules/*/extra/nvidia*/nvidia*.ko*"},
    {"/lib/modules/*/misc/nvidia*.ko*"},
    {"/lib/modules/*/kernel/drivers/video/nvidia*.ko*"},
    {"/lib/modules/*/kernel/drivers/video/nvidia/nvidia*.ko*"},
    {"/lib/modules/*/kernel/drivers/char/drm/nvidia*.ko*"},
    {"/lib/modules/*/kernel/nvidia*/*nvidia*.ko*"},
    {"/lib/modules/*/weak-updates/nvidia*.ko*"},
    {"/lib/modules/*/video/nvidia*.ko*"},
    {"/usr/src/nvidia*"},
    {"/var/lib/dkms/nvidia*"},
    {"/etc/modprobe.d/*.conf", Keep::gpu_lines},
    {"/run/modprobe.d/*.conf", Keep::gpu_lines},
    {"/usr/lib/modprobe.d/*.conf", Keep::gpu_lines},
    {"/lib/modprobe.d/*.conf", Keep::gpu_lines},
    // Device nodes.
    {"/dev/nvidia*"},
    {"/dev/nvidia-caps/*"},
    {"/dev/dxg"},
    {"/dev/nvhost-gpu"},
    {"/dev/nvmap"},
    {"/etc/group", Keep::group_names},
    {"/proc/self/mountinfo", Keep::device_mounts},
    {"/proc/self/limits", Keep::process_limits},
    {"/proc/cpuinfo", Keep::processor_kind},
    {"/sys/fs/selinux/enforce", Keep::all},
    // Confidential virtual machines.
    {"/dev/sev-guest"},
    {"/dev/tdx_guest"},
    {"/dev/tdx-guest"},
    // Containers and WSL.
    {"/.dockerenv"},
    {"/.flatpak-info"},
    {"/.singularity.d"},
    {"/run/.containerenv"},
    {"/run/systemd/container", Keep::all},
    {"/var/run/secrets/kubernetes.io"},
    {"/run/secrets/kubernetes.io"},
    {"/proc/self/cgroup", Keep::control_groups},
    {"/usr/lib/wsl/lib"},
    {"/usr/lib/wsl/lib/libcuda.so*"},
    // Toolkits, services and C libraries.
    {"/usr/local/cuda*"},
    {"/usr/local/cuda*/bin/nvcc"},
    {"/usr/bin/nvcc"},
    {"/opt/cuda/bin/nvcc"},
    {"/usr/local/cuda*/compat/*"},
    {"/run/nvidia-persistenced/socket"},
    {"/var/run/nvidia-persistenced/socket"},
    {"/usr/bin/nv-fabricmanager"},
    {"/run/nvidia-fabricmanager/*"},
    {"/var/run/nvidia-fabricmanager/*"},
    {"/tmp/nvidia-mps/*", Keep::all},
    {"/etc/ld.so.preload", Keep::all},
    {"/lib/ld-musl-*.so.1"},
    {"/lib64/ld-linux-*.so.*"},
    {"/lib/ld-linux-*.so.*"},
};

constexpr std::size_t longest_text = std::size_t{64} << 10;
constexpr std::size_t longest_log = std::size_t{1} << 20;
constexpr std::size_t most_log_lines = 60;
constexpr std::size_t longest_head = 4096;
constexpr int most_links = 20;

/// A regular file, opened without blocking; anything else is as if it were empty.
class RegularFile {
public:
    explicit RegularFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
        struct stat status {};
        is_regular_ = descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
        if (is_regular_) size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~RegularFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;

    /// In bytes; files of /proc say 0.
    std::uint64_t size() const { return size_; }
    void skip_to(std::uint64_t position) const { ::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET); }
    std::string read(std::size_t most) const {
        std::string text;
        std::array<char, 4096> buffer{};
        while (is_regular_ && text.size() < most) {
            const auto count = ::read(descriptor_, buffer.data(), std::min(buffer.size(), most - text.size()));
            if (count <= 0) break;
            text.append(buffer.data(), static_cast<std::size_t>(count));
        }
        return text;
    }

private:
    int descriptor_;
    bool is_regular_ = false;
    std::uint64_t size_ = 0;
};

bool contains(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

/// The lines that pass a test, with line ends.
template <class Test>
std::string lines_with(const std::string& text, const Test& test) {
    std::istringstream stream(text);
    std::string kept;
    for (std::string line; std::getline(stream, line);) {
        if (test(line)) kept += line + '\n';
    }
    return kept;
}

bool names_gpu_driver(const std::string& line) {
    return contains(line, "nvidia") || contains(line, "nouveau") || contains(line, "vfio") || contains(line, "nova_core");
}

std::string boot_words(const std::string& text) {
    std::istringstream stream(text);
    std::string kept;
    for (std::string word; stream >> word;) {
        const bool matters = word == "nomodeset" || contains(word, "blacklist") || names_gpu_driver(word) ||
                             word.starts_with("module.sig_enforce") || word.starts_with("lockdown=") || word.starts_with("pci=") ||
                             word.starts_with("vfio-pci.ids");
        if (matters) kept += (kept.empty() ? "" : " ") + word;
    }
    return kept;
}

/// Replaces long hexadecimal numbers: a container's host name is the beginning of its identifier.
std::string without_identifiers(const std::string& text) {
    constexpr std::size_t shortest_identifier = 12;
    std::string kept;
    std::string digits;
    const auto flush = [&] {
        kept += digits.size() >= shortest_identifier ? "ID" : digits;
        digits.clear();
    };
    for (const char letter : text) {
        if (std::isxdigit(static_cast<unsigned char>(letter)) != 0) {
            digits += letter;
        } else {
            flush();
            kept += letter;
        }
    }
    flush();
    return kept;
}

/// The lines of mountinfo about /dev itself.
std::string device_mounts(const std::string& text) {
    return lines_with(text, [](const std::string& line) { return contains(line, " / /dev "); });
}

std::string process_limits(const std::string& text) {
    return lines_with(text, [](const std::string& line) { return contains(line, "address space"); });
}

std::string processor_kind(const std::string& text) { return contains(text, " hypervisor") ? "flags: hypervisor\n" : ""; }

/// "video:x:44:", without the members.
std::string group_names(const std::string& text) {
    std::istringstream stream(text);
    std::string kept;
    for (std::string line; std::getline(stream, line);) {
        const auto name = line.substr(0, line.find(':'));
        const bool owns_gpus =
            name == "video" || name == "render" || name == "vglusers" || name == "nvidia" || name == "gpu" || name == "cuda";
        if (owns_gpus) kept += line.substr(0, line.find_last_of(':') + 1) + '\n';
    }
    return kept;
}

std::string kept_text(Keep keep, const std::string& text) {
    switch (keep) {
        case Keep::nothing: return {};
        case Keep::all: return text;
        case Keep::gpu_lines: return lines_with(text, names_gpu_driver);
        case Keep::boot_words: return boot_words(text);
        case Keep::control_groups: return without_identifiers(text);
        case Keep::process_limits: return process_limits(text);
        case Keep::processor_kind: return processor_kind(text);
        case Keep::device_mounts: return device_mounts(text);
        case Keep::group_names: return group_names(text);
    }
    return {};
}

std::string type_name(mode_t mode) {
    if (S_ISREG(mode)) return "file";
    if (S_ISDIR(mode)) return "directory";
    if (S_ISLNK(mode)) return "link";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "device";
    if (S_ISSOCK(mode)) return "socket";
    return S_ISFIFO(mode) ? "pipe" : "other";
}

/// What this user may do. A device cgroup that forbids a node answers EPERM, permission bits EACCES.
std::string access_to(const std::string& path) {
    const auto may = [&](int mode) { return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0; };
    if (may(R_OK | W_OK)) return "rw";
    const int error = errno;
    if (error == EPERM) return "denied";
    return may(R_OK) ? "r" : "none";
}

/// Escapes the characters that glob(3) gives a meaning.
std::string literal(const std::string& path) {
    std::string escaped;
    for (const char letter : path) {
        if (letter == '*' || letter == '?' || letter == '[' || letter == '\\') escaped += '\\';
        escaped += letter;
    }
    return escaped;
}

std::string trimmed(const std::string& text) {
    const auto end = text.find_last_not_of(" \n\r\t");
    return end == std::string::npos ? std::string() : text.substr(0, end + 1);
}

/// Reading this file calls the kernel driver, which may wait for the GPU.
bool asks_driver(std::string_view pattern) { return pattern.starts_with("/proc/driver/nvidia/gpus/"); }

bool matters_in_log(const std::string& line) {
    const auto names = [&](std::string_view word) { return contains(line, word); };
    const bool is_rejection =
        (names("Loading of") && names("is rejected")) || names("module loading is restricted") || names("key not available");
    return is_rejection || names("NVRM") || names("nvidia") || names("nouveau") || names("nvlink");
}

/// A line of a log file without time and host name; a line of the kernel without its level.
std::string log_message(const std::string& line) {
    constexpr std::string_view mark = " kernel: ";
    const auto position = line.find(mark);
    if (position != std::string::npos) return line.substr(position + mark.size());
    if (line.starts_with('<')) return line.substr(line.find('>') + 1);
    return line;
}

std::string kernel_ring_buffer() {
    constexpr int read_all = 3;
    std::string text(longest_log, '\0');
    const int count = ::klogctl(read_all, text.data(), static_cast<int>(text.size()));
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

}  // namespace

std::optional<HostFile> HostFiles::look_at(const std::string& path) const {
    struct stat status {};
    if (::lstat(real(path).c_str(), &status) != 0) return std::nullopt;
    HostFile file;
    file.type = type_name(status.st_mode);
    file.mode = static_cast<int>(status.st_mode & 07777U);
    file.group = static_cast<int>(status.st_gid);
    file.access = access_to(real(path));
    if (file.type == "device") file.major = static_cast<int>(major(status.st_rdev));
    if (file.type == "link") {
        std::array<char, 4096> target{};
        const auto length = ::readlink(real(path).c_str(), target.data(), target.size());
        file.target.assign(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    }
    return file;
}

std::string HostFiles::read(const std::string& path) const {
    const RegularFile file(real(path));
    if (file.size() > longest_log) file.skip_to(file.size() - longest_log);
    return file.read(longest_log);
}

std::string HostFiles::read_head(const std::string& path, std::uint64_t& size) const {
    const RegularFile file(real(path));
    size = file.size();
    return file.read(longest_head);
}

std::vector<std::string> HostFiles::glob(const std::string& pattern) const {
    glob_t found{};
    std::vector<std::string> paths;
    if (::glob((literal(root_) + pattern).c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.push_back(std::string(found.gl_pathv[i]).substr(root_.size()));
    }
    ::globfree(&found);
    return paths;
}

std::string HostFiles::resolve(const std::string& path) const {
    std::string current = path;
    for (int links = 0; links < most_links; ++links) {
        const auto file = look_at(current);
        if (!file) return {};
        if (file->type != "link") return current;
        current = file->target.starts_with('/') ? file->target : current.substr(0, current.find_last_of('/') + 1) + file->target;
    }
    return {};
}

void HostFiles::collect_pci_devices(HostSnapshot& snapshot) const {
    for (const auto& folder : glob("/sys/bus/pci/devices/*")) {
        if (trimmed(read(folder + "/vendor")) != "0x10de") continue;
        for (const std::string name : {"class", "device", "revision", "enable", "current_link_width"}) {
            if (auto file = look_at(folder + "/" + name)) {
                file->text = trimmed(read(folder + "/" + name));
                snapshot.files[folder + "/" + name] = *file;
            }
        }
        if (auto driver = look_at(folder + "/driver")) {  // only its name: the way there differs between hosts
            driver->target = driver->target.substr(driver->target.find_last_of('/') + 1);
            snapshot.files[folder + "/driver"] = *driver;
        }
    }
}

void HostFiles::collect_kernel_log(HostSnapshot& snapshot) const {
    std::string text = root_.empty() ? kernel_ring_buffer() : std::string();
    for (const std::string path : {"/var/log/kern.log", "/var/log/dmesg", "/var/log/messages", "/var/log/syslog"}) {
        if (text.empty()) text = read(path);
    }
    snapshot.kernel_log_readable = !text.empty();
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (matters_in_log(line)) snapshot.kernel_log.push_back(log_message(line));
    }
    const auto count = snapshot.kernel_log.size();
    if (count > most_log_lines) {
        snapshot.kernel_log.erase(snapshot.kernel_log.begin(), snapshot.kernel_log.end() - static_cast<std::ptrdiff_t>(most_log_lines));
    }
}

void HostFiles::collect(HostSnapshot& snapshot) const {
    const bool is_driver_hung = snapshot.driver.outcome == "hung";
    for (const auto& wanted : wanted_files) {
        if (is_driver_hung && asks_driver(wanted.pattern)) continue;
        for (const auto& path : glob(wanted.pattern)) {
            auto file = look_at(path);
            if (!file) continue;
            if (wanted.keep != Keep::nothing) file->text = kept_text(wanted.keep, read(path)).substr(0, longest_text);
            snapshot.files[path] = *file;
        }
    }
    collect_pci_devices(snapshot);
    collect_kernel_log(snapshot);
}

}  // namespace cupool::tools
