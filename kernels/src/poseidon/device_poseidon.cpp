#include "poseidon/device_poseidon.hpp"

#include <cupool/driver/copy.hpp>

#include "poseidon/kernels.hpp"
#include "transfer/run_on_device.hpp"

namespace cupool::detail {

namespace {

constexpr unsigned block_size = 128;
/// Of fewer sponges than a device has threads for, so that all multiprocessors have some.
constexpr unsigned small_block_size = 32;
constexpr std::uint64_t most_in_small_blocks = 1 << 14;

/// The rows of one job.
template <Curve C>
class DevicePoseidon {
public:
    explicit DevicePoseidon(const PoseidonJob<C>& job)
        : job_(job),
          context_(job.config.ctx),
          uploaded_(job.inputs.is_on_device() ? 0 : job.inputs.size(), context_),
          to_download_(job.outputs.is_on_device() ? 0 : job.outputs.size(), context_),
          outputs_(job.outputs.is_on_device() ? job.outputs.device() : to_download_.span()),
          scratch_{DeviceBuffer<Scalar>(dropped_elements(0), context_), DeviceBuffer<Scalar>(dropped_elements(1), context_)} {}

    void enqueue() {
        if (job_.rows.empty()) return;
        if (job_.poseidon.variant == PoseidonVariant::poseidon2) {
            enqueue_rows(context_.resource<Poseidon2Kernels<C>>()->of_width(job_.poseidon.width));
        } else {
            enqueue_rows(context_.resource<PoseidonKernels<C>>()->of_width(job_.poseidon.width));
        }
    }

    bool is_async() const { return job_.config.is_async && job_.inputs.is_on_device() && job_.outputs.is_on_device(); }
    std::uint64_t copied_bytes() const { return uploaded_.size_bytes() + to_download_.size_bytes(); }
    std::uint64_t device_bytes() const { return copied_bytes() + scratch_[0].size_bytes() + scratch_[1].size_bytes(); }

private:
    /// Rows that are not kept come first, and take turns between two arrays, of which the first user is the largest.
    std::uint64_t dropped_elements(std::size_t row) const {
        return row < job_.rows.size() && !job_.rows[row].is_kept ? job_.rows[row].sponges.output_count() : 0;
    }

    void enqueue_rows(const PoseidonKernel& kernel) {
        DeviceSpan<const Scalar> inputs = uploaded_.span();
        if (job_.inputs.is_on_device()) {
            inputs = job_.inputs.device();
        } else {
            copy_async(uploaded_.span(), job_.inputs.host(), context_.stream());
        }
        for (std::size_t i = 0; i < job_.rows.size(); ++i) {
            const PoseidonRow& row = job_.rows[i];
            const std::uint64_t count = row.sponges.output_count();
            const DeviceSpan<Scalar> outputs =
                row.is_kept ? outputs_.subspan(row.first_output, count) : scratch_[i % 2].span().subspan(0, count);
            enqueue(kernel, row.sponges, inputs, outputs);
            inputs = outputs;
        }
        if (!job_.outputs.is_on_device()) copy_async(job_.outputs.host(), to_download_.span(), context_.stream());
    }

    void enqueue(const PoseidonKernel& kernel, const PoseidonSponges& sponges, DeviceSpan<const Scalar> inputs,
                 DeviceSpan<Scalar> outputs) {
        const auto pointer = [](auto span) { return reinterpret_cast<Scalar*>(span.pointer()); };  // NOLINT(performance-no-int-to-ptr)
        const PoseidonLaunch<Scalar> launch{.inputs = pointer(inputs) + sponges.first_input,
                                            .outputs = pointer(outputs),
                                            .constants = pointer(job_.poseidon.device_constants.span()),
                                            .count = sponges.count,
                                            .input_stride = sponges.input_stride,
                                            .input_length = sponges.input_length,
                                            .width = job_.poseidon.width,
                                            .partial_rounds = job_.poseidon.partial_rounds,
                                            .rate = sponges.rate,
                                            .first_rate_position = sponges.first_rate_position,
                                            .tag_position = sponges.tag_position,
                                            .first_output = sponges.first_output,
                                            .output_length = sponges.output_length,
                                            .adds_inputs = sponges.adds_inputs ? 1u : 0u,
                                            .is_montgomery_form = job_.config.is_montgomery_form ? 1u : 0u,
                                            .unused = {},
                                            .tag = job_.tag.montgomery()};
        const unsigned threads = sponges.count > most_in_small_blocks ? block_size : small_block_size;
        kernel.launch({static_cast<unsigned>((sponges.count - 1) / threads + 1), threads}, context_.stream(), launch);
    }

    const PoseidonJob<C>& job_;
    const DeviceContext& context_;
    DeviceBuffer<Scalar> uploaded_;
    DeviceBuffer<Scalar> to_download_;
    DeviceSpan<Scalar> outputs_;
    DeviceBuffer<Scalar> scratch_[2];
};

}  // namespace

template <Curve C>
RunReport poseidon_on_device(const PoseidonJob<C>& job) {
    return run_on_device<DevicePoseidon<C>>(job);
}

template RunReport poseidon_on_device(const PoseidonJob<Curve::bn254>&);
template RunReport poseidon_on_device(const PoseidonJob<Curve::bls12_381>&);

}  // namespace cupool::detail
