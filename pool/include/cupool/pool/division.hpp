#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/driver/source_location.hpp>
#include <iosfwd>
#include <string>
#include <vector>

namespace cupool {

/// How items are divided among a pool's devices.
enum class Shares {
    by_speed,       ///< in proportion to DevicePool::weights(): the program's own weights, else measured speed; equal on equal devices
    even,           ///< as many for each, to within one
    by_capability,  ///< in proportion to multiprocessors times clock
};

/// Neighbouring items of an array or a launch.
struct Slice {
    std::uint64_t offset = 0;  ///< of the first item
    std::uint64_t count = 0;   ///< of items; may be 0

    friend bool operator==(const Slice&, const Slice&) = default;
};

/// "items 12 to 23", or "no items".
std::string to_string(const Slice& slice);

/// How items are divided among the devices of a pool: one slice a device, in the pool's order, which follow each other and together are
/// all items. A device that gets nothing has an empty slice.
///
/// A value, which does not change when a device is quarantined later. Give the same Division to everything that has to agree: the arrays
/// that a launch works on and the launch itself. Made by DevicePool::divide().
class Division {
public:
    /// \param devices  ordinals, in the pool's order, each once
    /// \param slices   one for each device; the first begins at 0, each following one where the one before ends
    /// \throws Error invalid_argument
    Division(std::vector<int> devices, std::vector<Slice> slices, SourceLocation where = SourceLocation::current());

    /// How many items there are.
    std::uint64_t total() const noexcept { return slices_.empty() ? 0 : slices_.back().offset + slices_.back().count; }
    /// How many devices there are, those with no items included.
    std::size_t size() const noexcept { return slices_.size(); }
    /// The ordinals, in the pool's order.
    const std::vector<int>& devices() const noexcept { return devices_; }
    /// One for each device.
    const std::vector<Slice>& slices() const noexcept { return slices_; }
    /// The slice of the device at an index of the pool. \throws Error invalid_argument past the end
    const Slice& slice(std::size_t index, SourceLocation where = SourceLocation::current()) const;

    friend bool operator==(const Division&, const Division&) = default;

private:
    std::vector<int> devices_;
    std::vector<Slice> slices_;
};

/// "100 items: device 0 has items 0 to 79, device 1 has items 80 to 99".
std::string to_string(const Division& division);
std::ostream& operator<<(std::ostream& out, const Division& division);

}  // namespace cupool
