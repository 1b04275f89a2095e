#include "ntt/device_ntt.hpp"

#include <cupool/driver/copy.hpp>

#include "curve/for_each_curve.hpp"
#include "ntt/launch.hpp"
#include "transfer/run_on_device.hpp"

namespace cupool::detail {

namespace {

Scalar* address_of(DeviceSpan<Scalar> span) {
    return reinterpret_cast<Scalar*>(span.pointer());  // NOLINT(performance-no-int-to-ptr): the kernel gets it
}

/// The transforms of one job.
template <Curve C>
class DeviceNtt {
public:
    explicit DeviceNtt(const NttJob<C>& job)
        : job_(job),
          context_(job.config.ctx),
          passes_(job.passes()),
          kernels_(context_.resource<NttKernels<C>>()),
          coset_(job.coset()),
          uploaded_(job.inputs.is_on_device() ? 0 : job.inputs.size(), context_),
          to_download_(job.outputs.is_on_device() ? 0 : job.outputs.size(), context_),
          outputs_(job.outputs.is_on_device() ? job.outputs.device() : to_download_.span()),
          scratch_(needs_scratch() ? job.outputs.size() : 0, context_) {}

    void enqueue() {
        DeviceSpan<const Scalar> inputs = uploaded_.span();
        if (job_.inputs.is_on_device()) {
            inputs = job_.inputs.device();
        } else {
            copy_async(uploaded_.span(), job_.inputs.host(), context_.stream());
        }
        const DeviceSpan<Scalar> between = needs_scratch() ? scratch_.span() : outputs_;
        for (const NttPassShape& pass : passes_) {
            enqueue(pass, pass.is_first != 0 ? inputs : DeviceSpan<const Scalar>(between), pass.is_last != 0 ? outputs_ : between);
        }
        if (!job_.outputs.is_on_device()) copy_async(job_.outputs.host(), to_download_.span(), context_.stream());
    }

    bool is_async() const { return job_.config.is_async && job_.inputs.is_on_device() && job_.outputs.is_on_device(); }
    std::uint64_t copied_bytes() const { return uploaded_.size_bytes() + to_download_.size_bytes(); }
    std::uint64_t device_bytes() const { return copied_bytes() + scratch_.size_bytes(); }

private:
    /// The last pass moves elements, except to the mixed order: it cannot read what it overwrites.
    bool needs_scratch() const { return passes_.size() > 1 && passes_.back().output_order != NttOrder::mixed; }

    void enqueue(const NttPassShape& shape, DeviceSpan<const Scalar> from, DeviceSpan<Scalar> to) {
        const NttBlocks blocks(shape, job_.outputs.size(), job_.tuning.min_blocks);
        NttPass<Scalar> pass = ntt_pass_arguments<C>(shape, blocks.line_bits(), job_.domain, job_.is_inverse(), coset_);
        pass.input = reinterpret_cast<const Scalar*>(from.pointer());  // NOLINT(performance-no-int-to-ptr): the kernel gets it
        pass.output = address_of(to);
        kernels_->pass.launch(blocks.launch_shape(shape.line_count()), context_.stream(), pass);
    }

    const NttJob<C>& job_;
    const DeviceContext& context_;
    std::vector<NttPassShape> passes_;
    std::shared_ptr<NttKernels<C>> kernels_;
    const NttPowerTable<C>* coset_;
    DeviceBuffer<Scalar> uploaded_;
    DeviceBuffer<Scalar> to_download_;
    DeviceSpan<Scalar> outputs_;
    DeviceBuffer<Scalar> scratch_;
};

}  // namespace

template <Curve C>
RunReport ntt_on_device(const NttJob<C>& job) {
    return run_on_device<DeviceNtt<C>>(job);
}

#define CUPOOL_INSTANTIATE(C) template RunReport ntt_on_device<C>(const NttJob<C>&);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
