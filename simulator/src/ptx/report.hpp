#pragma once

/// \file
/// The words of reports.

#include <string>
#include <string_view>

#include "ptx/instruction.hpp"
#include "ptx/module.hpp"
#include "ptx/ptx.hpp"

namespace cupool::ptx {

std::string_view name_of(Access access);

std::string to_text(const Dimensions& dimensions);
std::string hexadecimal(std::uint64_t value);
/// A mask of lanes, with all its digits.
std::string lanes_text(std::uint32_t lanes);
/// "4 bytes in shared space".
std::string bytes_text(std::uint64_t bytes, Access access);

/// Where an instruction stands: "line 12 (ld.global.u32)", or "scale.cu:7, line 12 (ld.global.u32)" where the text
/// says which line of the source it comes from. `code` holds the instruction.
std::string location_text(const Module& module, const Instruction* code, const Instruction& instruction);
/// That line of the source; 0: unknown.
int source_line(const Module& module, const Instruction* code, const Instruction& instruction);

}  // namespace cupool::ptx
