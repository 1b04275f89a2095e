#include "ptx/report.hpp"

#include <cstdio>

namespace cupool::ptx {

std::string_view name_of(Access access) {
    switch (access) {
        case Access::global: return "global";
        case Access::shared: return "shared";
        case Access::local:
        case Access::frame: return "local";
        case Access::parameter: return "param";
        case Access::generic: return "generic";
    }
    return "unknown";
}

std::string to_text(const Dimensions& dimensions) {
    return "(" + std::to_string(dimensions.x) + "," + std::to_string(dimensions.y) + "," + std::to_string(dimensions.z) + ")";
}

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string lanes_text(std::uint32_t lanes) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", lanes);
    return text;
}

std::string bytes_text(std::uint64_t bytes, Access access) {
    return std::to_string(bytes) + (bytes == 1 ? " byte in " : " bytes in ") + std::string(name_of(access)) + " space";
}

int source_line(const Module& module, const Instruction* code, const Instruction& instruction) {
    return static_cast<int>(module.locations[static_cast<std::size_t>(&instruction - code)].line);
}

std::string location_text(const Module& module, const Instruction* code, const Instruction& instruction) {
    const std::string line = "line " + std::to_string(instruction.line) + " (" + module.opcode_texts[instruction.text] + ")";
    const syntax::Location& location = module.locations[static_cast<std::size_t>(&instruction - code)];
    const auto file = module.files.find(location.file);
    if (file == module.files.end()) return line;
    return file->second.substr(file->second.rfind('/') + 1) + ":" + std::to_string(location.line) + ", " + line;
}

}  // namespace cupool::ptx
