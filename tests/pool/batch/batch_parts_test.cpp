// How batches are divided among devices, and taken in steps.
#include "batch/batch_parts.hpp"

#include <mutex>

#include "catch.hpp"
#include "machine.hpp"
#include "ntt/column_batch.hpp"
#include "sliced_scalars.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

PoolState& state_of(const DevicePool& pool) { return PoolStateAccess::state(pool, SourceLocation::current()); }

/// The members of a batch's parts in host memory and their numbers of inputs.
std::vector<std::pair<std::size_t, std::size_t>> shares_of(const std::vector<BatchPart>& parts) {
    std::vector<std::pair<std::size_t, std::size_t>> shares;
    for (const BatchPart& part : parts) shares.emplace_back(part.member, part.inputs.size());
    return shares;
}

}  // namespace

TEST_CASE("host memory is divided by weights, and a device that gets nothing has no part", "[pool]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    constexpr std::size_t item = min_bytes_a_device / sizeof(Scalar);
    const std::vector<Scalar> inputs(3 * item);
    std::vector<Scalar> outputs(3);
    const BatchShape shape{.job = "test", .item = "items", .item_inputs = item, .item_outputs = 1};
    const auto shares_with = [&](const std::vector<double>& weights) {
        pool.set_weights(weights);
        return shares_of(divided_batch(state_of(pool), shape, inputs, outputs));
    };
    using Shares = std::vector<std::pair<std::size_t, std::size_t>>;
    CHECK(shares_with({1, 1, 1}) == Shares{{0, item}, {1, item}, {2, item}});
    CHECK(shares_with({1, 8, 1}) == Shares{{1, 3 * item}});
    CHECK(shares_with({1, 1, 8}) == Shares{{1, item}, {2, 2 * item}});

    const std::vector<BatchPart> parts = divided_batch(state_of(pool), shape, inputs, outputs);
    CHECK(parts[0].inputs.host().data() == inputs.data());
    CHECK(parts[0].outputs.host().data() == outputs.data());
    CHECK(shares_of(divided_batch(state_of(pool), shape, std::vector<Scalar>(), std::span<Scalar>())) == Shares{{0, 0}});
}

TEST_CASE("operands in host memory are taken in steps of whole items", "[pool]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const std::vector<Scalar> inputs(5 * 8);
    std::vector<Scalar> outputs(5);
    const auto steps_with = [&](std::size_t step_bytes, const PoolOperand<Scalar>& from) {
        const BatchShape shape{.job = "test", .item = "items", .item_inputs = 8, .item_outputs = 1, .step_bytes = step_bytes};
        std::vector<std::size_t> steps;
        const RunReport report =
            run_batch(state_of(pool), shape, divided_batch(state_of(pool), shape, from, outputs),
                      [&](const DeviceContext& context, const Operand<Scalar>& taken, const OutputOperand<Scalar>& to) {
                          CHECK(taken.size() == 8 * to.size());
                          steps.push_back(to.size());
                          return RunReport{.engine = Engine::gpu, .devices = {context.device()}, .milliseconds = 0, .bytes = 1};
                      });
        CHECK(report.bytes == steps.size());
        CHECK(report.devices.size() == 1);
        return steps;
    };
    CHECK(steps_with(2 * 8 * sizeof(Scalar), inputs) == std::vector<std::size_t>{2, 2, 1});
    CHECK(steps_with(1, inputs) == std::vector<std::size_t>(5, 1));
    CHECK(steps_with(max_step_bytes, inputs) == std::vector<std::size_t>{5});
    const DeviceBuffer<Scalar> on_device(5 * 8, pool.context_at(1));
    CHECK(steps_with(3 * 8 * sizeof(Scalar), on_device) == std::vector<std::size_t>{3, 2});
}

TEST_CASE("columns are taken in steps, by one device and by several, in place", "[pool]") {
    constexpr Curve curve = Curve::bn254;
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, 16);
    const auto inputs = random_scalars(16 * 7);
    const NttConfig config{.batch_size = 7, .columns_batch = true};
    std::vector<Scalar> expected(inputs.size());
    ntt<curve>(inputs, NttDirection::forward, PooledNttDomain<curve>(DevicePool::host(), 16), config, expected);
    for (const std::vector<std::size_t>& members : {std::vector<std::size_t>{1}, {0, 1}}) {
        std::vector<Scalar> elements = inputs;
        transform_columns<curve>(state_of(pool), domain.state(), members, elements, NttDirection::forward, config, elements,
                                 2 * 16 * sizeof(Scalar));
        CHECK(are_equal(elements, expected));
    }
}
