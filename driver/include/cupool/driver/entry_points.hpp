#pragma once

#include <cupool/driver/abi.hpp>

namespace cupool {

namespace abi {

/// Pointers to the entry points of libcuda, one member for each row of entry_points.def; null if
/// the driver lacks it.
struct EntryPoints {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) Status(*member) signature = nullptr;
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
};

}  // namespace abi

using abi::EntryPoints;

/// The content of a row of entry_points.def without the signature.
struct EntryPointInfo {
    /// Whether a library without it is usable.
    enum Need { required, optional };

    const char* member;    ///< the name of the pointer in EntryPoints
    const char* base;      ///< its name for cuGetProcAddress
    int version;           ///< its ABI version for cuGetProcAddress
    const char* exported;  ///< its exported name
    /// Whether a library without it is usable.
    Need need;
    int since;  ///< the first CUDA version that has it: 11020 is 11.2
};

/// The row of an entry point, by its member of EntryPoints.
template <auto Member>
inline constexpr EntryPointInfo entry_point_info = {};

#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature)                                                   \
    template <>                                                                                                                       \
    inline constexpr EntryPointInfo entry_point_info<&EntryPoints::member> = {#member, base, version, exported, EntryPointInfo::need, \
                                                                              since};
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT

/// All rows, in the order of the table.
inline constexpr EntryPointInfo all_entry_points[] = {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) entry_point_info<&EntryPoints::member>,
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
};

}  // namespace cupool
