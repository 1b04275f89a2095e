#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/parse/types.hpp"

namespace cupool::ptx {

/// The special registers. Constant ones come first; clocks are read by a separate instruction.
enum class Special : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_smem_size,
    total_smem_size,
    gridid,
    constant_count,
    clock = constant_count,
    clock_hi,
    clock64,
    globaltimer,
    globaltimer_lo,
    globaltimer_hi,
};

struct SpecialRegister {
    std::string_view name;
    Special special;
    Type type;
};

inline constexpr auto special_registers = std::to_array<SpecialRegister>({
    {"%tid.x", Special::tid_x, Type::u32},
    {"%tid.y", Special::tid_y, Type::u32},
    {"%tid.z", Special::tid_z, Type::u32},
    {"%ntid.x", Special::ntid_x, Type::u32},
    {"%ntid.y", Special::ntid_y, Type::u32},
    {"%ntid.z", Special::ntid_z, Type::u32},
    {"%ctaid.x", Special::ctaid_x, Type::u32},
    {"%ctaid.y", Special::ctaid_y, Type::u32},
    {"%ctaid.z", Special::ctaid_z, Type::u32},
    {"%nctaid.x", Special::nctaid_x, Type::u32},
    {"%nctaid.y", Special::nctaid_y, Type::u32},
    {"%nctaid.z", Special::nctaid_z, Type::u32},
    {"%laneid", Special::laneid, Type::u32},
    {"%warpid", Special::warpid, Type::u32},
    {"%nwarpid", Special::nwarpid, Type::u32},
    {"%smid", Special::smid, Type::u32},
    {"%nsmid", Special::nsmid, Type::u32},
    {"%lanemask_eq", Special::lanemask_eq, Type::u32},
    {"%lanemask_le", Special::lanemask_le, Type::u32},
    {"%lanemask_lt", Special::lanemask_lt, Type::u32},
    {"%lanemask_ge", Special::lanemask_ge, Type::u32},
    {"%lanemask_gt", Special::lanemask_gt, Type::u32},
    {"%dynamic_smem_size", Special::dynamic_smem_size, Type::u32},
    {"%total_smem_size", Special::total_smem_size, Type::u32},
    {"%gridid", Special::gridid, Type::u64},
    {"%clock", Special::clock, Type::u32},
    {"%clock_hi", Special::clock_hi, Type::u32},
    {"%clock64", Special::clock64, Type::u64},
    {"%globaltimer", Special::globaltimer, Type::u64},
    {"%globaltimer_lo", Special::globaltimer_lo, Type::u32},
    {"%globaltimer_hi", Special::globaltimer_hi, Type::u32},
});

constexpr std::optional<SpecialRegister> find_special_register(std::string_view name) {
    for (const SpecialRegister& special : special_registers)
        if (special.name == name) return special;
    return std::nullopt;
}

constexpr bool is_clock(Special special) { return special >= Special::clock; }

}  // namespace cupool::ptx
