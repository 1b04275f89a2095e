#include "vectors/device_vectors.hpp"

#include <algorithm>
#include <bit>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>

#include "curve/for_each_curve.hpp"
#include "transfer/run_on_device.hpp"
#include "vectors/kernels.hpp"

namespace cupool::detail {

namespace {

constexpr unsigned block_size = 256;
constexpr std::size_t max_blocks = 1024;
/// Elements that a thread takes, if there are enough for all threads: so many share the first power or the inversion of a thread.
constexpr std::size_t elements_of_powers = 8;
constexpr std::size_t elements_of_inversion = 16;

/// An operation of one job.
template <Curve C>
class DeviceVectors {
public:
    explicit DeviceVectors(const VectorJob<C>& job)
        : job_(job),
          context_(job.config.ctx),
          kernels_(context_.resource<VectorKernels<C>>()),
          uploaded_left_(room_for(job.left), context_),
          uploaded_right_(room_for(job.right), context_),
          to_download_(room_for(job.results), context_),
          results_(job.results.is_on_device() ? job.results.device() : to_download_.span()),
          products_(needs_products() ? job.size() : 0, context_) {}

    void enqueue() {
        const Elements left = on_device(job_.left, uploaded_left_);
        const Elements right = on_device(job_.right, uploaded_right_);
        launch(left, right);
        if (!job_.results.is_on_device()) copy_async(job_.results.host(), to_download_.span(), context_.stream());
    }

    bool is_async() const {
        return job_.config.is_async && job_.left.is_on_device() && is_on_device_or_empty(job_.right) && job_.results.is_on_device();
    }
    std::uint64_t copied_bytes() const { return uploaded_left_.size_bytes() + uploaded_right_.size_bytes() + to_download_.size_bytes(); }
    std::uint64_t device_bytes() const { return copied_bytes() + products_.size_bytes(); }

private:
    using Elements = DeviceSpan<const Scalar>;

    template <class Array>
    static std::size_t room_for(const Array& operand) {
        return operand.is_on_device() ? 0 : operand.size();
    }
    static bool is_on_device_or_empty(const Operand<Scalar>& operand) { return operand.is_on_device() || operand.size() == 0; }
    /// The products of an inversion are where its results come, if the elements are not there.
    bool needs_products() const {
        return job_.operation == VectorOperation::invert && job_.left.is_on_device() && job_.left.device().pointer() == results_.pointer();
    }

    Elements on_device(const Operand<Scalar>& operand, DeviceBuffer<Scalar>& room) {
        if (operand.is_on_device()) return operand.device();
        if (operand.size() != 0) copy_async(room.span(), operand.host(), context_.stream());
        return room.span();
    }

    void launch(Elements left, Elements right) {
        const StreamView stream = context_.stream();
        const std::uint64_t count = job_.size();
        const std::uint32_t is_montgomery_form = job_.config.is_montgomery_form ? 1 : 0;
        switch (job_.operation) {
            case VectorOperation::add: return kernels_->add.launch(shape(1), stream, left, right, results_, count);
            case VectorOperation::subtract: return kernels_->subtract.launch(shape(1), stream, left, right, results_, count);
            case VectorOperation::multiply:
                return kernels_->multiply.launch(shape(1), stream, left, right, results_, count, is_montgomery_form);
            case VectorOperation::multiply_by_powers:
                return kernels_->multiply_by_powers.launch(shape(elements_of_powers), stream, left, job_.base.montgomery(), results_,
                                                           count);
            case VectorOperation::invert: {
                const DeviceSpan<Scalar> products = needs_products() ? products_.span() : results_;
                return kernels_->invert.launch(shape(elements_of_inversion), stream, left, products, results_, count, is_montgomery_form);
            }
        }
    }

    /// With a power of two of blocks.
    LaunchShape shape(std::size_t elements_of_thread) const {
        const std::size_t wanted = job_.size() / (block_size * elements_of_thread);
        return {static_cast<unsigned>(std::min(max_blocks, std::bit_ceil(std::max<std::size_t>(1, wanted)))), block_size};
    }

    const VectorJob<C>& job_;
    const DeviceContext& context_;
    std::shared_ptr<VectorKernels<C>> kernels_;
    DeviceBuffer<Scalar> uploaded_left_;
    DeviceBuffer<Scalar> uploaded_right_;
    DeviceBuffer<Scalar> to_download_;
    DeviceSpan<Scalar> results_;
    DeviceBuffer<Scalar> products_;
};

}  // namespace

template <Curve C>
RunReport vectors_on_device(const VectorJob<C>& job) {
    return run_on_device<DeviceVectors<C>>(job);
}

#define CUPOOL_INSTANTIATE(C) template RunReport vectors_on_device<C>(const VectorJob<C>&);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
