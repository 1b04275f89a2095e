#include "ntt/column_batch.hpp"

#include <algorithm>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pitched_buffer.hpp>

#include "curve/for_each_curve.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

/// Some columns of a matrix in host memory, and the same ones next to each other on a device.
class Columns {
public:
    /// \param width  of the whole matrix, in elements \param columns  which ones
    Columns(std::size_t width, std::size_t height, const Slice& columns, const DeviceContext& context)
        : width_(width), height_(height), columns_(columns), context_(context), elements_(columns.count * height, context) {}

    DeviceSpan<Scalar> elements() { return elements_.span(); }

    void upload_async(const Scalar* matrix) {
        copy_2d_async({host_plane(matrix), device_plane(), row_bytes(), height_}, context_.stream(), {});
    }
    void download_async(Scalar* matrix) {
        copy_2d_async({device_plane(), host_plane(matrix), row_bytes(), height_}, context_.stream(), {});
    }

private:
    std::size_t row_bytes() const { return columns_.count * sizeof(Scalar); }
    abi::CopyPlane2D host_plane(const Scalar* matrix) const { return plane_of(matrix + columns_.offset, width_ * sizeof(Scalar)); }
    abi::CopyPlane2D device_plane() {
        return plane_of(PitchedSpan<Scalar>(elements().pointer(), columns_.count, height_, row_bytes(), context_.device()));
    }

    std::size_t width_;
    std::size_t height_;
    Slice columns_;
    const DeviceContext& context_;
    DeviceBuffer<Scalar> elements_;
};

}  // namespace

bool can_divide_columns(const DeviceContext& context, std::size_t batch_size) {
    const int max_pitch = context.context().device().attribute(abi::DeviceAttribute::max_pitch_bytes);
    return batch_size <= static_cast<std::size_t>(max_pitch) / sizeof(Scalar);
}

template <Curve C>
RunReport transform_columns(PoolState& pool, PooledNttDomainState<C>& domain, const std::vector<std::size_t>& members,
                            std::span<const Scalar> inputs, NttDirection direction, const NttConfig& config, std::span<Scalar> outputs,
                            std::size_t step_bytes) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t height = inputs.size() / config.batch_size;
    const std::vector<double> weights = pool.weights();
    const std::vector<Slice> slices = pool.divided(config.batch_size, std::span<const double>(weights), members);
    std::vector<RunReport> reports(pool.size());
    pool.run_each(members, [&](std::size_t member, const DeviceContext& context) {
        const Slice& own = slices[member];
        const std::uint64_t step = std::max<std::uint64_t>(step_bytes / (height * sizeof(Scalar)), 1);
        for (std::uint64_t done = 0; done < own.count; done += step) {
            const Slice taken{own.offset + done, std::min(step, own.count - done)};
            NttConfig here = config;
            here.ctx = context;
            here.batch_size = taken.count;
            here.are_inputs_on_device = here.are_outputs_on_device = here.is_async = true;
            Columns columns(config.batch_size, height, taken, context);
            const SynchronizeOnExit wait_for_copies(context.stream());
            columns.upload_async(inputs.data());
            RunReport report = ntt<C>(columns.elements(), direction, domain.at(member, context), here, columns.elements());
            columns.download_async(outputs.data());
            context.stream().synchronize();
            report.bytes = 2 * columns.elements().size_bytes();
            report.device_bytes += columns.elements().size_bytes();
            pool.member(member).bytes += report.bytes;
            pool.join(reports[member], report);
        }
    });
    return joined_report(pool, members, reports, start);
}

#define CUPOOL_INSTANTIATE(C)                                                                                      \
    template RunReport transform_columns<C>(PoolState&, PooledNttDomainState<C>&, const std::vector<std::size_t>&, \
                                            std::span<const Scalar>, NttDirection, const NttConfig&, std::span<Scalar>, std::size_t);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
