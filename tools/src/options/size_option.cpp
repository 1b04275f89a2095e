#include "options/size_option.hpp"

#include <string>

#include "io/size_text.hpp"

namespace cupool::tools {
namespace {

/// Replaces a size with a unit by a number of bytes. \return what is wrong, else ""
std::string to_bytes(std::string& text, std::uint64_t least, std::uint64_t most) {
    const auto given = text;
    std::uint64_t bytes = 0;
    bool is_number = false;
    try {
        is_number = CLI::AsSizeValue(false)(text).empty() && CLI::detail::lexical_cast(text, bytes);
    } catch (const CLI::ValidationError&) {
        is_number = false;  // an unknown unit
    }
    if (is_number && bytes >= least && bytes <= most) return {};
    return given + " is no size from " + size_text(least) + " to " + size_text(most) + "; write it as 64M or 8G";
}

}  // namespace

void require_size(CLI::Option& option, std::uint64_t least, std::uint64_t most) {
    option.transform(CLI::Validator([least, most](std::string& text) { return to_bytes(text, least, most); }, ""))->type_name("BYTES");
}

}  // namespace cupool::tools
