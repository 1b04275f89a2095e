#pragma once

#include <cupool/kernels/ntt.hpp>

#include "ntt/domain_state.hpp"
#include "ntt/plan.hpp"

namespace cupool::detail {

/// A checked call of ntt().
template <Curve C>
struct NttJob {
    const Operand<Scalar>& inputs;
    NttDirection direction;
    const NttDomainState<C>& domain;
    const NttConfig& config;
    OutputOperand<Scalar> outputs;
    NttTuning tuning{};

    bool is_inverse() const { return direction == NttDirection::inverse; }
    std::size_t size() const { return inputs.size() / config.batch_size; }
    std::vector<NttPassShape> passes() const { return ntt_passes(size(), config, tuning.max_pass_bits); }
    /// The powers that inputs of a forward transform and outputs of an inverse one are multiplied by; nullptr if all are 1.
    const NttPowerTable<C>* coset() const { return domain.coset_or_null(config.coset_gen, is_inverse()); }
};

}  // namespace cupool::detail
