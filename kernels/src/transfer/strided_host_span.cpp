#include "transfer/strided_host_span.hpp"

#include <algorithm>
#include <cstring>
#include <cupool/driver/copy.hpp>

namespace cupool::detail {

void StridedHostSpan::gather(std::span<std::byte> to, std::size_t begin) const {
    while (!to.empty()) {
        const std::span<const std::byte> rest = block(begin / first.size()).subspan(begin % first.size());
        const std::size_t bytes = std::min(to.size(), rest.size());
        std::memcpy(to.data(), rest.data(), bytes);
        to = to.subspan(bytes);
        begin += bytes;
    }
}

void copy_strided_async(abi::DevicePointer to, const StridedHostSpan& from, StreamView stream) {
    for (std::size_t i = 0; i < from.count; ++i) {
        copy_async(DeviceSpan<std::byte>(to + i * from.first.size(), from.first.size(), stream.ordinal()), from.block(i), stream);
    }
}

}  // namespace cupool::detail
