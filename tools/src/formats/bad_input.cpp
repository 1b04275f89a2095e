#include "formats/bad_input.hpp"

#include <utility>

namespace cupool::tools {

std::string to_string(TextPosition position) {
    return "line " + std::to_string(position.line) + ", column " + std::to_string(position.column);
}

BadInput::BadInput(InputFault fault, std::string where, std::string problem)
    : fault_(fault), where_(std::move(where)), problem_(std::move(problem)), text_(where_.empty() ? problem_ : where_ + ": " + problem_) {}

BadInput::BadInput(InputFault fault, TextPosition where, std::string problem) : BadInput(fault, to_string(where), std::move(problem)) {}

BadInput BadInput::within(std::string_view source) const {
    return {fault_, where_.empty() ? std::string(source) : std::string(source) + ", " + where_, problem_};
}

}  // namespace cupool::tools
