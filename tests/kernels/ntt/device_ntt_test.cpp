#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>

#include "machine.hpp"
#include "transforms.hpp"

using namespace cupool;
using namespace cupool::test;

TEMPLATE_TEST_CASE_SIG("a device gives the host's bits at all sizes, in both directions, with and without coset", CUPOOL_EACH_FIELD) {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> on_host(1 << 11, DeviceContext::host());
    const NttDomain<C> on_device(1 << 11, context);
    for (unsigned log_size = 0; log_size <= 11; ++log_size) {
        const auto inputs = any_scalars(std::size_t{1} << log_size, log_size);
        for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
            NttConfig config;
            if (log_size % 2 == (direction == NttDirection::forward ? 0 : 1)) config.coset_gen = Scalar{{7, 9}};
            const auto expected = run<C>(inputs, direction, on_host, config);
            config.ctx = context;
            CHECK(are_equal(run<C>(inputs, direction, on_device, config), expected));
        }
    }
}

TEST_CASE("a device gives the host's bits in all orderings, as batches, in place and asynchronously", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    for (const auto& [log_size, batch] : {std::pair(5u, std::size_t{3}), std::pair(11u, std::size_t{1})}) {
        const NttDomain<C> on_host(64 << 6, DeviceContext::host());
        const NttDomain<C> on_device(64 << 6, context);
        const auto inputs = any_scalars(batch << log_size);
        for (const auto ordering : all_orderings) {
            for (const bool are_columns : {false, true}) {
                NttConfig config;
                config.batch_size = batch;
                config.columns_batch = are_columns;
                config.ordering = ordering;
                config.coset_gen = Scalar{{3}};
                const auto expected = run<C>(inputs, NttDirection::forward, on_host, config);
                config.ctx = context;
                config.are_inputs_on_device = config.are_outputs_on_device = true;
                config.is_async = true;
                DeviceBuffer<Scalar> elements(inputs.size(), context);
                copy<Scalar>(elements.span(), inputs, context.stream());
                ntt<C>(elements.span(), NttDirection::forward, on_device, config, elements.span());
                std::vector<Scalar> outputs(inputs.size());
                copy<Scalar>(std::span(outputs), elements.span(), context.stream());
                CHECK(are_equal(outputs, expected));
            }
        }
    }
}

TEST_CASE("two and three passes on a device, in large and small blocks, give the bits of one pass on the host", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> on_host(1 << 10, DeviceContext::host());
    const NttDomain<C> on_device(1 << 10, context);
    for (const unsigned log_size : {4u, 7u, 9u}) {
        const auto inputs = any_scalars(std::size_t{3} << log_size, log_size);
        for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
            for (const std::uint64_t min_blocks : {1, 256}) {
                for (const bool are_columns : {false, true}) {
                    NttConfig config{.coset_gen = Scalar{{7}}, .batch_size = 3, .columns_batch = are_columns};
                    const auto expected = run<C>(inputs, direction, on_host, config);
                    config.ctx = context;
                    CHECK(are_equal(run<C>(inputs, direction, on_device.state(), config, {.max_pass_bits = 3, .min_blocks = min_blocks}),
                                    expected));
                }
            }
        }
    }
}

TEST_CASE("what a device cannot transform is refused", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> domain(16, context);
    DeviceBuffer<Scalar> elements(32, context);
    NttConfig config;
    config.ctx = context;
    config.are_inputs_on_device = config.are_outputs_on_device = true;
    const auto refusal = [&](DeviceSpan<Scalar> inputs, DeviceSpan<Scalar> outputs, const NttDomain<C>& of) {
        return error_of([&] { ntt<C>(inputs, NttDirection::forward, of, config, outputs); });
    };
    const DeviceSpan<Scalar> first = elements.span().subspan(0, 16);
    const DeviceSpan<Scalar> misaligned(first.pointer() + 8, 16, context.device());
    CHECK_THAT(refusal(misaligned, elements.span().subspan(16, 16), domain).what(), contains_text("no multiple of 16"));
    CHECK_THAT(refusal(first, elements.span().subspan(8, 16), domain).what(), contains_text("overlap in part"));
    CHECK(refusal(first, first, NttDomain<C>(16, DeviceContext::host())).category() == ErrorCategory::wrong_context);
    const DeviceContext other = DeviceContext::for_device(machine.driver, 1);
    CHECK(refusal(first, first, NttDomain<C>(16, other)).category() == ErrorCategory::wrong_context);
    NttDomain<C> moved = domain;
    const NttDomain<C> taken = std::move(moved);
    CHECK(refusal(first, first, moved).category() == ErrorCategory::wrong_context);  // NOLINT(bugprone-use-after-move): the case
    CHECK(taken.size() == 16);
}
