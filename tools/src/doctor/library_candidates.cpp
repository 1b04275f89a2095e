#include "doctor/library_candidates.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>

namespace cupool::tools {
namespace {

struct Folder {
    std::string path;
    std::string source;
};

constexpr std::string_view not_searched = "not searched";

#if defined(__aarch64__)
constexpr const char* multiarch = "aarch64-linux-gnu";
#elif defined(__powerpc64__)
constexpr const char* multiarch = "powerpc64le-linux-gnu";
#else
constexpr const char* multiarch = "x86_64-linux-gnu";
#endif

std::vector<std::string> split(const std::string& text, char separator) {
    std::istringstream stream(text);
    std::vector<std::string> parts;
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

/// The folders that a file of ldconfig names; "include" is followed once, as distributions use it.
void add_configured(std::vector<Folder>& folders, const HostFiles& files, const std::string& configuration, bool follows) {
    for (auto line : split(files.read(configuration), '\n')) {
        line = line.substr(0, line.find('#'));
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "include" && follows) {
            std::string pattern;
            words >> pattern;
            if (!pattern.starts_with('/')) pattern = "/etc/" + pattern;
            for (const auto& path : files.glob(pattern)) add_configured(folders, files, path, false);
        } else if (word.starts_with('/')) {
            folders.push_back({word, "ld.so.conf"});
        }
    }
}

std::vector<Folder> search_folders(const HostFiles& files, const std::string& library_path) {
    std::vector<Folder> folders;
    if (!library_path.empty()) {
        for (const auto& path : split(library_path, ':')) folders.push_back({path, "LD_LIBRARY_PATH"});
    }
    add_configured(folders, files, "/etc/ld.so.conf", true);
    const std::string arch = multiarch;
    for (const auto& path : {"/lib/" + arch, "/usr/lib/" + arch, std::string("/lib64"), std::string("/usr/lib64"), std::string("/lib"),
                             std::string("/usr/lib")})
        folders.push_back({path, "default folder"});
    for (const auto* const path : {"/usr/lib/wsl/lib", "/run/opengl-driver/lib"}) folders.push_back({path, "known folder"});
    for (const auto* const pattern : {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib64/nvidia", "/usr/lib/nvidia*",
                                      "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/lib/x86_64-linux-gnu/nvidia", "/opt/nvidia/lib64",
                                      "/home/kubernetes/bin/nvidia/lib64", "/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
                                      "/usr/local/cuda*/compat", "/usr/local/cuda*/lib64/stubs", "/usr/local/cuda*/targets/*/lib/stubs"}) {
        for (const auto& path : files.glob(pattern)) folders.push_back({path, std::string(not_searched)});
    }
    return folders;
}

/// "580.65.06" in "libcuda.so.580.65.06"; empty for "libcuda.so.1".
std::string version_in_name(const std::string& path) {
    const auto name = path.substr(path.find_last_of('/') + 1);
    constexpr std::string_view mark = ".so.";
    const auto position = name.find(mark);
    if (position == std::string::npos) return {};
    const auto version = name.substr(position + mark.size());
    const bool is_number = version.find_first_not_of("0123456789.") == std::string::npos;
    return is_number && version.find('.') != std::string::npos ? version : std::string();
}

bool is_same_file(const LibraryCandidate& one, const LibraryCandidate& other) {
    if (one.path == other.path) return true;
    // "/lib" is a link to "/usr/lib" on most distributions.
    const auto without_usr = [](const std::string& path) { return path.starts_with("/usr/lib") ? path.substr(4) : path; };
    return !one.resolved.empty() && without_usr(one.resolved) == without_usr(other.resolved) &&
           without_usr(one.path) == without_usr(other.path);
}

std::string machine_name(int machine, unsigned char elf_class) {
    switch (machine) {
        case EM_X86_64: return elf_class == ELFCLASS32 ? "x32" : "x86-64";
        case EM_AARCH64: return "aarch64";
        case EM_386: return "x86";
        case EM_ARM: return "arm";
        case EM_PPC64: return "ppc64le";
        default: return "ELF machine " + std::to_string(machine);
    }
}

/// Whether all segments lie within the file. Only for files of this machine's class.
bool is_whole(const std::string& bytes, std::uint64_t size) {
    Elf64_Ehdr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const auto offset = header.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr);
        if (offset > size || size - offset < sizeof(Elf64_Phdr)) return false;
        if (offset + sizeof(Elf64_Phdr) > bytes.size()) return true;  // not read that far: the driver layer checks more
        Elf64_Phdr segment{};
        std::memcpy(&segment, bytes.data() + offset, sizeof segment);
        if (segment.p_type == PT_LOAD && (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)) return false;
    }
    return true;
}

}  // namespace

std::string own_architecture() {
#if defined(__aarch64__)
    return "aarch64";
#elif defined(__powerpc64__)
    return "ppc64le";
#elif defined(__x86_64__)
    return "x86-64";
#else
    return "";
#endif
}

std::string elf_kind(const HostFiles& files, const std::string& path) {
    std::uint64_t size = 0;
    const auto head = files.read_head(path, size);
    if (size == 0) return "empty";
    if (head.size() < EI_NIDENT || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) return "no ELF";
    if (head.size() < sizeof(Elf64_Ehdr)) return "truncated";
    const auto elf_class = static_cast<unsigned char>(head[EI_CLASS]);
    Elf64_Half machine = 0;
    std::memcpy(&machine, head.data() + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
    if (elf_class == ELFCLASS64 && !is_whole(head, size)) return "truncated";
    return machine_name(machine, elf_class);
}

std::vector<LibraryCandidate> find_library_candidates(const HostFiles& files, const std::string& name, const std::string& library_path) {
    std::vector<LibraryCandidate> found;
    for (const auto& folder : search_folders(files, library_path)) {
        // An unversioned name counts only where it is what a loader may get: stubs have no other.
        const bool is_stub_folder = folder.path.find("/stubs") != std::string::npos;
        const auto file_name = is_stub_folder && folder.source == not_searched ? name.substr(0, name.find(".so") + 3) : name;
        LibraryCandidate candidate;
        candidate.name = name;
        candidate.path = folder.path + "/" + file_name;
        candidate.source = folder.source;
        auto file = files.look_at(candidate.path);
        if (!file && folder.source == "LD_LIBRARY_PATH") {
            candidate.path = folder.path + "/" + name.substr(0, name.find(".so") + 3);
            file = files.look_at(candidate.path);
        }
        if (!file) continue;
        candidate.resolved = files.resolve(candidate.path);
        candidate.version = version_in_name(candidate.resolved.empty() ? file->target : candidate.resolved);
        if (!candidate.resolved.empty()) {
            const auto target = files.look_at(candidate.resolved);
            candidate.readable = target && (target->access == "rw" || target->access == "r");
            candidate.elf = candidate.readable ? elf_kind(files, candidate.resolved) : "";
        }
        const bool is_known = std::any_of(found.begin(), found.end(), [&](const auto& other) { return is_same_file(candidate, other); });
        if (!is_known) found.push_back(candidate);
    }
    return found;
}

}  // namespace cupool::tools
