#pragma once

/// \file
/// Formatting of fault reports.

#include <string>
#include <string_view>

#include "ptx/instruction.hpp"
#include "ptx/module.hpp"
#include "ptx/ptx.hpp"

namespace cupool::ptx {

std::string_view name_of(Access access);

std::string to_text(const Dimensions& dimensions);
std::string hexadecimal(std::uint64_t value);
/// A lane mask with all eight digits.
std::string lanes_text(std::uint32_t lanes);
/// "4 bytes in shared space".
std::string bytes_text(std::uint64_t bytes, Access access);

/// The location of an instruction: "line 12 (ld.global.u32)", or "scale.cu:7, line 12 (ld.global.u32)" if the text has `.loc` directives.
/// `code` is the array that contains the instruction.
std::string location_text(const Module& module, const Instruction* code, const Instruction& instruction);
/// The source line of an instruction; 0 if unknown.
int source_line(const Module& module, const Instruction* code, const Instruction& instruction);

}  // namespace cupool::ptx
