#pragma once

#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/event.hpp>
#include <vector>

#include "collectives/exchange.hpp"
#include "ntt/pooled_ntt_domain.hpp"
#include "ntt/sliced_ntt.hpp"
#include "pool_state.hpp"

namespace cupool::detail {

/// One transform that several devices compute together, each with a slice of the elements.
template <Curve C>
class SlicedTransform {
public:
    /// \param members  indices in the pool, in the order of their slices \pre is_sliceable_ntt(size, members.size())
    SlicedTransform(PoolState& pool, PooledNttDomainState<C>& domain, std::size_t size, NttDirection direction, const NttConfig& config,
                    std::vector<std::size_t> members);

    /// Whether each device reaches the memory of all others; opens the ways.
    bool has_links();

    /// Operands are in host memory, or in slices of equal size on the members' devices.
    RunReport run(const PoolOperand<Scalar>& inputs, const PoolOutputOperand<Scalar>& outputs);

private:
    std::size_t slice_size() const { return size_ / members_.size(); }
    std::size_t number_of(std::size_t member) const;
    bool waits_to_prepare(const PoolOperand<Scalar>& inputs) const;
    void prepare(std::size_t number, const DeviceContext& context, const PoolOperand<Scalar>& inputs);
    void enqueue_passes();
    void count_link_bytes(RunReport& report);

    PoolState& pool_;
    PooledNttDomainState<C>& domain_;
    std::size_t size_;
    SlicedNtt<C> transform_;
    bool moves_elements_;  ///< whether the last pass writes to the slices of all devices
    bool has_coset_;
    std::vector<std::size_t> members_;
    std::vector<Event> marks_;
    std::vector<Participant> participants_;
    std::vector<DeviceBuffer<Scalar>> to_download_;  ///< one for each device; empty where the outputs are on devices
    std::vector<DeviceBuffer<Scalar>> between_;      ///< what passes write and the next ones read
    std::vector<DeviceSpan<const Scalar>> inputs_;
    std::vector<DeviceSpan<Scalar>> outputs_;
};

}  // namespace cupool::detail
