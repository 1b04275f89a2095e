#pragma once

#include <cupool/kernels/ntt.hpp>

#include "ntt/domain_state.hpp"
#include "ntt/plan.hpp"

namespace cupool::detail {

/// Where outputs go: host memory, or that of a device.
class NttOutputs {
public:
    NttOutputs(std::span<Scalar> host) : host_(host) {}                           // NOLINT(google-explicit-constructor)
    NttOutputs(DeviceSpan<Scalar> device) : device_(device), on_device_(true) {}  // NOLINT(google-explicit-constructor)

    bool is_on_device() const { return on_device_; }
    std::size_t size() const { return on_device_ ? device_.size() : host_.size(); }

    /// \pre !is_on_device()
    std::span<Scalar> host() const { return host_; }
    /// \pre is_on_device()
    DeviceSpan<Scalar> device() const { return device_; }

private:
    std::span<Scalar> host_;
    DeviceSpan<Scalar> device_;
    bool on_device_ = false;
};

/// A checked call of ntt().
template <Curve C>
struct NttJob {
    const Operand<Scalar>& inputs;
    NttDirection direction;
    const NttDomainState<C>& domain;
    const NttConfig& config;
    NttOutputs outputs;
    NttTuning tuning{};

    bool is_inverse() const { return direction == NttDirection::inverse; }
    std::size_t size() const { return inputs.size() / config.batch_size; }
    std::vector<NttPassShape> passes() const { return ntt_passes(size(), config, tuning.max_pass_bits); }
    /// The powers that inputs of a forward transform and outputs of an inverse one are multiplied by; nullptr if all are 1.
    const NttPowerTable<C>* coset() const {
        using Field = ScalarField<C>;
        const Field generator = Field::from_standard(config.coset_gen);
        if (generator == Field::one()) return nullptr;
        return &domain.coset(generator, is_inverse());
    }
};

}  // namespace cupool::detail
