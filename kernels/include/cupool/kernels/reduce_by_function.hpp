#pragma once

#include <cstddef>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/kernels/run_report.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cupool {

/// An operation of the caller: a PTX function that combines two elements. It must be associative,
/// f(f(a, b), c) = f(a, f(b, c)), but need not be commutative: elements are combined in their order.
///
/// The function takes two elements by value and returns one, all declared alike: as a scalar (`.param .b32`), or as
/// bytes (`.param .align 8 .b8 x[16]`). CUDA C++ compilers make such a function of `extern "C" __device__ T f(T left, T
/// right)` for any trivially copyable T of a size below. Elements of 1 and 2 bytes are declared as bytes or as 32 bits,
/// whose upper bits are ignored: PTX passes no smaller scalars. Arrays of 4 bytes and more are aligned to 4, 8 or 16.
struct PtxOperation {
    /// PTX text that defines the function. Without `.version`, `.target` and `.address_size` at its
    /// beginning it is PTX 6.3 for sm_75. No name in it begins with "cupool_".
    std::string ptx;
    std::string function;           ///< the function's name in the text
    std::size_t element_bytes = 0;  ///< 1, 2, 4, 8 or 16
    /// The bytes of the element that is the result for no elements; empty: no elements are an error.
    std::vector<std::byte> identity{};
};

/// Combines all elements of an array by a function of the caller, on one device. \param input whole elements, as bytes
///
/// The order depends on the number of elements and their size alone (docs/reduce.md), so every device gives the same bits even if the
/// function is a float sum, which is only nearly associative. An operand on a device is aligned to its element. The driver compiles
/// the PTX when an operation is first used in a context, and the context keeps the module as long as its resources live. An operand in
/// host memory is uploaded as a whole. Returns when the result is on the host; work is ordered on the context's stream. Thread-safe.
/// \throws Error unsupported (the context is the host, which runs no PTX), jit_failure (the driver's compiler rejects the text; log()
/// has its messages), invalid_argument (the size of the element; input, result or identity have another size; the text does not define
/// the function, the function has another signature, or a name begins with "cupool_"; no elements and no identity; arrays that are
/// misaligned, overlap or are at address 0; the workspace is too small), wrong_context, out_of_memory, and any error of the driver
RunReport reduce_by_function(const Operand<std::byte>& input, const PtxOperation& operation, const ReduceConfig& config,
                             std::span<std::byte> result, SourceLocation where = SourceLocation::current());

/// The same with the result in memory of config.ctx's device. With config.is_async the call returns
/// when the work is enqueued, unless the operand is in host memory.
RunReport reduce_by_function(const Operand<std::byte>& input, const PtxOperation& operation, const ReduceConfig& config,
                             DeviceSpan<std::byte> result, SourceLocation where = SourceLocation::current());

/// The same for elements of type T. \throws additionally Error invalid_argument if T has another size than the elements of the operation
template <class T>
requires std::is_trivially_copyable_v<T> RunReport reduce_by_function(const Operand<T>& input, const PtxOperation& operation,
                                                                      const ReduceConfig& config, T& result,
                                                                      SourceLocation where = SourceLocation::current()) {
    const Operand<std::byte> bytes = input.is_on_device()
                                         ? Operand<std::byte>(DeviceSpan<const std::byte>(
                                               input.device().pointer(), input.device().size_bytes(), input.device().device()))
                                         : Operand<std::byte>(std::as_bytes(input.host()));
    return reduce_by_function(bytes, operation, config, std::as_writable_bytes(std::span(&result, 1)), where);
}

/// Bytes of workspace that reduce_by_function() takes for `count` elements.
std::size_t reduce_by_function_workspace_bytes(std::size_t count, std::size_t element_bytes);

}  // namespace cupool
