// Hashes and trees over simulated devices give the bits of the host, however they are divided.
#include <cupool/pool/pooled_poseidon.hpp>

#include "catch.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"
#include "sliced_scalars.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;

struct CheckedMachine : Machine {
    explicit CheckedMachine(std::size_t devices) : Machine(std::vector<SimulatedDevice>(devices)) {
        simulator.set_checks(cupool_sim_check_all);
    }
};

const Poseidon<curve>& poseidon_on_host(PoseidonVariant variant) {
    static const Poseidon<curve> original(PoseidonVariant::original, 3, DeviceContext::host());
    static const Poseidon<curve> poseidon2(PoseidonVariant::poseidon2, 3, DeviceContext::host());
    return variant == PoseidonVariant::original ? original : poseidon2;
}

std::vector<Scalar> tree_on_host(const std::vector<Scalar>& leaves, PoseidonVariant variant, unsigned keep_rows,
                                 const PoseidonConfig& config = {}) {
    std::vector<Scalar> outputs(poseidon_tree_size(leaves.size(), config.is_compression ? 3 : 2, keep_rows));
    poseidon_merkle_tree<curve>(std::span(leaves), poseidon_on_host(variant), keep_rows, config, std::span(outputs));
    return outputs;
}

}  // namespace

TEST_CASE("permutations, hashes and sponges in slices are computed where they lie", "[pool]") {
    const CheckedMachine machine(3);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::original, 3);
    const Poseidon<curve>& host = poseidon_on_host(PoseidonVariant::original);
    const auto inputs = random_scalars(30);
    SlicedScalars elements(pool, {2, 1, 0}, {12, 0, 18});
    elements.set(inputs);
    const PoseidonConfig config{.are_inputs_on_device = true};
    std::vector<Scalar> expected(30);
    std::vector<Scalar> outputs(30);

    poseidon_permute<curve>(std::span(inputs), host, {}, std::span(expected));
    CHECK(poseidon_permute<curve>(elements.buffers(), poseidon, config, outputs).devices == std::vector<int>{0, 2});
    CHECK(are_equal(outputs, expected));

    expected.resize(15);
    outputs.resize(15);
    poseidon_hash<curve>(std::span(inputs), host, {}, std::span(expected));
    poseidon_hash<curve>(elements.buffers(), poseidon, config, outputs);
    CHECK(are_equal(outputs, expected));
    SlicedScalars digests(pool, {2, 0}, {6, 9});
    poseidon_hash<curve>(elements.buffers(), poseidon, {.are_inputs_on_device = true, .are_outputs_on_device = true}, digests.buffers());
    CHECK(are_equal(digests.get(), expected));

    for (const bool is_compression : {false, true}) {
        PoseidonConfig of_states{.input_is_a_state = !is_compression, .aligned = true, .is_compression = is_compression};
        expected.resize(10);
        outputs.resize(10);
        poseidon_hash<curve>(std::span(inputs), host, of_states, std::span(expected));
        of_states.are_inputs_on_device = true;
        poseidon_hash<curve>(elements.buffers(), poseidon, of_states, outputs);
        CHECK(are_equal(outputs, expected));
    }

    expected.resize(5);
    outputs.resize(5);
    poseidon_sponge<curve>(std::span(inputs), 6, host, {}, std::span(expected));
    poseidon_sponge<curve>(elements.buffers(), 6, poseidon, config, outputs);
    CHECK(are_equal(outputs, expected));
}

TEST_CASE("the subtrees of a tree of slices are computed where they lie", "[pool]") {
    const CheckedMachine machine(4);
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto variant = GENERATE(PoseidonVariant::original, PoseidonVariant::poseidon2);
    const PooledPoseidon<curve> poseidon(pool, variant, 3);
    const auto leaves = random_scalars(64);
    for (const std::vector<std::size_t>& sizes :
         {std::vector<std::size_t>{16, 16, 16, 16}, {32, 8, 0, 24}, {2, 4, 48, 10}, {32, 32, 0, 0}}) {
        SlicedScalars elements(pool, {3, 0, 1, 2}, sizes);
        elements.set(leaves);
        for (unsigned keep_rows = 0; keep_rows <= 6; ++keep_rows) {
            CAPTURE(sizes, keep_rows);
            const auto expected = tree_on_host(leaves, variant, keep_rows);
            std::vector<Scalar> outputs(expected.size());
            const RunReport report =
                poseidon_merkle_tree<curve>(elements.buffers(), poseidon, keep_rows, {.are_inputs_on_device = true}, outputs);
            CHECK(are_equal(outputs, expected));
            CHECK(report.devices.size() >= 2);
        }
    }
}

TEST_CASE("a tree of compressions, whose leaves are a power of the width, is divided alike", "[pool]") {
    const CheckedMachine machine(3);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::poseidon2, 3);
    const auto leaves = random_scalars(81);
    PoseidonConfig config{.input_is_a_state = true, .is_compression = true};  // input_is_a_state counts only for hashes
    const auto expected = tree_on_host(leaves, PoseidonVariant::poseidon2, 0, config);
    SlicedScalars elements = SlicedScalars::equal(pool, 3, 81);
    elements.set(leaves);
    std::vector<Scalar> outputs(expected.size());
    config.are_inputs_on_device = true;
    poseidon_merkle_tree<curve>(elements.buffers(), poseidon, 0, config, outputs);
    CHECK(are_equal(outputs, expected));
}

TEST_CASE("a tree that one device computes may have leaves and rows anywhere", "[pool]") {
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::original, 3);
    const auto leaves = random_scalars(32);
    const auto expected = tree_on_host(leaves, PoseidonVariant::original, 2);
    std::vector<Scalar> outputs(expected.size());
    poseidon_merkle_tree<curve>(leaves, poseidon, 2, {}, outputs);
    CHECK(are_equal(outputs, expected));
    SlicedScalars elements(pool, {1}, {32});
    SlicedScalars rows(pool, {1}, {expected.size()});
    const PoseidonConfig on_device{.are_inputs_on_device = true, .are_outputs_on_device = true};
    elements.set(leaves);
    const RunReport report = poseidon_merkle_tree<curve>(elements.buffers()[0], poseidon, 2, on_device, rows.buffers()[0]);
    CHECK(are_equal(rows.get(), expected));
    CHECK(report.devices == std::vector<int>{1});
}

TEST_CASE("a tree over leaves in host memory is divided among the devices", "[pool]") {
    if (is_sanitized) CUPOOL_SKIP("skipped: so many hashes take the sanitizers minutes");
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::poseidon2, 3);
    // The least that two devices divide: hashing that many takes the simulated devices long, so a device of weight 0 would be as good a
    // test of the division; of trees there is no other.
    constexpr std::size_t count = 2 * (std::size_t{4} << 20) / sizeof(Scalar);
    const auto inputs = random_scalars(count);
    const auto expected = tree_on_host(inputs, PoseidonVariant::poseidon2, 3);
    std::vector<Scalar> outputs(expected.size());
    const RunReport report = poseidon_merkle_tree<curve>(inputs, poseidon, 3, {}, outputs);
    CHECK(are_equal(outputs, expected));
    CHECK(report.devices == std::vector<int>{0, 1});
}

TEST_CASE("a pool of the host hashes there", "[pool]") {
    const DevicePool pool = DevicePool::host(2);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::original, 3);
    CHECK(poseidon.width() == 3);
    CHECK(poseidon.variant() == PoseidonVariant::original);
    CHECK(poseidon.pool().is_host());
    CHECK(poseidon.poseidon_at(0).context().is_host());
    const auto leaves = random_scalars(16);
    std::vector<Scalar> outputs(15);
    const RunReport report = poseidon_merkle_tree<curve>(leaves, poseidon, 0, {}, outputs);
    CHECK(are_equal(outputs, tree_on_host(leaves, PoseidonVariant::original, 0)));
    CHECK(report.engine == Engine::host);
}

TEST_CASE("what a pool cannot hash is refused at the caller's line", "[pool]") {
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::original, 3);
    SlicedScalars elements(pool, {0, 1}, {7, 9});
    std::vector<Scalar> outputs(8);
    const std::vector<Scalar> inputs(8);
    const auto check = [&](const Error& error, ErrorCategory category, const char* text) {
        CHECK(error.category() == category);
        CHECK_THAT(error.what(), contains_text(text));
        CHECK_THAT(error.location().file, contains_text("pooled_poseidon_test"));
    };
    const auto refusal = [&](const PoseidonConfig& config) {
        return error_of([&] { poseidon_hash<curve>(elements.buffers(), poseidon, config, outputs); });
    };
    const auto invalid = ErrorCategory::invalid_argument;
    check(refusal({}), invalid, "are_inputs_on_device is not set");
    check(refusal({.are_inputs_on_device = true, .is_async = true}), ErrorCategory::unsupported, "is_async");
    check(refusal({.are_inputs_on_device = true}), invalid, "no whole hashes of 2");
    check(error_of([&] { poseidon_sponge<curve>(inputs, 0, poseidon, {}, outputs); }), invalid, "0 elements");
    check(error_of([&] { poseidon_permute<curve>(outputs, poseidon, {}, outputs); }), invalid, "8 inputs do not divide evenly");
    check(error_of([&] { poseidon_hash<curve>(inputs, poseidon, {}, std::span(outputs).first(3)); }), invalid, "4 outputs, but room for 3");
    check(error_of([&] { poseidon_merkle_tree<curve>(elements.buffers(), poseidon, 1, {.are_inputs_on_device = true}, outputs); }), invalid,
          "room for 8");
    check(error_of([&] {
              poseidon_merkle_tree<curve>(elements.buffers(), poseidon, 1, {.are_inputs_on_device = true}, std::span(outputs).first(1));
          }),
          invalid, "whole subtrees");
    SlicedScalars halves(pool, {0, 1}, {8, 8});
    SlicedScalars rows(pool, {0}, {1});
    check(error_of([&] {
              const PoseidonConfig config{.are_inputs_on_device = true, .are_outputs_on_device = true};
              poseidon_merkle_tree<curve>(halves.buffers(), poseidon, 1, config, rows.buffers()[0]);
          }),
          ErrorCategory::unsupported, "host memory for the outputs");
    check(error_of([&] { PooledPoseidon<curve>(pool, PoseidonVariant::original, 99); }), ErrorCategory::unsupported, "99");
}

TEST_CASE("outputs over a part of the inputs are refused, even if no device's part overlaps its own", "[pool]") {
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::original, 3);
    // So much that two devices divide it: nothing is computed.
    constexpr std::size_t count = std::size_t{1} << 18;
    std::vector<Scalar> elements(3 * count);
    const std::span<Scalar> many(elements);
    const auto check = [&](const auto& call) {
        const Error error = error_of(call);
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), contains_text("overlap"));
    };
    check([&] { poseidon_permute<curve>(many.first(3 * count / 2), poseidon, {}, many.subspan(3 * count / 4, 3 * count / 2)); });
    check([&] { poseidon_hash<curve>(many.first(count), poseidon, {}, many.subspan(count / 2, count / 2)); });
    check([&] { poseidon_sponge<curve>(many.first(count), 4, poseidon, {}, many.subspan(3 * count / 4, count / 4)); });
    check([&] { poseidon_merkle_tree<curve>(many.first(count), poseidon, 0, {}, many.first(count - 1)); });
    CHECK(are_equal(elements, std::vector<Scalar>(elements.size())));

    const std::vector<Scalar> before = random_scalars(48);
    elements = before;
    const std::span<Scalar> all(elements);
    poseidon_permute<curve>(all, poseidon, {}, all);
    std::vector<Scalar> expected(48);
    poseidon_permute<curve>(std::span(before), poseidon_on_host(PoseidonVariant::original), {}, std::span(expected));
    CHECK(are_equal(elements, expected));
}

TEST_CASE("a quarantined device does not hash, and a failing call is told", "[pool]") {
    CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::poseidon2, 3);
    SlicedScalars elements(pool, {0, 1}, {16, 16});
    elements.set(random_scalars(32));
    std::vector<Scalar> root(1);
    const auto tree = [&] { poseidon_merkle_tree<curve>(elements.buffers(), poseidon, 1, {.are_inputs_on_device = true}, root); };
    tree();
    for (const char* const call : {"cuLaunchKernel", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuMemAllocFromPoolAsync"}) {
        machine.simulator.plan_fault(call, 1, 999);
        CHECK(error_of(tree).category() == ErrorCategory::internal);
        machine.simulator.clear_faults();
        tree();
    }
    pool.quarantine(1, "for a test");
    CHECK(error_of(tree).category() == ErrorCategory::invalid_argument);
    pool.readmit(1);
    machine.simulator.plan_fault({.device = 1, .nth = 3, .result = 700, .duration = cupool_sim_sticky});
    CHECK(error_of(tree).category() == ErrorCategory::device_fault);
    CHECK(pool.fault().has_value());
    machine.simulator.clear_faults();
}

// NOLINTBEGIN(bugprone-use-after-move): that is what it is about
TEST_CASE("a pooled permutation that was moved from is refused", "[pool]") {
    PooledPoseidon<curve> poseidon(DevicePool::host(1), PoseidonVariant::poseidon2, 3);
    const PooledPoseidon<curve> moved = std::move(poseidon);
    std::vector<Scalar> states(3);
    CHECK(error_of([&] { (void)poseidon.width(); }).category() == ErrorCategory::wrong_context);
    CHECK(error_of([&] { poseidon_permute<curve>(states, poseidon, {}, states); }).category() == ErrorCategory::wrong_context);
    poseidon_permute<curve>(states, moved, {}, states);
}
// NOLINTEND(bugprone-use-after-move)
