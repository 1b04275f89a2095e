// The program that asks: how it was started and linked.
#include <sstream>
#include <string_view>

#include "doctor/checks/checks.hpp"
#include "doctor/checks/host_view.hpp"

namespace cupool::tools::checks {
namespace {

/// The soft limit of the address space in bytes, as /proc/self/limits says; empty if it is unlimited or unknown.
std::string address_space_limit(const HostSnapshot& host) {
    constexpr std::string_view name = "Max address space";
    const auto limits = host.text("/proc/self/limits");
    const auto position = limits.find(name);
    if (position == std::string::npos) return {};
    std::istringstream words(limits.substr(position + name.size()));
    std::string soft;
    words >> soft;
    return soft == "unlimited" ? std::string() : soft;
}

}  // namespace

std::optional<Finding> forked_child(const HostSnapshot& host) {
    if (!host.driver.forked) return std::nullopt;
    Finding finding{"forked-child", "The process was forked after its parent had initialised CUDA, which does not survive a fork",
                    "Fork before the first use of CUDA, or start the child with exec (Python: multiprocessing method \"spawn\")",
                    Confidence::certain, Reason::not_ready};
    finding.evidence = {"the process was forked after cuInit"};
    return finding;
}

std::optional<Finding> static_program(const HostSnapshot& host) {
    if (!host.process.static_program) return std::nullopt;
    return Finding{"static-program",
                   "The program is linked statically and cannot load libcuda at run time",
                   "Link the program dynamically, against glibc",
                   Confidence::certain,
                   Reason::library_unusable,
                   {"the program has no dynamic loader (no PT_INTERP)"}};
}

std::optional<Finding> driver_variable_wrong(const HostSnapshot& host) {
    const auto path = host.variable("CUPOOL_DRIVER").value_or("");
    if (path.empty() || works(host)) return std::nullopt;
    const auto* const file = host.file(path);
    const bool is_no_library = file != nullptr && (file->elf == "empty" || file->elf == "truncated" || file->elf == "no ELF");
    const bool is_wrong_file = host.driver.outcome == "not asked" && (file == nullptr || is_no_library);
    if (!loads_no_library(host) && !is_wrong_file) return std::nullopt;
    Finding finding{"driver-variable-wrong",
                    "The variable CUPOOL_DRIVER names a file that is no usable libcuda, and cupool then looks for no other",
                    "unset CUPOOL_DRIVER, or set it to the absolute path of the driver's libcuda.so.1", Confidence::certain,
                    file == nullptr ? Reason::no_library : Reason::library_unusable};
    finding.evidence = {"CUPOOL_DRIVER=" + path, host.driver.explanation};
    if (file == nullptr) finding.evidence.push_back(path + " is absent");
    if (is_no_library) finding.evidence.push_back(path + (file->elf == "no ELF" ? " is not a library" : " is " + file->elf));
    return finding;
}

std::optional<Finding> address_space_limited(const HostSnapshot& host) {
    constexpr int out_of_memory = 2;
    const auto limit = address_space_limit(host);
    if (works(host) || limit.empty() || !init_is(host, out_of_memory)) return std::nullopt;
    return Finding{"address-space-limited",
                   "The address space of the process is limited, and the driver reserves more when it is initialised",
                   "ulimit -v unlimited, or remove the limit where it is set: limits.conf (as), LimitAS= of the unit, the batch system",
                   Confidence::certain,
                   Reason::device_unhealthy,
                   {"/proc/self/limits: address space of " + limit + " bytes", "cuInit: " + status_text(out_of_memory)}};
}

std::optional<Finding> system_call_filter(const HostSnapshot& host) {
    if (host.driver.outcome != "crashed" || host.driver.detail != "SIGSYS") return std::nullopt;
    const auto unit = systemd_service(host);
    Finding finding{"system-call-filter", "A filter of system calls (seccomp) ends programs that use the driver",
                    "In a systemd unit widen SystemCallFilter=" + (unit.empty() ? "" : " (systemctl edit " + unit + ")") +
                        "; in a container use the default profile of seccomp; the audit log names the call (type 1326)",
                    Confidence::certain, Reason::library_unusable};
    finding.evidence = {"the process that asked the driver was ended by SIGSYS" +
                        (host.driver.stage.empty() ? "" : ", in stage " + host.driver.stage)};
    if (!unit.empty()) finding.evidence.push_back("the process belongs to " + unit);
    return finding;
}

std::optional<Finding> musl_host(const HostSnapshot& host) {
    if (works(host) || !is_musl(host)) return std::nullopt;
    return Finding{"musl-host",
                   "The C library is musl, and NVIDIA's libraries need glibc",
                   "Use a distribution or an image with glibc (Debian, Ubuntu, Rocky) instead of Alpine",
                   Confidence::certain,
                   Reason::library_unusable,
                   {host.matching("/lib/ld-musl-*.so.1").front() + " exists, and no loader of glibc does"}};
}

}  // namespace cupool::tools::checks
