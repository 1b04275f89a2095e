#include "worker_program.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "worker_registry.hpp"

extern char** environ;

namespace cupool::detail {

namespace {

constexpr const char* shipped_program = "cupool-worker";
constexpr std::string_view visible_devices_name = "CUDA_VISIBLE_DEVICES=";

bool is_executable(const std::filesystem::path& file) { return ::access(file.c_str(), X_OK) == 0; }

/// The shipped worker program beside this program or on PATH; empty where it is in neither.
std::string shipped_program_path(const std::filesystem::path& own_program) {
    const std::filesystem::path beside = own_program.parent_path() / shipped_program;
    if (is_executable(beside)) return beside;
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path file = std::filesystem::path(folder) / shipped_program;
        if (!folder.empty() && is_executable(file)) return file;
    }
    return {};
}

/// What workers need of the environment: to find libraries, devices and caches, and to speak the user's language. The rest may be secret.
bool is_inherited(std::string_view variable) {
    static constexpr std::array names{"PATH=", "HOME=", "TMPDIR=", "LANG=", "XDG_CACHE_HOME="};
    static constexpr std::array prefixes{"CUDA_", "CUPOOL_", "NVIDIA_", "LD_", "LC_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_"};
    for (const std::string_view name : names) {
        if (variable.starts_with(name)) return true;
    }
    for (const std::string_view prefix : prefixes) {
        if (variable.starts_with(prefix)) return true;
    }
    return false;
}

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

/// Later variables replace earlier ones of the same name.
void set_variable(std::vector<std::string>& environment, const std::string& variable) {
    for (std::string& present : environment) {
        if (name_of(present) != name_of(variable)) continue;
        present = variable;
        return;
    }
    environment.push_back(variable);
}

}  // namespace

std::string worker_program(const WorkerOptions& options, const SourceLocation& where) {
    if (!options.program.empty()) {
        if (is_executable(options.program)) return options.program;
        throw Error(ErrorCategory::invalid_argument, "the worker program " + options.program + " is no executable file", where);
    }
    std::error_code failure;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failure);
    // By this name the running program is found also where its file has been replaced.
    if (is_own_worker_program() && !failure) return "/proc/self/exe";
    const std::string shipped = shipped_program_path(own);
    if (!shipped.empty()) return shipped;
    throw Error(
        ErrorCategory::invalid_argument,
        "there is no worker program: call serve_if_worker() at the beginning of main(), put cupool-worker beside this program or on "
        "PATH, or name one in WorkerOptions::program",
        where);
}

ChildProcessStart worker_start(const std::string& program, const WorkerOptions& options, const char* role,
                               const std::string& visible_device) {
    ChildProcessStart start{program, {worker_argument, role}, {}};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (is_inherited(*variable)) start.environment.emplace_back(*variable);
    }
    for (const std::string& variable : options.environment) set_variable(start.environment, variable);
    if (!visible_device.empty()) set_variable(start.environment, std::string(visible_devices_name) + visible_device);
    return start;
}

std::string visible_entry(int ordinal, const SourceLocation& where) {
    const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES");
    if (variable == nullptr) return std::to_string(ordinal);
    std::istringstream entries(variable);
    std::string entry;
    for (int i = 0; std::getline(entries, entry, ','); ++i) {
        if (i == ordinal) return entry;
    }
    throw Error(ErrorCategory::invalid_device,
                "device " + std::to_string(ordinal) + " is not visible: CUDA_VISIBLE_DEVICES is \"" + variable + "\"", where);
}

}  // namespace cupool::detail
