#include "doctor/snapshot_collector.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "doctor/driver_answer.hpp"
#include "doctor/host_files.hpp"
#include "doctor/library_candidates.hpp"

extern char** environ;

namespace cupool::tools {
namespace {

/// The variables that change what CUDA sees. No other variable is kept: some, such as
/// NVIDIA_API_KEY, are secrets.
bool matters(std::string_view name) {
    for (const std::string_view prefix : {"CUDA_MPS_", "CUPOOL_", "NVIDIA_MIG_", "NVIDIA_REQUIRE_"}) {
        if (name.starts_with(prefix)) return true;
    }
    constexpr std::string_view names[] = {
        "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES",       "CUDA_MODULE_LOADING",    "CUDA_DISABLE_PTX_JIT",   "CUDA_CACHE_PATH",
        "LD_LIBRARY_PATH",   "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_DISABLE_REQUIRE", "NVIDIA_VISIBLE_DEVICES", "LD_PRELOAD"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// A path below a home directory names a user.
std::string without_user(const std::string& text) {
    constexpr std::string_view home = "/home/";
    std::string kept;
    for (std::size_t i = 0; i < text.size();) {
        const auto position = text.find(home, i);
        if (position == std::string::npos) return kept + text.substr(i);
        const auto begin = position + home.size();
        const auto end = std::min(text.find_first_of("/:", begin), text.size());
        kept += text.substr(i, begin - i) + "USER";
        i = end;
    }
    return kept;
}

void remove_user_names(HostSnapshot& snapshot) {
    for (auto& [name, value] : snapshot.environment) value = without_user(value);
    for (auto& [path, file] : snapshot.files) file.text = without_user(file.text);
    for (auto& library : snapshot.libraries) {
        library.path = without_user(library.path);
        library.resolved = without_user(library.resolved);
    }
    snapshot.driver.library = without_user(snapshot.driver.library);
    snapshot.driver.explanation = without_user(snapshot.driver.explanation);
}

/// The libraries of other versions beside each libcuda, and the file that CUPOOL_DRIVER names.
void collect_other_libraries(HostSnapshot& snapshot, const HostFiles& files) {
    std::vector<std::string> paths;
    for (const auto& library : snapshot.libraries) {
        if (library.name != "libcuda.so.1" || library.resolved.empty()) continue;
        const auto folder = library.resolved.substr(0, library.resolved.find_last_of('/'));
        for (auto& path : files.glob(folder + "/libcuda.so.*.*")) paths.push_back(std::move(path));
    }
    if (const auto chosen = snapshot.variable("CUPOOL_DRIVER")) paths.push_back(*chosen);
    for (const auto& path : paths) {
        auto file = files.look_at(path);
        const auto resolved = files.resolve(path);
        if (!file || resolved.empty()) continue;
        file->elf = elf_kind(files, resolved);
        snapshot.files[without_user(path)] = *file;
    }
}

int find_interpreter(dl_phdr_info* object, std::size_t, void* found) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        if (object->dlpi_phdr[i].p_type == PT_INTERP) *static_cast<bool*>(found) = true;
    }
    return 1;  // the first object is the program
}

ProcessFacts process_facts() {
    ProcessFacts facts;
    facts.root = ::geteuid() == 0;
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
    const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
    facts.groups.push_back(static_cast<int>(::getegid()));
    for (int i = 0; i < count; ++i) facts.groups.push_back(static_cast<int>(groups[static_cast<std::size_t>(i)]));
    facts.architecture = own_architecture();
    bool has_interpreter = false;
    ::dl_iterate_phdr(find_interpreter, &has_interpreter);
    facts.static_program = !has_interpreter;
    return facts;
}

/// The pipe folder of MPS is not always the default one.
void collect_mps(HostSnapshot& snapshot, const HostFiles& files) {
    const auto folder = snapshot.variable("CUDA_MPS_PIPE_DIRECTORY").value_or("/tmp/nvidia-mps");
    for (const std::string name : {"control", "nvidia-cuda-mps-control.pid"}) {
        auto file = files.look_at(folder + "/" + name);
        if (!file) continue;
        file->text = files.read(folder + "/" + name);
        snapshot.files[without_user(folder + "/" + name)] = *file;
        const auto process = file->text.substr(0, file->text.find_first_not_of("0123456789"));
        if (name.ends_with(".pid") && !process.empty()) {
            if (const auto running = files.look_at("/proc/" + process)) snapshot.files["/proc/" + process] = *running;
        }
    }
}

/// The simulated driver does not depend on the host.
void forget_host(HostSnapshot& snapshot) {
    snapshot.files.clear();
    snapshot.kernel_log.clear();
    snapshot.libraries.clear();
}

}  // namespace

std::map<std::string, std::string> own_environment() {
    std::map<std::string, std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const auto name = text.substr(0, text.find('='));
        if (matters(name) && name.size() < text.size()) environment[name] = text.substr(name.size() + 1);
    }
    return environment;
}

HostSnapshot collect_snapshot(const std::string& root, std::map<std::string, std::string> environment, std::chrono::milliseconds limit) {
    HostSnapshot snapshot;
    snapshot.environment = std::move(environment);
    const HostFiles files(root);
    const char* const chosen = std::getenv("CUPOOL_DRIVER");
    if (root.empty() || (chosen != nullptr && *chosen != '\0')) snapshot.driver = ask_driver(limit);
    files.collect(snapshot);
    collect_mps(snapshot, files);
    const auto library_path = snapshot.variable("LD_LIBRARY_PATH").value_or("");
    for (const std::string name : {"libcuda.so.1", "libnvidia-ptxjitcompiler.so.1"}) {
        for (auto& candidate : find_library_candidates(files, name, library_path)) snapshot.libraries.push_back(std::move(candidate));
    }
    collect_other_libraries(snapshot, files);
    snapshot.process = process_facts();
    if (root.empty() && snapshot.driver.simulated) forget_host(snapshot);
    remove_user_names(snapshot);
    return snapshot;
}

}  // namespace cupool::tools
