#include "doctor/snapshot_json.hpp"

#include <cstdio>
#include <cupool/driver/reason.hpp>
#include <functional>
#include <limits>

#include "formats/bad_input.hpp"
#include "io/input_file.hpp"

namespace cupool::tools {
namespace {

constexpr std::size_t longest_snapshot = std::size_t{16} << 20;

[[noreturn]] void refuse(const std::string& member, const std::string& expected) {
    throw BadInput(InputFault::unknown_name, "member \"" + member + "\"", "expected " + expected);
}

std::string text_of(const std::string& member, const Json& json) {
    if (!json.is_string()) refuse(member, "a string");
    return json.get<std::string>();
}

bool flag_of(const std::string& member, const Json& json) {
    if (!json.is_boolean()) refuse(member, "true or false");
    return json.get<bool>();
}

int number_of(const std::string& member, const Json& json) {
    constexpr auto most = std::numeric_limits<int>::max();
    if (!json.is_number_integer() || json < -most || json > most) refuse(member, "a whole number");
    return json.get<int>();
}

std::uint64_t bytes_of(const std::string& member, const Json& json) {
    if (!json.is_number_unsigned()) refuse(member, "a whole number that is not negative");
    return json.get<std::uint64_t>();
}

/// Permission bits are written in octal: "0660".
int mode_of(const std::string& member, const Json& json) {
    const auto text = text_of(member, json);
    const bool octal = !text.empty() && text.size() <= 5 && text.find_first_not_of("01234567") == std::string::npos;
    if (!octal) refuse(member, "octal digits, as \"0660\"");
    return std::stoi(text, nullptr, 8);
}

std::string mode_text(int mode) {
    char text[16];
    std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode) & 07777U);
    return text;
}

/// How the value of a member is read. Null, which means unknown, changes nothing except where it can reset the value.
struct Member {
    template <class Reader>
    Member(Reader reader, bool resets = false) : read(std::move(reader)), can_reset(resets) {}

    std::function<void(const std::string& path, const Json& value)> read;
    bool can_reset;
};

/// Calls the handler of each member of an object.
void read_members(const std::string& path, const Json& json, const std::map<std::string, Member>& members) {
    if (!json.is_object()) refuse(path, "an object");
    for (const auto& [name, value] : json.items()) {
        const auto member = members.find(name);
        const auto full = path.empty() ? name : path + "." + name;
        if (member == members.end()) throw BadInput(InputFault::unknown_name, "member \"" + full + "\"", "unknown");
        if (!value.is_null() || member->second.can_reset) member->second.read(full, value);
    }
}

template <class Read>
void read_list(const std::string& path, const Json& json, const Read& read) {
    if (!json.is_array()) refuse(path, "a list");
    for (std::size_t i = 0; i < json.size(); ++i) read(path + "[" + std::to_string(i) + "]", json[i]);
}

Member into(std::string& to) {
    return [&to](const std::string& path, const Json& json) { to = text_of(path, json); };
}
Member into(bool& to) {
    return [&to](const std::string& path, const Json& json) { to = flag_of(path, json); };
}
Member into(int& to) {
    return [&to](const std::string& path, const Json& json) { to = number_of(path, json); };
}
Member into(std::uint64_t& to) {
    return [&to](const std::string& path, const Json& json) { to = bytes_of(path, json); };
}
template <class T>
Member into(std::optional<T>& to) {
    const auto read = [&to](const std::string& path, const Json& json) {
        to.reset();
        if (!json.is_null()) into(to.emplace()).read(path, json);
    };
    return {read, true};
}
Member one_of(std::string& to, std::vector<std::string> names) {
    return [&to, names = std::move(names)](const std::string& path, const Json& json) {
        to = text_of(path, json);
        std::string list;
        for (const auto& name : names) {
            if (name == to) return;
            list += (list.empty() ? "\"" : ", \"") + name + "\"";
        }
        refuse(path, "one of " + list);
    };
}

std::vector<std::string> reason_names() {
    std::vector<std::string> names = {std::string(to_string(Reason::none))};
    for (int code = static_cast<int>(Reason::no_library); code <= static_cast<int>(Reason::partial); ++code)
        names.emplace_back(to_string(static_cast<Reason>(code)));
    return names;
}

HostFile file_of(const std::string& path, const Json& json) {
    HostFile file;
    if (json.is_string()) {  // short for a readable file with this text
        file.text = json.get<std::string>();
        file.access = "r";
        return file;
    }
    read_members(path, json,
                 {{"type", one_of(file.type, {"file", "directory", "link", "device", "socket", "pipe", "other"})},
                  {"mode", [&](const std::string& member, const Json& value) { file.mode = mode_of(member, value); }},
                  {"group", into(file.group)},
                  {"access", one_of(file.access, {"", "rw", "r", "none", "denied"})},
                  {"text", into(file.text)},
                  {"target", into(file.target)},
                  {"elf", into(file.elf)},
                  {"major", into(file.major)}});
    return file;
}

LibraryCandidate library_of(const std::string& path, const Json& json) {
    LibraryCandidate library;
    read_members(path, json,
                 {{"name", into(library.name)},
                  {"path", into(library.path)},
                  {"source", into(library.source)},
                  {"resolved", into(library.resolved)},
                  {"version", into(library.version)},
                  {"elf", into(library.elf)},
                  {"readable", into(library.readable)}});
    return library;
}

DeviceAnswer device_of(const std::string& path, const Json& json) {
    DeviceAnswer device;
    const Member users = [&](const std::string& member, const Json& list) {
        if (!list.is_object()) refuse(member, "an object");
        for (const auto& [process, bytes] : list.items()) device.users[process] = bytes_of(member + "." + process, bytes);
    };
    read_members(path, json,
                 {{"name", into(device.name)},
                  {"uuid", into(device.uuid)},
                  {"pci_bus_id", into(device.pci_bus_id)},
                  {"mig_instance", into(device.mig_instance)},
                  {"compute_mode", one_of(device.compute_mode, {"default", "exclusive process", "prohibited"})},
                  {"total_memory", into(device.total_memory)},
                  {"free_memory", into(device.free_memory)},
                  {"context", into(device.context)},
                  {"persistence", into(device.persistence)},
                  {"ecc_errors", into(device.ecc_errors)},
                  {"users", users}});
    return device;
}

void read_driver(DriverAnswer& driver, const std::string& path, const Json& json) {
    read_members(path, json,
                 {{"outcome", one_of(driver.outcome, {"not asked", "answered", "crashed", "hung", "failed"})},
                  {"detail", into(driver.detail)},
                  {"stage", into(driver.stage)},
                  {"library", into(driver.library)},
                  {"reason", one_of(driver.reason, reason_names())},
                  {"explanation", into(driver.explanation)},
                  {"forked", into(driver.forked)},
                  {"simulated", into(driver.simulated)},
                  {"version", into(driver.version)},
                  {"init", into(driver.init)},
                  {"jit", into(driver.jit)},
                  {"mig_cards", into(driver.mig_cards)},
                  {"devices", [&](const std::string& member, const Json& list) {
                       driver.devices.clear();
                       read_list(member, list,
                                 [&](const std::string& entry, const Json& device) { driver.devices.push_back(device_of(entry, device)); });
                   }}});
}

void read_process(ProcessFacts& process, const std::string& path, const Json& json) {
    read_members(path, json,
                 {{"root", into(process.root)},
                  {"groups",
                   [&](const std::string& member, const Json& list) {
                       process.groups.clear();
                       read_list(member, list,
                                 [&](const std::string& entry, const Json& group) { process.groups.push_back(number_of(entry, group)); });
                   }},
                  {"architecture", into(process.architecture)},
                  {"static_program", into(process.static_program)}});
}

void read_environment(std::map<std::string, std::string>& environment, const std::string& path, const Json& json) {
    if (!json.is_object()) refuse(path, "an object");
    for (const auto& [name, value] : json.items()) {
        std::string member = path;
        member += "." + name;
        if (value.is_null()) {
            environment.erase(name);
        } else {
            environment[name] = text_of(member, value);
        }
    }
}

void require_version(const std::string& path, const Json& json) {
    if (number_of(path, json) != snapshot_version)
        refuse(path, std::to_string(snapshot_version) + "; this devquery knows no other version of the format");
}

void read_snapshot(HostSnapshot& snapshot, const Json& json) {
    const Member files = [&](const std::string& path, const Json& list) {
        if (!list.is_object()) refuse(path, "an object");
        for (const auto& [name, value] : list.items()) {
            if (value.is_null()) {
                snapshot.files.erase(name);
            } else {
                snapshot.files[name] = file_of(path + "." + name, value);
            }
        }
    };
    const Member kernel_log = [&](const std::string& path, const Json& list) {
        snapshot.kernel_log.clear();
        read_list(path, list, [&](const std::string& entry, const Json& line) { snapshot.kernel_log.push_back(text_of(entry, line)); });
    };
    const Member libraries = [&](const std::string& path, const Json& list) {
        snapshot.libraries.clear();
        read_list(path, list, [&](const std::string& entry, const Json& one) { snapshot.libraries.push_back(library_of(entry, one)); });
    };
    if (!json.is_object()) throw BadInput(InputFault::length, "", "expected one JSON object");
    if (!json.contains("snapshot") || json["snapshot"].is_null()) throw BadInput(InputFault::length, "member \"snapshot\"", "missing");
    read_members("", json,
                 {{"snapshot", require_version},
                  {"files", files},
                  {"environment", [&](const std::string& path, const Json& value) { read_environment(snapshot.environment, path, value); }},
                  {"kernel_log", kernel_log},
                  {"kernel_log_readable", into(snapshot.kernel_log_readable)},
                  {"libraries", libraries},
                  {"process", [&](const std::string& path, const Json& value) { read_process(snapshot.process, path, value); }},
                  {"driver", [&](const std::string& path, const Json& value) { read_driver(snapshot.driver, path, value); }}});
}

template <class T>
Json json_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

Json file_json(const HostFile& file) {
    Json json = {{"type", file.type}, {"mode", mode_text(file.mode)}, {"group", file.group}, {"access", file.access}};
    if (!file.text.empty()) json["text"] = file.text;
    if (!file.target.empty()) json["target"] = file.target;
    if (!file.elf.empty()) json["elf"] = file.elf;
    if (file.major != 0) json["major"] = file.major;
    return json;
}

Json device_json(const DeviceAnswer& device) {
    Json users = Json::object();
    for (const auto& [process, bytes] : device.users) users[process] = bytes;
    return {{"name", device.name},
            {"uuid", device.uuid},
            {"pci_bus_id", device.pci_bus_id},
            {"mig_instance", device.mig_instance},
            {"compute_mode", device.compute_mode},
            {"total_memory", device.total_memory},
            {"free_memory", json_or_null(device.free_memory)},
            {"context", json_or_null(device.context)},
            {"persistence", json_or_null(device.persistence)},
            {"ecc_errors", json_or_null(device.ecc_errors)},
            {"users", users}};
}

Json driver_json(const DriverAnswer& driver) {
    Json json = {{"outcome", driver.outcome},         {"detail", driver.detail},         {"stage", driver.stage},
                 {"library", driver.library},         {"reason", driver.reason},         {"explanation", driver.explanation},
                 {"forked", driver.forked},           {"simulated", driver.simulated},   {"version", driver.version},
                 {"init", json_or_null(driver.init)}, {"jit", json_or_null(driver.jit)}, {"mig_cards", json_or_null(driver.mig_cards)},
                 {"devices", Json::array()}};
    for (const auto& device : driver.devices) json["devices"].push_back(device_json(device));
    return json;
}

}  // namespace

Json snapshot_to_json(const HostSnapshot& snapshot) {
    Json json = {{"snapshot", snapshot_version}};
    json["files"] = Json::object();
    for (const auto& [path, file] : snapshot.files) json["files"][path] = file_json(file);
    json["environment"] = Json::object();
    for (const auto& [name, value] : snapshot.environment) json["environment"][name] = value;
    json["kernel_log_readable"] = snapshot.kernel_log_readable;
    json["kernel_log"] = snapshot.kernel_log;
    json["libraries"] = Json::array();
    for (const auto& library : snapshot.libraries) {
        json["libraries"].push_back({{"name", library.name},
                                     {"path", library.path},
                                     {"source", library.source},
                                     {"resolved", library.resolved},
                                     {"version", library.version},
                                     {"elf", library.elf},
                                     {"readable", library.readable}});
    }
    json["process"] = {{"root", snapshot.process.root},
                       {"groups", snapshot.process.groups},
                       {"architecture", snapshot.process.architecture},
                       {"static_program", snapshot.process.static_program}};
    json["driver"] = driver_json(snapshot.driver);
    return json;
}

void merge_snapshot(HostSnapshot& snapshot, const std::string& text) {
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::exception&) {
        throw BadInput(InputFault::digit, "", "not JSON");
    }
    read_snapshot(snapshot, json);
}

void merge_snapshot_file(HostSnapshot& snapshot, const std::string& path) {
    parse_file(path, [&](InputFile& file) {
        const auto bytes = read_all(file, longest_snapshot);
        merge_snapshot(snapshot, std::string(bytes.begin(), bytes.end()));
        return true;
    });
}

}  // namespace cupool::tools
