#include "doctor/scenario.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>

#include "files.hpp"

namespace cupool::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const std::set<std::string> members = {"description", "like",   "files",     "environment", "kernel_log",
                                       "process",     "driver", "libraries", "simulator",   "expect"};

/// The content of `base` with the changes of a scenario: files, variables and facts of the process
/// are changed one by one, where null removes; other members are replaced.
json like(json base, const json& changes) {
    const std::set<std::string> merged = {"files", "environment", "process"};
    for (const auto& [name, value] : changes.items()) {
        if (merged.count(name) == 0) {
            base[name] = value;
            continue;
        }
        for (const auto& [key, entry] : value.items()) {
            if (entry.is_null()) {
                base[name].erase(key);
            } else {
                base[name][key] = entry;
            }
        }
    }
    if (changes.contains("simulator")) base.erase("driver");
    return base;
}

json read_content(const fs::path& folder, const std::string& name, int depth = 0) {
    constexpr int most_bases = 5;
    if (depth > most_bases) throw std::runtime_error(name + ": \"like\" goes in circles");
    const auto content = json::parse(read_text(folder / (name + ".json")));
    for (const auto& [member, value] : content.items()) {
        if (members.count(member) == 0) throw std::runtime_error(name + ": unknown member \"" + member + "\"");
    }
    if (depth == 0 && !content.contains("expect")) throw std::runtime_error(name + ": no member \"expect\"");
    return content.contains("like") ? like(read_content(folder, content["like"], depth + 1), content) : content;
}

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

/// A header that names a machine; one that is truncated has a segment beyond the end of the file.
std::string library_image(const std::string& kind) {
    if (kind == "empty") return {};
    if (kind == "no ELF") return "not a library\n";
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = kind == "x86" || kind == "arm" ? ELFCLASS32 : ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = kind == "aarch64"   ? EM_AARCH64
                       : kind == "x86"     ? EM_386
                       : kind == "arm"     ? EM_ARM
                       : kind == "ppc64le" ? EM_PPC64
                                           : EM_X86_64;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_filesz = 1 << 20;
    header.e_phnum = kind == "truncated" ? 1 : 0;
    std::string image(sizeof header + sizeof segment, '\0');
    std::memcpy(image.data(), &header, sizeof header);
    std::memcpy(image.data() + sizeof header, &segment, sizeof segment);
    return image;
}

/// Whether a test cannot make it: device nodes and other users' files need root.
bool must_be_described(const json& file) {
    if (!file.is_object()) return false;
    const auto type = file.value("type", "file");
    return (type != "file" && type != "directory" && type != "link") || file.contains("access") || file.contains("group") ||
           file.contains("mode");
}

void make_file(const fs::path& path, const json& file) {
    const auto type = file.is_object() ? file.value("type", "file") : "file";
    if (file.is_string()) {
        write(path, file);
    } else if (type == "directory") {
        fs::create_directories(path);
    } else if (type == "link") {
        fs::create_directories(path.parent_path());
        fs::create_symlink(file.at("target").get<std::string>(), path);
    } else {
        write(path, file.contains("elf") ? library_image(file["elf"]) : file.value("text", ""));
    }
}

}  // namespace

std::string Scenario::expected() const { return content.at("expect").is_null() ? "" : content.at("expect").get<std::string>(); }

std::vector<Scenario> read_scenarios(const fs::path& folder) {
    std::vector<Scenario> scenarios;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        const auto name = entry.path().stem().string();
        scenarios.push_back({name, read_content(folder, name)});
    }
    std::sort(scenarios.begin(), scenarios.end(), [](const Scenario& one, const Scenario& other) { return one.name < other.name; });
    return scenarios;
}

json make_host(const Scenario& scenario, const fs::path& root) {
    json facts = {{"snapshot", 1},
                  {"process", {{"root", false}, {"groups", {1000}}, {"architecture", "x86-64"}, {"static_program", false}}}};
    facts["files"] = json::object();
    fs::create_directories(root);
    const auto& content = scenario.content;
    const json files = content.value("files", json::object());
    for (const auto& [path, file] : files.items()) {
        if (must_be_described(file)) {
            facts["files"][path] = file;
        } else {
            make_file(root.string() + path, file);
        }
    }
    std::string log;
    const json lines = content.value("kernel_log", json::array());
    for (const auto& line : lines) log += "Nov 25 09:30:00 somehost kernel: " + line.get<std::string>() + "\n";
    if (!log.empty()) write(root.string() + "/var/log/kern.log", log);
    if (content.contains("environment")) facts["environment"] = content["environment"];
    if (content.contains("process")) facts["process"].merge_patch(content["process"]);
    if (content.contains("libraries")) facts["libraries"] = content["libraries"];
    if (content.contains("driver")) facts["driver"] = content["driver"];
    return facts;
}

std::vector<std::string> variables_of(const Scenario& scenario) {
    std::vector<std::string> variables;
    if (!scenario.needs_simulator()) return variables;
    for (const auto* const member : {"environment", "simulator"}) {
        const json values = scenario.content.value(member, json::object());
        for (const auto& [name, value] : values.items()) variables.push_back(name + "=" + value.get<std::string>());
    }
    return variables;
}

}  // namespace cupool::test
