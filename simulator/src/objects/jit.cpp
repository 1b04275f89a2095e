#include "objects/jit.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "api/driver_state.hpp"
#include "api/failure.hpp"

namespace cupool::simulator {
namespace {

// The newest PTX version that each driver version supports, from the release notes of NVIDIA's PTX ISA.
int newest_ptx_version(int driver) {
    struct Pair {
        int driver;
        int ptx;
    };
    static constexpr std::array<Pair, 20> pairs{{
        {13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80},
        {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75}, {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71}, {11000, 70}, {0, 65},
    }};
    return std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return driver >= pair.driver; })->ptx;
}

std::string dotted(int version) { return std::to_string(version / 10) + '.' + std::to_string(version % 10); }

bool starts_with(const void* image, const std::array<unsigned char, 4>& magic) {
    return std::strncmp(static_cast<const char*>(image), reinterpret_cast<const char*>(magic.data()), magic.size()) == 0;
}

// Whether the image is a cubin or fatbin, which no simulated device can run.
bool is_machine_code(const void* image) {
    constexpr std::array<unsigned char, 4> fat_binary{0x50, 0xed, 0x55, 0xba};
    constexpr std::array<unsigned char, 4> elf{0x7f, 'E', 'L', 'F'};
    constexpr std::size_t machine_offset = 18;
    constexpr unsigned char cuda_machine = 190;
    const auto* const bytes = static_cast<const unsigned char*>(image);
    const bool has_header = starts_with(image, elf) && std::memchr(image, '\0', 8) == bytes + 7;
    return starts_with(image, fat_binary) || (has_header && bytes[machine_offset] == cuda_machine);
}

// Skips blanks and comments.
std::string_view skip_to_first_word(std::string_view text) {
    while (true) {
        const std::size_t blanks = std::min(text.find_first_not_of(" \t\r\n"), text.size());
        text.remove_prefix(blanks);
        const bool line = text.substr(0, 2) == "//";
        const bool block = text.substr(0, 2) == "/*";
        if (!line && !block) {
            return text;
        }
        const std::size_t end = line ? text.find('\n') : text.find("*/", 2);
        if (end == std::string_view::npos) {
            return {};
        }
        text.remove_prefix(end + (line ? 1 : 2));
    }
}

[[noreturn]] void refuse(JitLog& log, abi::Status result, const std::string& text) {
    log.write_error(text);
    fail(result);
}

std::atomic<bool> contracts_products{true};

/// A cache of the most recently parsed programs, by text: tests load the same few modules repeatedly.
class ParsedPrograms {
public:
    ptx::Program parse(std::string_view text) {
        const bool contracts = contracts_products;
        {
            const std::lock_guard lock(mutex_);
            if (contracts_ != contracts) {
                programs_.clear();
                contracts_ = contracts;
            }
            const auto known = programs_.find(text);
            if (known != programs_.end()) {
                return known->second;
            }
        }
        const ptx::Program program = ptx::Program::parse(text, contracts);
        const std::lock_guard lock(mutex_);
        if (programs_.size() >= most) {
            programs_.clear();
        }
        if (contracts_ == contracts) {
            programs_.emplace(text, program);
        }
        return program;
    }

    // Never destroyed: calls may arrive as long as the process lives.
    static ParsedPrograms& instance() {
        static auto* const programs = new ParsedPrograms;
        return *programs;
    }

private:
    static constexpr std::size_t most = 16;
    std::mutex mutex_;
    bool contracts_ = true;  // the setting with which they were parsed
    std::map<std::string, ptx::Program, std::less<>> programs_;
};

ptx::Program parse(std::string_view text, JitLog& log) {
    try {
        return ParsedPrograms::instance().parse(text);
    } catch (const ptx::ParseError& error) {
        const bool is_version = error.kind() == ptx::ParseError::Kind::unsupported_version;
        refuse(log, is_version ? abi::Status::unsupported_ptx_version : abi::Status::invalid_ptx, error.log());
    }
}

// M and N of the text's initial `.version M.N`, or zeros if it begins otherwise. Numbers that exceed an int saturate.
std::pair<int, int> declared_version(std::string_view directive) {
    constexpr std::string_view word = ".version";
    if (!directive.starts_with(word)) {
        return {0, 0};
    }
    const auto* const end = directive.data() + directive.size();
    const auto* at = std::find_if(directive.data() + word.size(), end, [](char c) { return c != ' ' && c != '\t'; });
    const auto take_number = [&](int& number) {
        const auto [rest, error] = std::from_chars(at, end, number);
        if (error == std::errc::result_out_of_range) {
            number = std::numeric_limits<int>::max();
        }
        at = rest;
        return error != std::errc::invalid_argument;
    };
    std::pair<int, int> version;
    if (!take_number(version.first) || at == end || *at++ != '.' || !take_number(version.second)) {
        return {0, 0};
    }
    return version;
}

void check_version(std::pair<int, int> version, JitLog& log) {
    const int newest = newest_ptx_version(driver_version());
    if (version > std::pair(newest / 10, newest % 10)) {
        refuse(log, abi::Status::unsupported_ptx_version,
               "ptxas application ptx input, line 1; fatal   : Unsupported .version " + std::to_string(version.first) + '.' +
                   std::to_string(version.second) + "; current version is '" + dotted(newest) + "'");
    }
}

void check_target(const ptx::Program& program, const CupoolSimDevice& device, JitLog& log) {
    if (target_capability(program) > device.compute_capability_major * 10 + device.compute_capability_minor) {
        refuse(log, abi::Status::invalid_ptx, "ptxas fatal   : SM version specified by .target is higher than default SM version assumed");
    }
}

// The reasons why kernels of the program cannot be launched.
std::string refusals_of(const ptx::Program& program) {
    std::string text;
    for (const ptx::Entry& entry : program.entries()) {
        if (!entry.refusal.empty()) {
            text += "kernel '" + entry.name + "' cannot be launched: " + entry.refusal;
        }
    }
    return text;
}

}  // namespace

void set_contraction(bool contracts) { contracts_products = contracts; }

int target_capability(const ptx::Program& program) {
    const std::string& target = program.target();
    const auto* const digits =
        std::find_if(target.data(), target.data() + target.size(), [](unsigned char c) { return std::isdigit(c) != 0; });
    int capability = 0;
    std::from_chars(digits, target.data() + target.size(), capability);
    return capability;
}

ptx::Program compile(const void* image, const CupoolSimDevice& device, JitLog& log) {
    require(!is_machine_code(image), abi::Status::no_binary_for_gpu);
    const std::string_view text(static_cast<const char*>(image));
    const std::string_view first_words = skip_to_first_word(text);
    if (first_words.substr(0, 8) != ".version") {
        refuse(log, abi::Status::invalid_image, "error   : Binary format for key='0', ident='' is not recognized");
    }
    check_version(declared_version(first_words), log);
    ptx::Program program = parse(text, log);
    check_target(program, device, log);
    log.write_info(refusals_of(program));
    return program;
}

}  // namespace cupool::simulator
