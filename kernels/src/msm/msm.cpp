#include <algorithm>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <new>
#include <string>

#include "curve/for_each_curve.hpp"
#include "curve/host_curve.hpp"
#include "msm/base_tables.hpp"
#include "msm/checks.hpp"
#include "msm/device/msm_on_device.hpp"
#include "msm/device/strided_msms.hpp"
#include "msm/host/host_msm.hpp"
#include "msm/oversized_scalar.hpp"
#include "msm/sizes.hpp"
#include "support/parallel_for.hpp"
#include "transfer/operand_checks.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

namespace detail {

OversizedScalar::OversizedScalar(std::size_t index, unsigned bits, SourceLocation where)
    : Error(ErrorCategory::invalid_argument,
            "msm: scalar " + std::to_string(index) + " (modulo r) is not below 2^" + std::to_string(bits) +
                " as bitsize promises; raise bitsize, or set it to 0 for any scalar",
            where),
      index_(index),
      bits_(bits) {}

void throw_oversized_scalar(std::size_t index, unsigned bits) { throw OversizedScalar(index, bits); }

namespace {

/// \param bitsize the promised bits of the scalars
template <Curve C>
void validate_results(const MsmResults<C>& results, const MsmConfig& config, int bitsize) {
    using Point = const JacobianPoint<C>;
    const auto place = results.is_on_device() ? Operand<JacobianPoint<C>>(results.device()) : Operand(std::span<Point>(results.host()));
    require_place("msm", place, config.are_results_on_device, "results", config.ctx);
    if (!results.is_on_device() || !config.is_async || bitsize == 0 || static_cast<unsigned>(bitsize) >= scalar_bits<C>) return;
    throw Error(ErrorCategory::unsupported,
                "msm: is_async is set, and bitsize is " + std::to_string(bitsize) +
                    ": nobody would be told of a scalar that breaks that promise; leave out one of them (bitsize 0 takes any scalar)");
}

template <Curve C>
void validate(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config, const MsmSizes& sizes) {
    require_points(sizes, points.size(), config);
    require_digits("msm", config.c, config.bitsize);
    require_place("msm", scalars, config.are_scalars_on_device, "scalars", config.ctx);
    require_place("msm", points, config.are_points_on_device, "points", config.ctx);
}

/// Whether work in one context may use memory of the other: it is the same, or green contexts share the primary context of the device.
bool reaches(const DeviceContext& context, const DeviceContext& other) {
    if (context.is_host() || other.is_host()) return context.is_host() && other.is_host();
    const ContextView own = context.context();
    const ContextView its = other.context();
    const bool is_green = own.green_handle() != nullptr || its.green_handle() != nullptr;
    return own == its || (is_green && &own.driver() == &its.driver() && own.ordinal() == its.ordinal());
}

template <Curve C>
void validate_prepared(const Operand<Scalar>& scalars, const BaseTables<C>& tables, const MsmConfig& config, const MsmSizes& sizes) {
    if (sizes.term_count > tables.size)
        refuse("msm", std::to_string(sizes.term_count) + " scalars an MSM, but " + std::to_string(tables.size) + " bases");
    require_digits("msm", config.c, config.bitsize);
    if (tables.width != 0 && config.c != 0 && static_cast<unsigned>(config.c) != tables.width)
        refuse("msm",
               "c is " + std::to_string(config.c) + ", but the bases are prepared for digits of " + std::to_string(tables.width) + " bits");
    if (tables.has_own_bitsize() && config.bitsize != 0 && static_cast<unsigned>(config.bitsize) != tables.promised_bits)
        refuse("msm", "bitsize is " + std::to_string(config.bitsize) + ", but the bases are prepared with " +
                          std::to_string(tables.promised_bits));
    require_place("msm", scalars, config.are_scalars_on_device, "scalars", config.ctx);
    if (!reaches(config.ctx, tables.context))
        throw Error(ErrorCategory::wrong_context,
                    "msm: the bases are prepared for " + to_string(tables.context) + ", but config.ctx is " +
                        (config.ctx.device() == tables.context.device() ? "another context of it" : to_string(config.ctx)));
}

/// Calls one(k, config) for each MSM on the host: one after the other on all cores, or, if they are small, each on one core.
template <class One>
RunReport run_on_host(const MsmSizes& sizes, const MsmConfig& config, const One& one) {
    constexpr std::size_t terms_of_all_cores = 1 << 12;
    const auto start = std::chrono::steady_clock::now();
    const bool are_small = sizes.msm_count > 1 && sizes.term_count < terms_of_all_cores;
    MsmConfig own = config;
    if (are_small) own.ctx = DeviceContext::host(1);
    try {
        parallel_for(sizes.msm_count, are_small ? config.ctx.host_threads() : 1, [&](std::size_t k) {
            try {
                one(k, own);
            } catch (const OversizedScalar& error) {
                throw_oversized_scalar(k * sizes.scalars_stride + error.index(), error.bits());
            }
        });
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory, "msm: the host has not enough memory for " + std::to_string(sizes.term_count) + " terms");
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
}

template <Curve C>
RunReport nothing_to_sum(const MsmConfig& config, const MsmResults<C>& results) {
    const auto start = std::chrono::steady_clock::now();
    if (results.is_on_device()) {
        fill_bytes_async(results.device(), 0, config.ctx.stream());
        if (!config.is_async) config.ctx.stream().synchronize();
    } else {
        std::fill(results.host().begin(), results.host().end(), JacobianPoint<C>{});
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::gpu, .devices = {config.ctx.device()}, .milliseconds = elapsed.count(), .bytes = 0};
}

/// Uploads and converts the bases of several MSMs once, instead of once for each MSM; nullptr if
/// there is no room for all bases, or memory is budgeted.
template <Curve C>
std::shared_ptr<const BaseTables<C>> bases_for_all(const Operand<AffinePoint<C>>& points, const MsmConfig& config, const MsmSizes& sizes) {
    const bool are_there = points.is_on_device() && config.are_points_montgomery_form;
    if (sizes.msm_count == 1 || points.size() != sizes.term_count || are_there) return nullptr;
    if (config.memory_budget != 0 || points.size() > max_prepared_points) return nullptr;
    PrepareConfig prepare;
    prepare.ctx = config.ctx;
    prepare.bitsize = config.bitsize;
    prepare.are_points_on_device = config.are_points_on_device;
    prepare.are_points_montgomery_form = config.are_points_montgomery_form;
    try {
        return make_base_tables<C>(points, prepare, Completion::enqueued);
    } catch (const Error& error) {
        if (error.category() != ErrorCategory::out_of_memory) throw;
        log(LogLevel::info,
            std::string("msm: the points are uploaded for each MSM again, as there is no room for all at once: ") + error.what());
        return nullptr;
    }
}

/// \param first_base the index of the base of the first scalar of each MSM
template <Curve C>
RunReport msm_of_bases(const Operand<Scalar>& scalars, const MsmSizes& sizes, const BaseTables<C>& tables, const MsmConfig& config,
                       const MsmResults<C>& results, std::size_t first_base = 0) {
    const std::size_t count = sizes.term_count;
    validate_prepared<C>(scalars, tables, config, sizes);
    MsmConfig own = config;
    own.bitsize = bitsize_of<C>(tables, config);
    validate_results<C>(results, config, own.bitsize);
    if (config.ctx.is_host()) {
        own.are_points_montgomery_form = true;
        return run_on_host(sizes, own, [&](std::size_t k, const MsmConfig& one) {
            const auto own_scalars = scalars.host().subspan(k * sizes.scalars_stride, count);
            const auto sum = msm_on_host<C>(own_scalars, std::span(tables.on_host).subspan(first_base, count), one);
            results.host()[k] = store_jacobian<C>(load<C>(sum, true), config.are_points_montgomery_form);
        });
    }
    if (count == 0) return nothing_to_sum<C>(config, results);
    const DeviceMsmJob<C> job{.scalars = scalars,
                              .bases = tables.on_device.span().subspan(first_base, tables.on_device.size() - first_base),
                              .msm_count = sizes.msm_count,
                              .term_count = count,
                              .scalars_stride = sizes.scalars_stride,
                              .table_stride = tables.size,
                              .are_bases_in_montgomery_form = true,
                              .tables = tables.table_count,
                              .width = tables.width != 0 ? tables.width : static_cast<unsigned>(config.c)};
    return msm_on_device<C>(job, own, results);
}

/// MSMs over tables whose build is enqueued before them. If it throws, no work is under way.
template <Curve C>
RunReport msm_behind(const Operand<Scalar>& scalars, const MsmSizes& sizes, const BaseTables<C>& queued, const MsmConfig& config,
                     const MsmResults<C>& results) {
    try {
        return msm_of_bases<C>(scalars, sizes, queued, config, results);
    } catch (...) {
        const SynchronizeOnExit wait_for_work(config.ctx.stream());
        throw;
    }
}

template <Curve C>
RunReport msm_of_points(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
                        const MsmResults<C>& results) {
    const MsmSizes sizes = msm_sizes(scalars.size(), results.size(), config);
    validate<C>(scalars, points, config, sizes);
    validate_results<C>(results, config, config.bitsize);
    const std::size_t count = sizes.term_count;
    const bool have_own_bases = points.size() != count;
    if (config.ctx.is_host()) {
        return run_on_host(sizes, config, [&](std::size_t k, const MsmConfig& own) {
            results.host()[k] =
                msm_on_host<C>(scalars.host().subspan(k * count, count), points.host().subspan(have_own_bases ? k * count : 0, count), own);
        });
    }
    if (count == 0) return nothing_to_sum<C>(config, results);
    const auto start = std::chrono::steady_clock::now();
    if (const auto bases = bases_for_all<C>(points, config, sizes)) {
        RunReport report = msm_behind<C>(scalars, sizes, *bases, config, results);
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        report.milliseconds = elapsed.count();
        report.bytes += points.is_on_device() ? 0 : points.host().size_bytes();
        report.device_bytes += bases->on_device.size_bytes();
        return report;
    }
    const DeviceMsmJob<C> job{.scalars = scalars,
                              .bases = points,
                              .msm_count = sizes.msm_count,
                              .term_count = count,
                              .have_own_bases = have_own_bases,
                              .are_bases_in_montgomery_form = config.are_points_montgomery_form,
                              .width = static_cast<unsigned>(config.c)};
    return msm_on_device<C>(job, config, results);
}

}  // namespace

template <Curve C>
void check_msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config, const MsmSizes& sizes) {
    validate<C>(scalars, points, config, sizes);
    validate_results<C>(std::span<JacobianPoint<C>>(), config, config.bitsize);
}

template <Curve C>
void check_msm(const Operand<Scalar>& scalars, const PreparedBases<C>& bases, const MsmConfig& config, const MsmSizes& sizes) {
    validate_prepared<C>(scalars, tables_of(bases), config, sizes);
    validate_results<C>(std::span<JacobianPoint<C>>(), config, bitsize_of<C>(tables_of(bases), config));
}

template <Curve C>
RunReport msm_of_strided_scalars(const StridedScalars& scalars, const PreparedBases<C>& bases, const MsmConfig& config,
                                 const MsmResults<C>& results) {
    const MsmSizes sizes{results.size(), scalars.count, scalars.stride};
    return msm_of_bases<C>(scalars.scalars, sizes, tables_of(bases), config, results, scalars.first_base);
}

}  // namespace detail

MsmConfig MsmConfig::default_for_device(int device, SourceLocation where) {
    MsmConfig config;
    config.ctx = DeviceContext::default_for_device(device, where);
    return config;
}

MsmConfig MsmConfig::default_for_host() { return {}; }

template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
              std::span<JacobianPoint<C>> results, SourceLocation where) {
    return detail::report_msm_at(where, [&] { return detail::msm_of_points<C>(scalars, points, config, results); });
}

template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config,
              DeviceSpan<JacobianPoint<C>> results, SourceLocation where) {
    return detail::report_msm_at(where, [&] { return detail::msm_of_points<C>(scalars, points, config, results); });
}

template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const Operand<AffinePoint<C>>& points, const MsmConfig& config, JacobianPoint<C>& result,
              SourceLocation where) {
    return msm<C>(scalars, points, config, std::span<JacobianPoint<C>>(&result, 1), where);
}

template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const PreparedBases<C>& bases, const MsmConfig& config, std::span<JacobianPoint<C>> results,
              SourceLocation where) {
    return detail::report_msm_at(where, [&] {
        const detail::MsmSizes sizes = detail::msm_sizes(scalars.size(), results.size(), config);
        return detail::msm_of_bases<C>(scalars, sizes, detail::tables_of(bases, where), config, results);
    });
}

template <Curve C>
RunReport msm(const Operand<Scalar>& scalars, const PreparedBases<C>& bases, const MsmConfig& config, DeviceSpan<JacobianPoint<C>> results,
              SourceLocation where) {
    return detail::report_msm_at(where, [&] {
        const detail::MsmSizes sizes = detail::msm_sizes(scalars.size(), results.size(), config);
        return detail::msm_of_bases<C>(scalars, sizes, detail::tables_of(bases, where), config, results);
    });
}

#define CUPOOL_INSTANTIATE(C)                                                                                                              \
    template void detail::check_msm<C>(const Operand<Scalar>&, const Operand<AffinePoint<C>>&, const MsmConfig&, const detail::MsmSizes&); \
    template void detail::check_msm<C>(const Operand<Scalar>&, const PreparedBases<C>&, const MsmConfig&, const detail::MsmSizes&);        \
    template RunReport msm<C>(const Operand<Scalar>&, const Operand<AffinePoint<C>>&, const MsmConfig&, JacobianPoint<C>&,                 \
                              SourceLocation);                                                                                             \
    template RunReport msm<C>(const Operand<Scalar>&, const Operand<AffinePoint<C>>&, const MsmConfig&, std::span<JacobianPoint<C>>,       \
                              SourceLocation);                                                                                             \
    template RunReport msm<C>(const Operand<Scalar>&, const Operand<AffinePoint<C>>&, const MsmConfig&, DeviceSpan<JacobianPoint<C>>,      \
                              SourceLocation);                                                                                             \
    template RunReport msm<C>(const Operand<Scalar>&, const PreparedBases<C>&, const MsmConfig&, std::span<JacobianPoint<C>>,              \
                              SourceLocation);                                                                                             \
    template RunReport msm<C>(const Operand<Scalar>&, const PreparedBases<C>&, const MsmConfig&, DeviceSpan<JacobianPoint<C>>,             \
                              SourceLocation);                                                                                             \
    template RunReport detail::msm_of_strided_scalars<C>(const StridedScalars&, const PreparedBases<C>&, const MsmConfig&,                 \
                                                         const MsmResults<C>&);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
