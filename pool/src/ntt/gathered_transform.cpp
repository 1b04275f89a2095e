#include "ntt/gathered_transform.hpp"

#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <set>

#include "curve/for_each_curve.hpp"
#include "default_stream_order.hpp"
#include "memory_checks.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

/// Copies between one array on a device and operands anywhere, on the device's stream.
class Gathering {
public:
    Gathering(PoolState& pool, std::size_t member, const DeviceContext& context, std::size_t size)
        : pool_(pool), member_(member), context_(context), elements_(size, context) {}

    DeviceSpan<Scalar> elements() { return elements_.span(); }
    std::uint64_t bytes() const { return bytes_; }

    void gather(const PoolOperand<Scalar>& inputs) {
        if (inputs.is_on_host()) copy_async(elements(), inputs.host(), context_.stream());
        std::size_t done = 0;
        for (const DeviceSpan<const Scalar>& span : device_spans(inputs)) {
            const DeviceSpan<Scalar> here = elements().subspan(done, span.size());
            if (!span.empty()) copy_between(here.pointer(), context_.device(), span.pointer(), span.device(), span.size_bytes());
            done += span.size();
        }
        note_host_bytes(inputs);
    }

    void scatter(const PoolOutputOperand<Scalar>& outputs) {
        if (outputs.is_on_host()) copy_async(outputs.host(), elements(), context_.stream());
        std::size_t done = 0;
        for (const DeviceSpan<const Scalar>& span : device_spans(outputs.as_input())) {
            const DeviceSpan<Scalar> here = elements().subspan(done, span.size());
            if (!span.empty()) copy_between(span.pointer(), span.device(), here.pointer(), context_.device(), span.size_bytes());
            done += span.size();
        }
        note_host_bytes(outputs.as_input());
    }

    /// Waits for all copies after a failure.
    void abandon() noexcept {
        const SynchronizeOnExit wait_for_copies(context_.stream());
        for (const std::size_t other : others_) {
            pool_.peers().await_staged(other, member_);
            pool_.peers().await_staged(member_, other);
        }
    }

private:
    void copy_between(abi::DevicePointer to, int to_device, abi::DevicePointer from, int from_device, std::size_t bytes) {
        const std::size_t to_member = pool_.index_of(to_device);
        const std::size_t from_member = pool_.index_of(from_device);
        if (to_member != from_member) {
            const std::size_t other = to_member == member_ ? from_member : to_member;
            others_.insert(other);
            wait_for_default_stream(context_, pool_.member(other).context());
            bytes_ += bytes;
        }
        pool_.peers().copy_async(to_member, to, from_member, from, bytes, context_.stream(), SourceLocation::current());
        pool_.count_copy(from_member, to_member, bytes);
    }

    void note_host_bytes(const PoolOperand<Scalar>& operand) {
        if (!operand.is_on_host()) return;
        bytes_ += operand.host().size_bytes();
        pool_.member(member_).bytes += operand.host().size_bytes();
    }

    PoolState& pool_;
    std::size_t member_;
    const DeviceContext& context_;
    DeviceBuffer<Scalar> elements_;
    std::set<std::size_t> others_;  ///< members on whose devices there are operands
    std::uint64_t bytes_ = 0;
};

}  // namespace

template <Curve C>
RunReport gathered_transform(PoolState& pool, PooledNttDomainState<C>& domain, std::size_t member, const PoolOperand<Scalar>& inputs,
                             NttDirection direction, const NttConfig& config, const PoolOutputOperand<Scalar>& outputs) {
    const auto start = std::chrono::steady_clock::now();
    RunReport report;
    pool.run(member, [&](std::size_t, const DeviceContext& context) {
        Gathering gathering(pool, member, context, inputs.size());
        NttConfig here = config;
        here.ctx = context;
        here.are_inputs_on_device = here.are_outputs_on_device = here.is_async = true;
        try {
            gathering.gather(inputs);
            report = ntt<C>(gathering.elements(), direction, domain.at(member, context), here, gathering.elements());
            gathering.scatter(outputs);
            context.stream().synchronize();
        } catch (...) {
            gathering.abandon();
            throw;
        }
        report.bytes = gathering.bytes();
        report.device_bytes += gathering.elements().size_bytes();
    });
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

#define CUPOOL_INSTANTIATE(C)                                                                                                             \
    template RunReport gathered_transform<C>(PoolState&, PooledNttDomainState<C>&, std::size_t, const PoolOperand<Scalar>&, NttDirection, \
                                             const NttConfig&, const PoolOutputOperand<Scalar>&);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
