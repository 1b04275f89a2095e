#pragma once

#include <cstddef>
#include <cupool/driver/error.hpp>
#include <utility>

namespace cupool::detail {

/// The error of both engines if a scalar breaks the promise of MsmConfig::bitsize: invalid_argument, with the index of the
/// scalar. A pool, whose devices count from the first scalar of their part, throws it again with the index that its caller knows.
class OversizedScalar : public Error {
public:
    OversizedScalar(std::size_t index, unsigned bits, SourceLocation where = SourceLocation::current());

    /// The same failure, reported for another line of the program.
    OversizedScalar at(SourceLocation where) const { return {index_, bits_, where}; }

    std::size_t index() const noexcept { return index_; }
    unsigned bits() const noexcept { return bits_; }

private:
    std::size_t index_;
    unsigned bits_;
};

[[noreturn]] void throw_oversized_scalar(std::size_t index, unsigned bits);

/// As report_at() of <cupool/driver/detail/caller.hpp>, but an OversizedScalar keeps its type, since a pool needs its index.
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
