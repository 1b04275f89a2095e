#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/stream.hpp>
#include <future>

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

TEST_CASE("three passes on a device give the host's bits in all orderings, in place", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    constexpr detail::NttTuning tuning{.max_pass_bits = 2};
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> on_host(64, DeviceContext::host());
    const NttDomain<C> on_device(64, context);
    const auto inputs = any_scalars(3 * 32);
    for (const auto ordering : all_orderings) {
        for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
            NttConfig config{.coset_gen = Scalar{{5}}, .batch_size = 3, .ordering = ordering};
            const auto expected = run<C>(inputs, direction, on_host.state(), config, tuning);
            config.ctx = context;
            DeviceBuffer<Scalar> elements(inputs.size(), context);
            copy<Scalar>(elements.span(), inputs, context.stream());
            const Operand<Scalar> operand = elements.span();
            detail::ntt_on_device(detail::NttJob<C>{operand, direction, on_device.state(), config, elements.span(), tuning});
            std::vector<Scalar> outputs(inputs.size());
            copy<Scalar>(std::span(outputs), elements.span(), context.stream());
            CHECK(are_equal(outputs, expected));
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

TEST_CASE("operands of a device's transform are in host or device memory in any mix", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    constexpr std::size_t count = 2 << 11;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> domain(1 << 11, context);
    const auto inputs = any_scalars(count);
    const auto expected = run<C>(inputs, NttDirection::forward, NttDomain<C>(1 << 11, DeviceContext::host()), {.batch_size = 2});
    DeviceBuffer<Scalar> input_buffer(count, context);
    copy<Scalar>(input_buffer.span(), inputs, context.stream());
    const Operand<Scalar> operands[] = {std::span<const Scalar>(inputs), input_buffer.span()};
    for (const Operand<Scalar>& operand : operands) {
        NttConfig config{.ctx = context, .batch_size = 2, .are_inputs_on_device = operand.is_on_device()};
        std::vector<Scalar> outputs(count);
        config.is_async = true;  // without effect: one operand or both are in host memory
        const RunReport to_host = ntt<C>(operand, NttDirection::forward, domain, config, std::span(outputs));
        CHECK(are_equal(outputs, expected));
        CHECK(to_host.engine == Engine::gpu);
        CHECK(to_host.devices == std::vector<int>{0});
        const std::size_t copies = operand.is_on_device() ? 1 : 2;
        CHECK(to_host.bytes == copies * count * sizeof(Scalar));
        CHECK(to_host.device_bytes == (copies + 1) * count * sizeof(Scalar));

        config.is_async = false;
        config.are_outputs_on_device = true;
        DeviceBuffer<Scalar> output_buffer(count, context);
        ntt<C>(operand, NttDirection::forward, domain, config, output_buffer.span());
        copy<Scalar>(std::span(outputs), output_buffer.span(), context.stream());
        CHECK(are_equal(outputs, expected));
    }
    std::vector<Scalar> unchanged(count);
    copy<Scalar>(std::span(unchanged), input_buffer.span(), context.stream());
    CHECK(are_equal(unchanged, inputs));
}

TEST_CASE("a domain of more than 2^24 elements, with two tables of powers, gives the same bits", "[kernels]") {
    constexpr Curve C = Curve::bls12_381;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> large(std::size_t{1} << 25, context);
    const NttDomain<C> on_host(1 << 11, DeviceContext::host());
    const auto inputs = any_scalars(1 << 11);
    for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
        NttConfig config{.coset_gen = Scalar{{7}}};
        const auto expected = run<C>(inputs, direction, on_host, config);
        config.ctx = context;
        CHECK(are_equal(run<C>(inputs, direction, large, config), expected));
    }
}

TEMPLATE_TEST_CASE_SIG("inputs about multiples of r give the host's bits, as batches of one and two elements too", CUPOOL_EACH_FIELD) {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> on_host(16, DeviceContext::host());
    const NttDomain<C> on_device(16, context);
    const std::vector<Scalar> inputs = edge_scalars<C>();
    for (const std::size_t size : {1, 2, 16}) {
        for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
            for (const bool are_columns : {false, true}) {
                NttConfig config{.batch_size = inputs.size() / size, .columns_batch = are_columns};
                const auto expected = run<C>(inputs, direction, on_host, config);
                if (size == 1) CHECK(are_equal(expected, reduced<C>(inputs)));
                config.ctx = context;
                CHECK(are_equal(run<C>(inputs, direction, on_device, config), expected));
            }
        }
    }
}

TEST_CASE("threads share a domain of a device", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> on_host(64, DeviceContext::host());
    const NttDomain<C> on_device(64, context);
    const auto inputs = any_scalars(64);
    std::vector<std::future<bool>> are_right;
    for (const std::uint64_t generator : {3, 3, 5, 7}) {
        are_right.push_back(std::async(std::launch::async, [&, generator] {
            const Stream stream(context.context());
            NttConfig config{.coset_gen = Scalar{{generator}}};
            const auto expected = run<C>(inputs, NttDirection::forward, on_host, config);
            config.ctx = context.with_stream(stream);
            return are_equal(run<C>(inputs, NttDirection::forward, on_device, config), expected);
        }));
    }
    for (std::future<bool>& is_right : are_right) CHECK(is_right.get());
}

TEST_CASE("too little memory of a device is an error that names the bytes", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> domain(16, context);
    const std::vector<Scalar> inputs(1 << 20);  // more than the pool has reserved
    const NttConfig config{.ctx = context, .batch_size = 1 << 16};
    machine.simulator.plan_fault({.device = 0, .memory_left = 0});
    const Error of_transform = error_of([&] { run<C>(inputs, NttDirection::forward, domain, config); });
    CHECK(of_transform.category() == ErrorCategory::out_of_memory);
    CHECK_THAT(of_transform.what(), contains_text("33554432 bytes"));
    CHECK(error_of([&] { NttDomain<C>(1 << 21, context); }).category() == ErrorCategory::out_of_memory);
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
    CHECK_THAT(refusal(elements.span().subspan(16, 16), misaligned, domain).what(), contains_text("no multiple of 16"));
    CHECK_THAT(refusal(first, elements.span().subspan(8, 16), domain).what(), contains_text("overlap in part"));
    CHECK(refusal(first, first, NttDomain<C>(16, DeviceContext::host())).category() == ErrorCategory::wrong_context);
    const DeviceContext other = DeviceContext::for_device(machine.driver, 1);
    CHECK(refusal(first, first, NttDomain<C>(16, other)).category() == ErrorCategory::wrong_context);
    NttDomain<C> moved = domain;
    const NttDomain<C> taken = std::move(moved);
    CHECK(refusal(first, first, moved).category() == ErrorCategory::wrong_context);  // NOLINT(bugprone-use-after-move): the case
    CHECK(taken.size() == 16);
}
