#pragma once

#include <cstddef>
#include <cupool/driver/error.hpp>

namespace cupool::detail {

/// What both engines throw where MsmConfig::bitsize promised too little: Error invalid_argument, naming the scalar. A pool, whose devices
/// count from their shard's first scalar, throws it anew with the index its caller knows.
class OversizedScalar : public Error {
public:
    OversizedScalar(std::size_t index, unsigned bits);

    std::size_t index() const noexcept { return index_; }
    unsigned bits() const noexcept { return bits_; }

private:
    std::size_t index_;
    unsigned bits_;
};

[[noreturn]] void throw_oversized_scalar(std::size_t index, unsigned bits);

}  // namespace cupool::detail
