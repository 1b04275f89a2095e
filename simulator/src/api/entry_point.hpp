#pragma once

/// \file
/// The functions that this library exports under libcuda's names: their declarations and metadata.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

enum class EntryPoint : int {
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) member,
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    count
};

inline constexpr std::size_t entry_point_count = static_cast<std::size_t>(EntryPoint::count);

struct EntryPointInfo {
    std::string_view base;
    int version;
    std::string_view exported;
    int since;
    void* address;
};

/// All entry points, in the order of EntryPoint.
std::span<const EntryPointInfo> entry_points();

/// Finds an entry point by exported name ("cuMemAlloc_v2") or, failing that, by base name ("cuMemAlloc").
std::optional<EntryPoint> find_entry_point(std::string_view name);

/// The exported functions. Each is defined in the file of its concept and wraps its body in handle_call().
namespace exports {

using namespace abi;
// These hide the simulator's classes of the same names.
using abi::Context;
using abi::Device;
using abi::Event;
using abi::Function;
using abi::Graph;
using abi::GraphExec;
using abi::GraphNode;
using abi::GreenContext;
using abi::LibraryKernel;
using abi::LinkState;
using abi::MemoryPool;
using abi::Module;
using abi::ResourceDescription;
using abi::Stream;
using abi::UserObject;

#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) \
    [[gnu::visibility("default")]] Status member signature __asm__(exported);
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT

}  // namespace exports
}  // namespace cupool::simulator
