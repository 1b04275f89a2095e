#include <chrono>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/kernels/vectors.hpp>
#include <new>
#include <string>

#include "curve/for_each_curve.hpp"
#include "transfer/operand_checks.hpp"
#include "vectors/device_vectors.hpp"
#include "vectors/host_vectors.hpp"

namespace cupool {

namespace detail {

namespace {

std::string name_of(VectorOperation operation) {
    switch (operation) {
        case VectorOperation::add: return "add_vectors";
        case VectorOperation::subtract: return "subtract_vectors";
        case VectorOperation::multiply: return "multiply_vectors";
        case VectorOperation::multiply_by_powers: return "multiply_by_powers";
        case VectorOperation::invert: break;
    }
    return "invert_vector";
}

/// The engine follows from the context: the flag of an operand says nothing new.
void require_operand(const std::string& job, const Operand<Scalar>& operand, const std::string& name, const DeviceContext& context) {
    require_place(job, operand, operand.is_on_device(), name, context);
}

template <Curve C>
void check(const VectorJob<C>& job) {
    const std::string name = name_of(job.operation);
    const bool has_right = job.operation <= VectorOperation::multiply;
    if (job.left.size() != job.size() || (has_right && job.right.size() != job.size())) {
        refuse(name, std::to_string(job.left.size()) + (has_right ? " and " + std::to_string(job.right.size()) : std::string()) +
                         " elements, but room for " + std::to_string(job.size()) + " results; the sizes must be equal");
    }
    require_operand(name, job.left, "elements", job.config.ctx);
    if (has_right) require_operand(name, job.right, "right elements", job.config.ctx);
    require_operand(name, job.results.as_input(), "results", job.config.ctx);
    require_same_or_apart(name, job.left, job.results);
    if (has_right) require_same_or_apart(name, job.right, job.results);
}

template <Curve C>
RunReport run(const VectorJob<C>& job) {
    check(job);
    if (!job.config.ctx.is_host()) return vectors_on_device(job);
    const auto start = std::chrono::steady_clock::now();
    try {
        vectors_on_host(job);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory, name_of(job.operation) + ": the host has not enough memory for the products of a block");
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
}

Operand<Scalar> no_elements() { return std::span<const Scalar>(); }

}  // namespace

}  // namespace detail

template <Curve C>
requires NttCurve<C> RunReport add_vectors(const Operand<Scalar>& left, const Operand<Scalar>& right, const VectorConfig& config,
                                           const OutputOperand<Scalar>& results, SourceLocation where) {
    return detail::report_at(where, [&] { return detail::run<C>({detail::VectorOperation::add, left, right, {}, config, results}); });
}

template <Curve C>
requires NttCurve<C> RunReport subtract_vectors(const Operand<Scalar>& left, const Operand<Scalar>& right, const VectorConfig& config,
                                                const OutputOperand<Scalar>& results, SourceLocation where) {
    return detail::report_at(where, [&] { return detail::run<C>({detail::VectorOperation::subtract, left, right, {}, config, results}); });
}

template <Curve C>
requires NttCurve<C> RunReport multiply_vectors(const Operand<Scalar>& left, const Operand<Scalar>& right, const VectorConfig& config,
                                                const OutputOperand<Scalar>& results, SourceLocation where) {
    return detail::report_at(where, [&] { return detail::run<C>({detail::VectorOperation::multiply, left, right, {}, config, results}); });
}

template <Curve C>
requires NttCurve<C> RunReport multiply_by_powers(const Operand<Scalar>& elements, const Scalar& base, const VectorConfig& config,
                                                  const OutputOperand<Scalar>& results, SourceLocation where) {
    return detail::report_at(where, [&] {
        const auto base_element = detail::ScalarField<C>::from_standard(base);
        return detail::run<C>(
            {detail::VectorOperation::multiply_by_powers, elements, detail::no_elements(), base_element, config, results});
    });
}

template <Curve C>
requires NttCurve<C> RunReport invert_vector(const Operand<Scalar>& elements, const VectorConfig& config,
                                             const OutputOperand<Scalar>& results, SourceLocation where) {
    return detail::report_at(where, [&] {
        return detail::run<C>({detail::VectorOperation::invert, elements, detail::no_elements(), {}, config, results});
    });
}

#define CUPOOL_INSTANTIATE(C)                                                                                                            \
    template RunReport add_vectors<C>(const Operand<Scalar>&, const Operand<Scalar>&, const VectorConfig&, const OutputOperand<Scalar>&, \
                                      SourceLocation);                                                                                   \
    template RunReport subtract_vectors<C>(const Operand<Scalar>&, const Operand<Scalar>&, const VectorConfig&,                          \
                                           const OutputOperand<Scalar>&, SourceLocation);                                                \
    template RunReport multiply_vectors<C>(const Operand<Scalar>&, const Operand<Scalar>&, const VectorConfig&,                          \
                                           const OutputOperand<Scalar>&, SourceLocation);                                                \
    template RunReport multiply_by_powers<C>(const Operand<Scalar>&, const Scalar&, const VectorConfig&, const OutputOperand<Scalar>&,   \
                                             SourceLocation);                                                                            \
    template RunReport invert_vector<C>(const Operand<Scalar>&, const VectorConfig&, const OutputOperand<Scalar>&, SourceLocation);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
