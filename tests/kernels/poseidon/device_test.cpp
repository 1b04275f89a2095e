// A simulated device gives the host's bits.

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>

#include "hashes.hpp"

using namespace cupool;
using namespace cupool::test;

TEMPLATE_TEST_CASE_SIG("a device permutes states as the host does, in all widths", CUPOOL_EACH_POSEIDON_FIELD) {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    for (const Shape& shape : all_shapes<C>()) {
        const auto states = any_scalars<C>(3 * shape.width, shape.width);
        const auto expected = permuted(states, Poseidon<C>(shape.variant, shape.width, DeviceContext::host()));
        INFO(shape.variant << ", width " << shape.width);
        CHECK(are_equal(permuted(states, Poseidon<C>(shape.variant, shape.width, context), {.ctx = context}), expected));
    }
}

TEST_CASE("a device hashes, compresses, absorbs and builds trees as the host does", "[kernels]") {
    constexpr Curve C = Curve::bls12_381;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    for (const Shape& shape : {Shape{PoseidonVariant::original, 3}, Shape{PoseidonVariant::original, 4},
                               Shape{PoseidonVariant::filecoin, 3}, Shape{PoseidonVariant::poseidon2, 3}}) {
        const Poseidon<C> on_host(shape.variant, shape.width, DeviceContext::host());
        const Poseidon<C> on_device(shape.variant, shape.width, context);
        const auto inputs = any_scalars<C>(36);
        for (PoseidonConfig config : {PoseidonConfig{},
                                      {.is_montgomery_form = true},
                                      {.domain_tag = Scalar{{3, 4}}},
                                      {.input_is_a_state = true},
                                      {.input_is_a_state = true, .aligned = true},
                                      {.is_compression = true}}) {
            const auto expected = hashed(inputs, on_host, config);
            config.ctx = context;
            CHECK(are_equal(hashed(inputs, on_device, config), expected));
        }
        std::vector<Scalar> expected(4);
        std::vector<Scalar> outputs(4);
        poseidon_sponge<C>(std::span(inputs), 9, on_host, {}, std::span(expected));
        poseidon_sponge<C>(std::span(inputs), 9, on_device, {.ctx = context}, std::span(outputs));
        CHECK(are_equal(outputs, expected));
        const auto leaves = any_scalars<C>(shape.width == 3 ? 16 : 27);
        for (const unsigned kept : {0u, 1u, 2u}) {
            CHECK(are_equal(tree(leaves, on_device, kept, {.ctx = context}), tree(leaves, on_host, kept)));
        }
    }
}

TEST_CASE("operands of hashes are in host or device memory in any mix, and hashes return before the work is done", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Poseidon<C> poseidon(PoseidonVariant::original, 3, context);
    const auto inputs = any_scalars<C>(12);
    const auto expected = hashed(inputs, Poseidon<C>(PoseidonVariant::original, 3, DeviceContext::host()));
    DeviceBuffer<Scalar> inputs_there(12, context);
    DeviceBuffer<Scalar> outputs_there(6, context);
    copy<Scalar>(inputs_there.span(), inputs, context.stream());
    std::vector<Scalar> outputs(6);

    const RunReport down =
        poseidon_hash<C>(inputs_there.span(), poseidon, {.ctx = context, .are_inputs_on_device = true}, std::span(outputs));
    CHECK(are_equal(outputs, expected));
    CHECK(down.engine == Engine::gpu);
    CHECK(down.bytes == 6 * sizeof(Scalar));
    CHECK(down.device_bytes == 6 * sizeof(Scalar));

    poseidon_hash<C>(std::span(inputs), poseidon, {.ctx = context, .are_outputs_on_device = true}, outputs_there.span());
    copy<Scalar>(std::span(outputs), outputs_there.span(), context.stream());
    CHECK(are_equal(outputs, expected));

    const PoseidonConfig asynchronous{.ctx = context, .are_inputs_on_device = true, .are_outputs_on_device = true, .is_async = true};
    poseidon_merkle_tree<C>(inputs_there.span().subspan(0, 8), poseidon, 2, asynchronous, outputs_there.span().subspan(0, 3));
    poseidon_permute<C>(inputs_there.span(), poseidon, asynchronous, inputs_there.span());
    outputs.resize(3);
    copy<Scalar>(std::span(outputs), outputs_there.span().subspan(0, 3), context.stream());
    const std::vector<Scalar> leaves(inputs.begin(), inputs.begin() + 8);
    CHECK(are_equal(outputs, tree(leaves, Poseidon<C>(PoseidonVariant::original, 3, DeviceContext::host()), 2)));
    std::vector<Scalar> states(12);
    copy<Scalar>(std::span(states), inputs_there.span(), context.stream());
    CHECK(are_equal(states, permuted(inputs, Poseidon<C>(PoseidonVariant::original, 3, DeviceContext::host()))));
}

TEST_CASE("more hashes than small blocks are for give the host's bits", "[kernels][long]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const auto inputs = any_scalars<C>((1 << 14) + 1);
    const PoseidonVariant variant = PoseidonVariant::poseidon2;
    CHECK(are_equal(hashed(inputs, Poseidon<C>(variant, 2, context), {.ctx = context}),
                    hashed(inputs, Poseidon<C>(variant, 2, DeviceContext::host()))));
}

TEST_CASE("what a device cannot hash is refused", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const Poseidon<C> poseidon(PoseidonVariant::original, 3, context);
    const Poseidon<C> on_host(PoseidonVariant::original, 3, DeviceContext::host());
    DeviceBuffer<Scalar> elements(16, context);
    const PoseidonConfig config{.ctx = context, .are_inputs_on_device = true, .are_outputs_on_device = true};
    const auto refusal = [&](DeviceSpan<Scalar> inputs, DeviceSpan<Scalar> outputs, const Poseidon<C>& with) {
        return error_of([&] { poseidon_hash<C>(inputs, with, config, outputs); });
    };
    const DeviceSpan<Scalar> four = elements.span().subspan(0, 4);
    const DeviceSpan<Scalar> two = elements.span().subspan(8, 2);
    const DeviceSpan<Scalar> misaligned(four.pointer() + 8, 4, context.device());
    CHECK_THAT(refusal(misaligned, two, poseidon).what(), contains_text("no multiple of 16"));
    CHECK_THAT(refusal(four, elements.span().subspan(3, 2), poseidon).what(), contains_text("overlap"));
    const Error elsewhere = refusal(four, two, on_host);
    CHECK(elsewhere.category() == ErrorCategory::wrong_context);
    CHECK_THAT(elsewhere.what(), contains_text("the permutation is for"));
    const DeviceContext other = DeviceContext::for_device(machine.driver, 1);
    CHECK(refusal(four, two, Poseidon<C>(PoseidonVariant::original, 3, other)).category() == ErrorCategory::wrong_context);
}
