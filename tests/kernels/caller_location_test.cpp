// An Error of kernels/ names the line of the program that called, and no line of ours, whichever step found what is wrong.
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/ntt.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/kernels/vectors.hpp>

#include "catch.hpp"
#include "inputs.hpp"
#include "machine.hpp"
#include "msm/oversized_scalar.hpp"

using namespace cupool;
using namespace cupool::test;
using detail::OversizedScalar;

namespace {

constexpr Curve curve = Curve::bn254;
using Bases = PreparedBases<curve>;

constexpr int invalid_value = 1;

void check_location(const Error& error, const SourceLocation& expected) {
    CHECK(std::string(error.location().file) == expected.file);
    CHECK(error.location().line == expected.line);
    CHECK(std::string(error.location().function) == expected.function);
}

/// The operands of one MSM of six terms or of two MSMs of three, in host memory.
struct Terms {
    std::vector<AffinePoint<curve>> all_points = generator_multiples<curve>(1, 6);
    std::vector<Scalar> all_scalars = std::vector<Scalar>(6, scalar_of(3));
    std::vector<JacobianPoint<curve>> all_results = std::vector<JacobianPoint<curve>>(2);

    Operand<AffinePoint<curve>> points = std::span<const AffinePoint<curve>>(all_points);
    Operand<Scalar> scalars = std::span<const Scalar>(all_scalars);
    JacobianPoint<curve>& one = all_results[0];
    std::span<JacobianPoint<curve>> two = all_results;
};

template <class Config>
Config config_in(const DeviceContext& context) {
    Config config;
    config.ctx = context;
    return config;
}

}  // namespace

// The statement throws an Error of that type and with these words, and the line it stands on is the Error's location. It must fit on one
// line, since compilers differ in the line they give an expression of several.
#define CHECK_THROWS_AT_THIS_LINE(Type, words, ...)                 \
    do {                                                            \
        INFO(#__VA_ARGS__);                                         \
        const SourceLocation this_line = SourceLocation::current(); \
        try {                                                       \
            __VA_ARGS__;                                            \
            FAIL_CHECK("no Error was thrown");                      \
        } catch (const Type& error) {                               \
            CHECK_THAT(error.what(), contains_text(words));         \
            check_location(error, this_line);                       \
        }                                                           \
    } while (false)

TEST_CASE("a device that does not exist is reported at the caller's line", "[kernels]") {
    CHECK_THROWS_AT_THIS_LINE(Error, "", MsmConfig::default_for_device(99));
    CHECK_THROWS_AT_THIS_LINE(Error, "", PrepareConfig::default_for_device(99));
}

TEST_CASE("an MSM that is refused is reported at the caller's line", "[kernels]") {
    const Terms terms;
    const Bases bases(terms.points, {});
    const DeviceSpan<JacobianPoint<curve>> there(0x1000, 1, 0);
    const MsmConfig config;
    MsmConfig wide;
    wide.c = 22;
    CHECK_THROWS_AT_THIS_LINE(Error, "c is 22", msm<curve>(terms.scalars, terms.points, wide, terms.one));
    CHECK_THROWS_AT_THIS_LINE(Error, "c is 22", msm<curve>(terms.scalars, terms.points, wide, terms.two));
    CHECK_THROWS_AT_THIS_LINE(Error, "are_results_on_device", msm<curve>(terms.scalars, terms.points, config, there));
    CHECK_THROWS_AT_THIS_LINE(Error, "c is 22", msm<curve>(terms.scalars, bases, wide, terms.one));
    CHECK_THROWS_AT_THIS_LINE(Error, "c is 22", msm<curve>(terms.scalars, bases, wide, terms.two));
    CHECK_THROWS_AT_THIS_LINE(Error, "are_results_on_device", msm<curve>(terms.scalars, bases, config, there));

    const Operand<Scalar> five = terms.scalars.subspan(0, 5);
    CHECK_THROWS_AT_THIS_LINE(Error, "5 scalars, but 6 points", msm<curve>(five, terms.points, config, terms.one));
    CHECK_THROWS_AT_THIS_LINE(Error, "do not divide", msm<curve>(five, terms.points, config, terms.two));
    CHECK_THROWS_AT_THIS_LINE(Error, "do not divide", msm<curve>(five, bases, config, terms.two));
}

TEST_CASE("bases that cannot be prepared are reported at the caller's line", "[kernels]") {
    const Terms terms;
    PrepareConfig config;
    config.precompute_factor = 0;
    CHECK_THROWS_AT_THIS_LINE(Error, "precompute_factor is 0", Bases(terms.points, config));
    CHECK_THROWS_AT_THIS_LINE(Error, "precompute_factor is 0", const Bases named(terms.points, config));
    CHECK_THROWS_AT_THIS_LINE(Error, "precompute_factor is 0", const Bases braced{terms.points, config});
}

TEST_CASE("an operand's part that reaches past its end is reported at the caller's line", "[kernels]") {
    const Operand<Scalar> operand = DeviceSpan<const Scalar>(0x1000, 6, 0);
    CHECK_THROWS_AT_THIS_LINE(Error, "reach past", operand.subspan(2, 5));
}

TEST_CASE("a reduction that is refused is reported at the caller's line", "[kernels]") {
    const DeviceContext host = DeviceContext::host();
    const Operand<int> nothing = std::span<const int>();
    const Operand<int> there = DeviceSpan<const int>(0x1000, 6, 0);
    int result = 0;
    CHECK_THROWS_AT_THIS_LINE(Error, "nothing has no min", reduce<int>(nothing, ReduceOperation::min, host, result));
    CHECK_THROWS_AT_THIS_LINE(Error, "the context is the host", reduce<int>(there, ReduceOperation::sum, host, result));
    const DeviceSpan<int> target(0x1000, 6, 0);
    CHECK_THROWS_AT_THIS_LINE(Error, "the context is the host", combine_elements<int>(target, target, ReduceOperation::sum, host));
}

TEST_CASE("a transform or an element-wise operation that is refused is reported at the caller's line", "[kernels]") {
    using Domain = NttDomain<curve>;
    const DeviceContext host = DeviceContext::host();
    CHECK_THROWS_AT_THIS_LINE(Error, "must be a power of two", Domain(6, host));
    CHECK_THROWS_AT_THIS_LINE(Error, "order is not the size", Domain(8, scalar_of(3), host));
    CHECK_THROWS_AT_THIS_LINE(Error, "only up to 2^28", ntt_root_of_unity<curve>(29));
    const Domain domain(8, host);
    const Terms terms;
    std::vector<Scalar> results(6);
    const std::span<Scalar> six = results;
    const std::span<Scalar> five = six.first(5);
    CHECK_THROWS_AT_THIS_LINE(Error, "power of two", ntt<curve>(terms.scalars, NttDirection::forward, domain, NttConfig{}, six));
    const DeviceSpan<Scalar> there(0x1000, 6, 0);
    CHECK_THROWS_AT_THIS_LINE(Error, "power of two", ntt<curve>(terms.scalars, NttDirection::forward, domain, NttConfig{}, there));
    const VectorConfig config;
    CHECK_THROWS_AT_THIS_LINE(Error, "add_vectors: 6 and 6", add_vectors<curve>(terms.scalars, terms.scalars, config, five));
    CHECK_THROWS_AT_THIS_LINE(Error, "subtract_vectors: 6 and", subtract_vectors<curve>(terms.scalars, terms.scalars, config, five));
    CHECK_THROWS_AT_THIS_LINE(Error, "multiply_vectors: 6 and", multiply_vectors<curve>(terms.scalars, terms.scalars, config, five));
    CHECK_THROWS_AT_THIS_LINE(Error, "by_powers: 6 elements", multiply_by_powers<curve>(terms.scalars, scalar_of(3), config, five));
    CHECK_THROWS_AT_THIS_LINE(Error, "invert_vector: 6 elements", invert_vector<curve>(terms.scalars, config, five));
}

TEST_CASE("on a device, operands of another one are reported at the caller's line", "[kernels]") {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const DeviceContext other = DeviceContext::for_device(machine.driver, 1);
    const Terms terms;
    const DeviceBuffer<Scalar> there(6, other);
    auto config = config_in<MsmConfig>(context);
    config.are_scalars_on_device = true;
    CHECK_THROWS_AT_THIS_LINE(Error, "scalars are on device 1", msm<curve>(there.span(), terms.points, config, terms.one));
    const Bases bases(terms.points, config_in<PrepareConfig>(other));
    config.are_scalars_on_device = false;
    CHECK_THROWS_AT_THIS_LINE(Error, "prepared for device 1", msm<curve>(terms.scalars, bases, config, terms.one));
    const DeviceBuffer<AffinePoint<curve>> points(6, other);
    auto prepare = config_in<PrepareConfig>(context);
    prepare.are_points_on_device = true;
    CHECK_THROWS_AT_THIS_LINE(Error, "points are on device 1", Bases(points.span(), prepare));

    DeviceBuffer<int> sums(6, context);
    const DeviceBuffer<int> numbers(6, other);
    int sum = 0;
    CHECK_THROWS_AT_THIS_LINE(Error, "input is on device 1", reduce<int>(numbers.span(), ReduceOperation::sum, context, sum));
    const DeviceSpan<const int> five = numbers.span().subspan(0, 5);
    CHECK_THROWS_AT_THIS_LINE(Error, "the source 5", combine_elements<int>(sums.span(), five, ReduceOperation::sum, context));
    const DeviceSpan<const int> six = numbers.span();
    CHECK_THROWS_AT_THIS_LINE(Error, "wrong_context", combine_elements<int>(sums.span(), six, ReduceOperation::sum, context));
}

TEST_CASE("what the driver refuses in the middle of a job is reported at the caller's line", "[kernels]") {
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Terms terms;
    const auto config = config_in<MsmConfig>(context);
    const auto prepare = config_in<PrepareConfig>(context);
    const auto refuse = [&machine](const char* call) { machine.simulator.plan_fault(call, 1, invalid_value); };
    const std::string allocation = "cuMemAllocFromPoolAsync answered CUDA_ERROR_INVALID_VALUE";
    refuse("cuMemAllocFromPoolAsync");
    CHECK_THROWS_AT_THIS_LINE(Error, allocation, msm<curve>(terms.scalars, terms.points, config, terms.one));
    refuse("cuMemAllocFromPoolAsync");
    CHECK_THROWS_AT_THIS_LINE(Error, allocation, Bases(terms.points, prepare));
    const Bases bases(terms.points, prepare);
    refuse("cuMemAllocFromPoolAsync");
    CHECK_THROWS_AT_THIS_LINE(Error, allocation, msm<curve>(terms.scalars, bases, config, terms.two));

    const NttDomain<curve> domain(2, context);
    const auto ntt_config = config_in<NttConfig>(context);
    std::vector<Scalar> outputs(2);
    const std::span<Scalar> two = outputs;
    const Operand<Scalar> inputs = terms.scalars.subspan(0, 2);
    refuse("cuMemAllocFromPoolAsync");
    CHECK_THROWS_AT_THIS_LINE(Error, allocation, ntt<curve>(inputs, NttDirection::forward, domain, ntt_config, two));
    refuse("cuLaunchKernel");
    CHECK_THROWS_AT_THIS_LINE(Error, "cuLaunchKernel", invert_vector<curve>(inputs, config_in<VectorConfig>(context), two));

    const std::vector<int> numbers(6, 1);
    const Operand<int> input = std::span<const int>(numbers);
    int sum = 0;
    refuse("cuMemAllocFromPoolAsync");
    CHECK_THROWS_AT_THIS_LINE(Error, allocation, reduce<int>(input, ReduceOperation::sum, context, sum));
    DeviceBuffer<int> there(6, context);
    refuse("cuLaunchKernel");
    CHECK_THROWS_AT_THIS_LINE(Error, "cuLaunchKernel", combine_elements<int>(there.span(), there.span(), ReduceOperation::sum, context));
}

TEST_CASE("an oversized scalar keeps its type, which a pool looks for, and is reported at the caller's line", "[kernels]") {
    const Machine machine;
    const DeviceContext device = DeviceContext::for_device(machine.driver, 0);
    Terms terms;
    terms.all_scalars[4] = scalar_of(256);
    const char* const words = "scalar 4 (modulo r) is not below 2^8";
    for (const DeviceContext& context : {DeviceContext::host(), device}) {
        auto config = config_in<MsmConfig>(context);
        config.bitsize = 8;
        const Bases bases(terms.points, config_in<PrepareConfig>(context));
        CHECK_THROWS_AT_THIS_LINE(OversizedScalar, words, msm<curve>(terms.scalars, terms.points, config, terms.one));
        CHECK_THROWS_AT_THIS_LINE(OversizedScalar, words, msm<curve>(terms.scalars, terms.points, config, terms.two));
        CHECK_THROWS_AT_THIS_LINE(OversizedScalar, words, msm<curve>(terms.scalars, bases, config, terms.one));
        CHECK_THROWS_AT_THIS_LINE(OversizedScalar, words, msm<curve>(terms.scalars, bases, config, terms.two));
    }
    const Bases bases(terms.points, config_in<PrepareConfig>(device));
    DeviceBuffer<JacobianPoint<curve>> results(2, device);
    auto config = config_in<MsmConfig>(device);
    config.bitsize = 8;
    config.are_results_on_device = true;
    CHECK_THROWS_AT_THIS_LINE(OversizedScalar, words, msm<curve>(terms.scalars, terms.points, config, results.span()));
    CHECK_THROWS_AT_THIS_LINE(OversizedScalar, words, msm<curve>(terms.scalars, bases, config, results.span()));
}

TEST_CASE("an oversized scalar is the same at another line", "[kernels]") {
    const SourceLocation here = SourceLocation::current();
    const OversizedScalar error = OversizedScalar(7, 8).at(here);
    CHECK(error.index() == 7);
    CHECK(error.bits() == 8);
    CHECK(error.message() == OversizedScalar(7, 8).message());
    check_location(error, here);
}
