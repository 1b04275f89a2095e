#include "doctor/host_snapshot.hpp"

#include <fnmatch.h>

namespace cupool::tools {

bool LibraryCandidate::is_stub() const {
    return path.find("/stubs/") != std::string::npos || resolved.find("/stubs/") != std::string::npos;
}

bool LibraryCandidate::is_compat() const {
    for (const auto* text : {&path, &resolved}) {
        if (text->find("/compat/") != std::string::npos || text->find("cuda-compat") != std::string::npos) return true;
    }
    return false;
}

const HostFile* HostSnapshot::file(const std::string& path) const {
    const auto found = files.find(path);
    return found == files.end() ? nullptr : &found->second;
}

std::string HostSnapshot::text(const std::string& path) const {
    const auto* const found = file(path);
    return found == nullptr ? std::string() : found->text;
}

std::vector<std::string> HostSnapshot::matching(const std::string& pattern) const {
    std::vector<std::string> paths;
    for (const auto& [path, facts] : files) {
        if (::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0) paths.push_back(path);
    }
    return paths;
}

std::optional<std::string> HostSnapshot::variable(const std::string& name) const {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace cupool::tools
