#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>

#include "curve/for_each_curve.hpp"
#include "msm/base_tables.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/kernels.hpp"
#include "transfer/operand_checks.hpp"
#include "transfer/synchronize_on_exit.hpp"
#include "transfer/upload_stager.hpp"

namespace cupool {

namespace detail {

namespace {

constexpr int max_tables = 64;

template <Curve C>
void validate(const Operand<AffinePoint<C>>& points, const PrepareConfig& config) {
    if (config.precompute_factor < 1 || config.precompute_factor > max_tables) {
        refuse("prepared bases",
               "precompute_factor is " + std::to_string(config.precompute_factor) + "; it must be 1 to " + std::to_string(max_tables));
    }
    require_digits("prepared bases", config.c, config.bitsize);
    require_place("prepared bases", points, config.are_points_on_device, "points", config.ctx);
    if (points.size() > max_prepared_points / static_cast<unsigned>(config.precompute_factor)) {
        refuse("prepared bases",
               std::to_string(points.size()) + " points in " + std::to_string(config.precompute_factor) + " tables are more than 2^30");
    }
}

template <Curve C>
void fill_on_host(BaseTables<C>& tables, std::span<const AffinePoint<C>> points, bool are_in_montgomery_form) {
    tables.on_host.assign(points.begin(), points.end());
    if (!are_in_montgomery_form) points_to_montgomery_form<C>(tables.on_host);
}

LaunchShape blocks_of(std::size_t threads, unsigned size) { return {static_cast<unsigned>((threads + size - 1) / size), size}; }

/// Uploads the points and converts them to Montgomery form.
template <Curve C>
void fill_first_table(const BaseTables<C>& tables, DeviceSpan<AffinePoint<C>> table, const Operand<AffinePoint<C>>& points,
                      const PrepareConfig& config) {
    const StreamView stream = tables.context.stream();
    if (points.is_on_device()) {
        copy_async(table, points.device(), stream);
    } else {
        const auto stager = tables.context.template resource<UploadStagers>()->take();
        const SynchronizeOnExit wait_for_copies(stager->stream());
        stream.synchronize();  // the memory is ordered on it
        stager->copy(table.pointer(), std::as_bytes(points.host()), tables.context.host_threads());
        stager->stream().synchronize();
    }
    if (config.are_points_montgomery_form) return;
    const auto kernels = tables.context.template resource<MsmKernels<C>>();
    kernels->bases->points_to_montgomery_form.launch(blocks_of(table.size(), change_block_size), stream, table, table,
                                                     static_cast<std::uint32_t>(table.size()));
}

/// Each further table is the one before it, doubled by the distance in bits of the digits that share a window.
template <Curve C>
void queue_filling(BaseTables<C>& tables, const Operand<AffinePoint<C>>& points, const PrepareConfig& config, const MsmDigits& digits) {
    const StreamView stream = tables.context.stream();
    const DeviceSpan<AffinePoint<C>> all = tables.on_device.span();
    fill_first_table(tables, all.subspan(0, tables.size), points, config);
    const auto kernels = tables.context.template resource<MsmKernels<C>>();
    for (unsigned table = 1; table < tables.table_count; ++table) {
        kernels->bases->double_points.launch(blocks_of(tables.size, pair_block_size), stream,
                                             all.subspan((table - 1) * tables.size, tables.size),
                                             all.subspan(table * tables.size, tables.size), static_cast<std::uint32_t>(tables.size),
                                             doublings_to_next_table(digits, tables.width, table - 1));
    }
}

template <Curve C>
void fill_on_device(BaseTables<C>& tables, const Operand<AffinePoint<C>>& points, const PrepareConfig& config, const MsmDigits& digits,
                    Completion completion) {
    tables.on_device = DeviceBuffer<AffinePoint<C>>(tables.size * tables.table_count, tables.context);
    if (tables.size == 0) return;
    try {
        queue_filling<C>(tables, points, config, digits);
        if (completion == Completion::blocking) tables.context.stream().synchronize();
    } catch (...) {
        const SynchronizeOnExit wait_for_work(tables.context.stream());
        throw;
    }
}

}  // namespace

template <Curve C>
std::shared_ptr<const BaseTables<C>> make_base_tables(const Operand<AffinePoint<C>>& points, const PrepareConfig& config,
                                                      Completion completion) {
    validate<C>(points, config);
    const auto tables = std::make_shared<BaseTables<C>>();
    tables->context = config.ctx;
    tables->size = points.size();
    tables->promised_bits = static_cast<unsigned>(config.bitsize);
    tables->width = static_cast<unsigned>(config.c);
    tables->are_for_one_width = config.precompute_factor > 1;
    const ScalarRange scalars = scalar_range<C>(config.bitsize);
    const auto asked = static_cast<unsigned>(config.precompute_factor);
    if (asked > 1 && tables->width == 0) tables->width = choose_prepared_width(points.size(), scalars, asked);
    if (config.ctx.is_host()) {
        fill_on_host<C>(*tables, points.host(), config.are_points_montgomery_form);
    } else {
        MsmDigits digits{};
        if (asked > 1) {
            digits = msm_digits(scalars, {.width = tables->width}, asked);
            tables->table_count = (digits.digit_count + digits.window_count - 1) / digits.window_count;
        }
        fill_on_device<C>(*tables, points, config, digits, completion);
    }
    return tables;
}

}  // namespace detail

PrepareConfig PrepareConfig::default_for_device(int device, SourceLocation where) {
    PrepareConfig config;
    config.ctx = DeviceContext::default_for_device(device, where);
    return config;
}

template <Curve C>
PreparedBases<C>::PreparedBases(const Operand<AffinePoint<C>>& points, const PrepareConfig& config, SourceLocation where)
    : tables_(detail::report_at(where, [&] { return detail::make_base_tables<C>(points, config, detail::Completion::blocking); })) {}

template <Curve C>
std::size_t PreparedBases<C>::size(SourceLocation where) const {
    return detail::tables_of(*this, where).size;
}

template <Curve C>
int PreparedBases<C>::precompute_factor(SourceLocation where) const {
    return static_cast<int>(detail::tables_of(*this, where).table_count);
}

template <Curve C>
std::uint64_t PreparedBases<C>::device_bytes(SourceLocation where) const {
    return detail::tables_of(*this, where).on_device.size_bytes();
}

template <Curve C>
const DeviceContext& PreparedBases<C>::context(SourceLocation where) const {
    return detail::tables_of(*this, where).context;
}

#define CUPOOL_INSTANTIATE(C)                                                                                         \
    template class PreparedBases<C>;                                                                                  \
    template std::shared_ptr<const detail::BaseTables<C>> detail::make_base_tables<C>(const Operand<AffinePoint<C>>&, \
                                                                                      const PrepareConfig&, Completion);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
