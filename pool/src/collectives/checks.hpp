#pragma once

#include <cupool/pool/collectives.hpp>
#include <vector>

namespace cupool::detail {

/// \throws Error as Collectives says: for no buffer, too many, one outside of the pool or on a quarantined device, two on one device, and
/// an address that is no multiple of `alignment`
void require_one_a_device(const std::vector<PeerBuffer>& buffers, std::size_t alignment, const char* name, const DevicePool& pool);

/// \param context  the pool's own of the buffer's device
/// \throws Error unsupported where the buffer is from a memory pool other than the context's: peer access is not opened to that one
void require_reachable_memory(const PeerBuffer& buffer, const DeviceContext& context);

/// require_one_a_device() of inputs and outputs. \throws Error invalid_argument, too, where they differ in their number or, at one place,
/// in their device
void require_one_of_both_a_device(const std::vector<PeerBuffer>& inputs, const std::vector<PeerBuffer>& outputs, std::size_t alignment,
                                  const DevicePool& pool);

/// \throws Error invalid_argument where a buffer has another size
void require_size(const std::vector<PeerBuffer>& buffers, std::size_t bytes, const char* name, const char* reason);

/// \param is_in_place  whether the output lies exactly where it may \throws Error invalid_argument where they overlap otherwise
void require_apart(const PeerBuffer& input, const PeerBuffer& output, bool is_in_place);

}  // namespace cupool::detail
