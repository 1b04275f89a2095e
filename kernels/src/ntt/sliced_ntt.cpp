#include "ntt/sliced_ntt.hpp"

#include <bit>

#include "curve/for_each_curve.hpp"
#include "ntt/launch.hpp"

namespace cupool::detail {

bool is_sliceable_ntt(std::size_t size, std::size_t devices) {
    return devices >= 2 && devices <= max_ntt_slices && std::has_single_bit(devices) && size > std::size_t{1} << max_ntt_pass_bits;
}

template <Curve C>
SlicedNtt<C>::SlicedNtt(std::size_t size, std::size_t devices, NttDirection direction, const NttConfig& config, unsigned max_pass_bits)
    : size_(size), devices_(devices), direction_(direction), config_(config) {
    config_.batch_size = 1;
    config_.columns_batch = false;
    passes_ = ntt_passes(size, config_, max_pass_bits);
}

template <Curve C>
std::size_t SlicedNtt<C>::pass_count() const {
    return passes_.size();
}

template <Curve C>
void SlicedNtt<C>::prepare(const NttDomain<C>& domain) const {
    (void)domain.state().coset_or_null(config_.coset_gen, direction_ == NttDirection::inverse);
}

template <Curve C>
void SlicedNtt<C>::enqueue(std::size_t pass, const NttDomain<C>& domain, const DeviceContext& context, std::size_t number,
                           std::span<const DeviceSpan<const Scalar>> inputs, std::span<const DeviceSpan<Scalar>> outputs) const {
    const NttPassShape& shape = passes_[pass];
    const bool is_inverse = direction_ == NttDirection::inverse;
    const NttBlocks blocks(shape, size_ / devices_, NttTuning{}.min_blocks);
    const NttShare share{.device_bits = static_cast<std::uint32_t>(std::bit_width(devices_) - 1),
                         .device = static_cast<std::uint32_t>(number)};
    NttSlicedPass<Scalar> sliced{.pass = ntt_pass_arguments<C>(shape, blocks.line_bits(), domain.state(), is_inverse,
                                                               domain.state().coset_or_null(config_.coset_gen, is_inverse)),
                                 .share = share,
                                 .inputs = {},
                                 .outputs = {}};
    for (std::size_t slice = 0; slice < devices_; ++slice) {
        // NOLINTBEGIN(performance-no-int-to-ptr): the kernel gets them
        sliced.inputs.slices[slice] = reinterpret_cast<const Scalar*>(inputs[slice].pointer());
        sliced.outputs.slices[slice] = reinterpret_cast<Scalar*>(outputs[slice].pointer());
        // NOLINTEND(performance-no-int-to-ptr)
    }
    const auto kernels = context.resource<NttKernels<C>>();
    kernels->sliced_pass.launch(blocks.launch_shape(share.line_count(shape)), context.stream(), sliced);
}

#define CUPOOL_INSTANTIATE(C) template class SlicedNtt<C>;
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
