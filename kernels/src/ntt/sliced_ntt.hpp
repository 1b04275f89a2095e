#pragma once

/// \file
/// What the pool uses for one transform over several devices.

#include <cupool/kernels/ntt.hpp>
#include <span>
#include <vector>

#include "ntt/plan.hpp"
#include "ntt/sliced_pass.hpp"

namespace cupool::detail {

/// Whether a transform of so many elements can be computed by so many devices together: their number is a power of two from 2 to 32, and
/// there are more than 2^10 elements.
bool is_sliceable_ntt(std::size_t size, std::size_t devices);

/// The passes of one transform over 2^k devices, of which each has a slice of equal size. A pass may begin on any device when the pass
/// before has ended on all of them.
template <Curve C>
class SlicedNtt {
public:
    /// \param config  of it the ordering and the coset count \param max_pass_bits  what tests choose, to have several passes with few
    /// elements \pre is_sliceable_ntt(size, devices), or the devices are at most as many as the lines of the first pass have elements
    SlicedNtt(std::size_t size, std::size_t devices, NttDirection direction, const NttConfig& config,
              unsigned max_pass_bits = max_ntt_pass_bits);

    /// Two or three.
    std::size_t pass_count() const;

    /// Makes the powers of the coset generator in a domain, and waits for that, lest enqueue() does.
    void prepare(const NttDomain<C>& domain) const;

    /// Enqueues one device's share of a pass on the context's stream. \param domain  on the context's device \param number  of the device
    /// and of its slices \param inputs, outputs  all slices; those of the first pass's inputs and outputs do not overlap, and passes
    /// between the first and the last work in place
    void enqueue(std::size_t pass, const NttDomain<C>& domain, const DeviceContext& context, std::size_t number,
                 std::span<const DeviceSpan<const Scalar>> inputs, std::span<const DeviceSpan<Scalar>> outputs) const;

private:
    std::size_t size_;
    std::size_t devices_;
    NttDirection direction_;
    NttConfig config_;
    std::vector<NttPassShape> passes_;
};

}  // namespace cupool::detail
