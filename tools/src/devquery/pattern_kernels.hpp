#pragma once

#include <cstdint>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <optional>

namespace cupool::tools {

/// A word of device memory that does not have the value that was written.
struct WrongWord {
    std::uint64_t count;     ///< how many there are
    std::uint64_t index;     ///< of the first, in words of 4 bytes
    std::uint32_t expected;  ///< its value as written
    std::uint32_t found;     ///< its value as read
};

/// Kernels that write a pattern to device memory and compare it: word i is base + i * step.
class PatternKernels {
public:
    /// Loads the kernels. \throws Error any failure of the driver
    explicit PatternKernels(const DeviceContext& context);

    /// Writes the pattern; complete on return.
    void write(DeviceSpan<std::uint32_t> memory, std::uint32_t base, std::uint32_t step) const;
    /// Compares the memory with the pattern. \return the first wrong word; nullopt if there is none
    std::optional<WrongWord> find_wrong_word(DeviceSpan<std::uint32_t> memory, std::uint32_t base, std::uint32_t step);

private:
    DeviceContext context_;
    Module module_;
    Kernel<abi::DevicePointer, std::uint64_t, std::uint32_t, std::uint32_t> write_;
    Kernel<abi::DevicePointer, std::uint64_t, std::uint32_t, std::uint32_t, abi::DevicePointer> compare_;
    DeviceBuffer<std::uint64_t> result_;  ///< the number of wrong words and the lowest index of one
};

}  // namespace cupool::tools
