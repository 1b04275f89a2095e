#include <chrono>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/kernels/ntt.hpp>
#include <limits>
#include <new>
#include <ostream>
#include <string>

#include "curve/for_each_curve.hpp"
#include "ntt/checks.hpp"
#include "ntt/device_ntt.hpp"
#include "ntt/host_ntt.hpp"
#include "transfer/operand_checks.hpp"

namespace cupool {

std::string to_string(NttDirection direction) {
    switch (direction) {
        case NttDirection::forward: return "forward";
        case NttDirection::inverse: return "inverse";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, NttDirection direction) { return out << to_string(direction); }

std::string to_string(NttOrdering ordering) {
    switch (ordering) {
        case NttOrdering::natural_natural: return "NN";
        case NttOrdering::natural_reversed: return "NR";
        case NttOrdering::reversed_natural: return "RN";
        case NttOrdering::reversed_reversed: return "RR";
        case NttOrdering::natural_mixed: return "NM";
        case NttOrdering::mixed_natural: return "MN";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, NttOrdering ordering) { return out << to_string(ordering); }

std::uint32_t ntt_mixed_position(unsigned log_size, std::uint32_t index) {
    return detail::mixed_position(detail::ntt_digits(log_size), index);
}

NttConfig NttConfig::default_for_device(int device, SourceLocation where) {
    NttConfig config;
    config.ctx = DeviceContext::default_for_device(device, where);
    return config;
}

NttConfig NttConfig::default_for_host() { return {}; }

namespace detail {

namespace {

void require_reach(const DeviceContext& context, const DeviceContext& domain) {
    if (context.is_host() && domain.is_host()) return;
    if (!context.is_host() && !domain.is_host() && context.context() == domain.context()) return;
    throw Error(ErrorCategory::wrong_context, "ntt: the domain is for " + to_string(domain) + ", but config.ctx is " +
                                                  (context.device() == domain.device() ? "another context of it" : to_string(context)) +
                                                  "; make a domain for that");
}

template <Curve C>
void check(const NttJob<C>& job) {
    const NttConfig& config = job.config;
    checked_ntt_size(job.inputs.size(), job.outputs.size(), std::size_t{1} << job.domain.log_size, config);
    if (job.inputs.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ErrorCategory::unsupported,
                    "ntt: " + std::to_string(job.inputs.size()) + " elements in one call are 2^32 or more; divide the batch among calls");
    }
    check_ntt_config<C>(job.direction, config);
    require_place("ntt", job.inputs, config.are_inputs_on_device, "inputs", config.ctx);
    require_place("ntt", job.outputs.as_input(), config.are_outputs_on_device, "outputs", config.ctx);
    require_same_or_apart("ntt", job.inputs, job.outputs);
    require_reach(config.ctx, job.domain.context);
}

template <Curve C>
RunReport run(const NttJob<C>& job) {
    check(job);
    if (!job.config.ctx.is_host()) return ntt_on_device(job);
    const auto start = std::chrono::steady_clock::now();
    try {
        ntt_on_host(job);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory,
                    "ntt: the host has not enough memory for another " + std::to_string(job.inputs.size() * sizeof(Scalar)) + " bytes");
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
}

}  // namespace

}  // namespace detail

template <Curve C>
requires NttCurve<C> RunReport ntt(const Operand<Scalar>& inputs, NttDirection direction, const NttDomain<C>& domain,
                                   const NttConfig& config, std::span<Scalar> outputs, SourceLocation where) {
    return detail::report_at(where, [&] { return detail::run<C>({inputs, direction, domain.state(), config, outputs}); });
}

template <Curve C>
requires NttCurve<C> RunReport ntt(const Operand<Scalar>& inputs, NttDirection direction, const NttDomain<C>& domain,
                                   const NttConfig& config, DeviceSpan<Scalar> outputs, SourceLocation where) {
    return detail::report_at(where, [&] { return detail::run<C>({inputs, direction, domain.state(), config, outputs}); });
}

#define CUPOOL_INSTANTIATE(C)                                                                                                  \
    template RunReport ntt<C>(const Operand<Scalar>&, NttDirection, const NttDomain<C>&, const NttConfig&, std::span<Scalar>,  \
                              SourceLocation);                                                                                 \
    template RunReport ntt<C>(const Operand<Scalar>&, NttDirection, const NttDomain<C>&, const NttConfig&, DeviceSpan<Scalar>, \
                              SourceLocation);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
