#include "devquery/list_process.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "program/child_process.hpp"
#include "program/child_report.hpp"

namespace cupool::tools {
namespace {

constexpr std::string_view question = "--list-for-parent";

/// An initialisation that takes longer is rare, and then costs this much more.
constexpr std::chrono::seconds limit{5};

/// Before the text, so that the parent can tell a whole list from a part of one.
std::string header(int exit_code, std::size_t bytes) { return "list " + std::to_string(exit_code) + " " + std::to_string(bytes) + "\n"; }

std::vector<std::string> command_for(const ListOptions& options) {
    return {"/proc/self/exe",
            std::string(question),
            options.all ? "all" : "some",
            std::to_string(static_cast<int>(options.format)),
            options.style.colors ? "colors" : "plain",
            std::to_string(options.style.width)};
}

ListOptions options_of(char** argv) {
    ListOptions options;
    options.all = std::string_view(argv[2]) == "all";
    options.format = static_cast<ListFormat>(std::stoi(argv[3]));
    options.style.colors = std::string_view(argv[4]) == "colors";
    options.style.width = std::stoull(argv[5]);
    return options;
}

}  // namespace

std::optional<Outcome> list_in_child(const ListOptions& options) {
    const auto child = run_child(command_for(options), limit);
    if (child.end != ChildResult::End::exited || child.number != 0) return std::nullopt;
    int exit_code = 0;
    std::size_t bytes = 0;
    if (std::sscanf(child.output.c_str(), "list %d %zu", &exit_code, &bytes) != 2) return std::nullopt;
    const std::string begin = header(exit_code, bytes);
    if (!child.output.starts_with(begin) || child.output.size() != begin.size() + bytes) return std::nullopt;
    return Outcome{child.output.substr(begin.size()), exit_code};
}

std::optional<int> list_for_parent_if_asked(int argc, char** argv) {
    if (argc != 6 || std::string_view(argv[1]) != question) return std::nullopt;
    const ChildReport report;
    const auto outcome = list_devices(options_of(argv), LoadOptions{});
    const bool is_written = report.write(header(outcome.exit_code, outcome.output.size()) + outcome.output);
    ::_exit(is_written ? 0 : 1);  // without the exit handlers of the library, which has answered
}

}  // namespace cupool::tools
