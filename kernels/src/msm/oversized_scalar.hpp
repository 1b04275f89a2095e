#pragma once

#include <cstddef>
#include <cupool/driver/error.hpp>
#include <utility>

namespace cupool::detail {

/// What both engines throw where MsmConfig::bitsize promised too little: Error invalid_argument, naming the scalar. A pool, whose devices
/// count from their shard's first scalar, throws it anew with the index its caller knows.
class OversizedScalar : public Error {
public:
    OversizedScalar(std::size_t index, unsigned bits, SourceLocation where = SourceLocation::current());

    /// The same failure, reported at another place in the program.
    OversizedScalar at(SourceLocation where) const { return {index_, bits_, where}; }

    std::size_t index() const noexcept { return index_; }
    unsigned bits() const noexcept { return bits_; }

private:
    std::size_t index_;
    unsigned bits_;
};

[[noreturn]] void throw_oversized_scalar(std::size_t index, unsigned bits);

/// As report_at() of <cupool/driver/detail/caller.hpp>, but an OversizedScalar stays one, since a pool asks it for its index.
template <class Function>
decltype(auto) report_msm_at(const SourceLocation& where, Function&& function) {
    try {
        return std::forward<Function>(function)();
    } catch (const OversizedScalar& error) {
        throw error.at(where);
    } catch (const Error& error) {
        throw error.at(where);
    }
}

}  // namespace cupool::detail
