#pragma once

#include <cupool/driver/abi.hpp>

namespace cupool {

namespace abi {

/// libcuda's entry points as pointers, one member a row of entry_points.def; null where the driver has none.
struct EntryPoints {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) Status(*member) signature = nullptr;
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
};

}  // namespace abi

using abi::EntryPoints;

/// What a row of entry_points.def says besides the signature.
struct EntryPointInfo {
    /// Whether a library without it is of use.
    enum Need { required, optional };

    const char* member;    ///< the pointer's name in EntryPoints
    const char* base;      ///< the name cuGetProcAddress knows it by
    int version;           ///< the ABI version to ask cuGetProcAddress for
    const char* exported;  ///< the name the library exports it under
    /// Whether a library without it is of use.
    Need need;
    int since;  ///< the first CUDA version that has it, as cuDriverGetVersion counts: 11020 is 11.2
};

/// The row of one entry point, by its member of EntryPoints.
template <auto Member>
inline constexpr EntryPointInfo entry_point_info = {};

#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature)                                                   \
    template <>                                                                                                                       \
    inline constexpr EntryPointInfo entry_point_info<&EntryPoints::member> = {#member, base, version, exported, EntryPointInfo::need, \
                                                                              since};
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT

/// Every row, in the table's order.
inline constexpr EntryPointInfo all_entry_points[] = {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) entry_point_info<&EntryPoints::member>,
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
};

}  // namespace cupool
