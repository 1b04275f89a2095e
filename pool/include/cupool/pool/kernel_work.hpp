#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/kernel.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cupool {

/// A kernel parameter as data: a value, or an array that is copied to the device.
struct KernelOperand {
    /// What the parameter is.
    enum class Kind {
        value,   ///< the parameter's own bytes
        input,   ///< an array; the parameter is its address on the device, as for the following
        output,  ///< an array that begins as zeros and comes back
        inout,   ///< an array that comes back
    };

    /// The bytes of a number or struct.
    template <class T>
    static KernelOperand value(const T& number) {
        return {Kind::value, bytes_of(std::span(&number, 1))};
    }
    /// A copy of an array.
    template <class T>
    static KernelOperand input(const std::vector<T>& array) {
        return {Kind::input, bytes_of(std::span(array))};
    }
    /// An array of `count` elements that the kernel writes.
    template <class T>
    static KernelOperand output(std::size_t count) {
        return {Kind::output, std::vector<std::byte>(count * sizeof(T))};
    }
    /// A copy of an array that the kernel changes.
    template <class T>
    static KernelOperand inout(const std::vector<T>& array) {
        return {Kind::inout, bytes_of(std::span(array))};
    }

    friend bool operator==(const KernelOperand&, const KernelOperand&) = default;

    Kind kind = Kind::value;       ///< what `bytes` are
    std::vector<std::byte> bytes;  ///< of the parameter, or of the array

private:
    template <class T>
    static std::vector<std::byte> bytes_of(std::span<const T> array) {
        static_assert(std::is_trivially_copyable_v<T>, "kernels take bytes: T must be trivially copyable");
        const std::span<const std::byte> bytes = std::as_bytes(array);
        return {bytes.begin(), bytes.end()};
    }
};

/// A kernel launch described by data only, without addresses, handles or functions of this process. Any device and any process can run it,
/// and repeat it after a failure.
struct KernelWork {
    std::string ptx;                      ///< the text of the module
    std::string kernel;                   ///< its name in the PTX
    LaunchShape shape;                    ///< grid, block and dynamic shared memory
    std::vector<KernelOperand> operands;  ///< the kernel's parameters, in order
};

/// The outputs of a KernelWork: the arrays of its operands of the kinds output and inout, in order.
struct KernelOutputs {
    std::vector<std::vector<std::byte>> arrays;  ///< one for each operand of the kinds output and inout
    std::uint64_t bytes_moved = 0;               ///< between host and device

    /// \throws std::out_of_range if there is no such array
    template <class T>
    std::vector<T> array(std::size_t index) const {
        static_assert(std::is_trivially_copyable_v<T>, "kernels give bytes: T must be trivially copyable");
        const std::vector<std::byte>& bytes = arrays.at(index);
        std::vector<T> values(bytes.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
        return values;
    }
};

/// Runs the work on a device and returns when the outputs are there. The PTX is compiled once for each device, and kept with its context.
/// \throws Error unsupported on the host, jit_failure, invalid_argument (no such kernel; the driver can tell, from CUDA 12.4, and the
/// operands are not as many as the kernel's parameters or not of their sizes), out_of_memory, launch_failure, device_fault
KernelOutputs run_kernel(const KernelWork& work, const DeviceContext& context, SourceLocation where = SourceLocation::current());

}  // namespace cupool
