#include "devquery/worker_processes.hpp"

#include <algorithm>
#include <charconv>
#include <cupool/pool/detail/worker_argument.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

namespace cupool::tools {
namespace {

namespace fs = std::filesystem;

/// The texts of a file of the proc file system that ends each with a zero byte; none where it cannot be read.
std::vector<std::string> texts_of(const fs::path& path) {
    std::vector<std::string> texts;
    std::ifstream file(path, std::ios::binary);
    for (std::string text; std::getline(file, text, '\0');) texts.push_back(text);
    return texts;
}

std::optional<std::string> variable_of(const fs::path& process, const std::string& name) {
    for (const auto& text : texts_of(process / "environ")) {
        if (text.starts_with(name + "=")) return text.substr(name.size() + 1);
    }
    return std::nullopt;
}

/// The number behind "Name:" in a process's status.
std::optional<std::uint64_t> status_number(const fs::path& process, const std::string& name) {
    std::ifstream file(process / "status");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(name + ":")) continue;
        std::istringstream words(line.substr(name.size() + 1));
        std::uint64_t number = 0;
        if (words >> number) return number;
    }
    return std::nullopt;
}

/// The worker that a process is, by its command line; nullopt: it is none.
std::optional<WorkerProcess> worker_of(const fs::path& process) {
    const auto name = process.filename().string();
    WorkerProcess worker;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), worker.process);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    const auto command = texts_of(process / "cmdline");
    if (command.size() != 3 || command[1] != detail::worker_argument || command[2] == detail::census_role) return std::nullopt;
    worker.program = command[0];
    worker.engine = command[2] == detail::gpu_role ? Engine::gpu : Engine::host;
    worker.visible_device = variable_of(process, "CUDA_VISIBLE_DEVICES");
    worker.pool_process = static_cast<int>(status_number(process, "PPid").value_or(0));
    constexpr std::uint64_t kibibyte = 1024;
    if (const auto resident = status_number(process, "VmRSS")) worker.resident_bytes = *resident * kibibyte;
    return worker;
}

}  // namespace

std::vector<WorkerProcess> find_worker_processes(const std::string& proc) {
    std::vector<WorkerProcess> workers;
    std::error_code error;
    for (fs::directory_iterator entry(proc, error), end; !error && entry != end; entry.increment(error)) {
        if (auto worker = worker_of(entry->path())) workers.push_back(std::move(*worker));
    }
    std::sort(workers.begin(), workers.end(), [](const WorkerProcess& one, const WorkerProcess& other) {
        return std::tie(one.pool_process, one.process) < std::tie(other.pool_process, other.process);
    });
    return workers;
}

}  // namespace cupool::tools
