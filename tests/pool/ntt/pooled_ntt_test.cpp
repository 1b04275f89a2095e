// Transforms over simulated devices give the bits of one on the host, however their elements are divided.
#include <cupool/pool/pooled_ntt.hpp>
#include <cupool/pool/pooled_poseidon.hpp>
#include <future>
#include <string>

#include "catch.hpp"
#include "forked_child.hpp"
#include "machine.hpp"
#include "sanitizers.hpp"
#include "sliced_scalars.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;
constexpr std::size_t large = std::size_t{1} << 11;  ///< of two passes, which several devices divide

struct CheckedMachine : Machine {
    explicit CheckedMachine(std::size_t devices) : Machine(std::vector<SimulatedDevice>(devices)) {
        simulator.set_checks(cupool_sim_check_all);
        set_links(*this, static_cast<int>(devices), true);
    }
};

std::vector<Scalar> on_host(const std::vector<Scalar>& inputs, NttDirection direction, NttConfig config) {
    config.ctx = DeviceContext::host();
    config.are_inputs_on_device = config.are_outputs_on_device = false;
    std::vector<Scalar> outputs(inputs.size());
    ntt<curve>(std::span(inputs), direction, NttDomain<curve>(inputs.size() / config.batch_size, config.ctx), config, std::span(outputs));
    return outputs;
}

NttConfig on_devices(NttConfig config = {}) {
    config.are_inputs_on_device = config.are_outputs_on_device = true;
    return config;
}

std::vector<int> first_devices(std::size_t count) {
    std::vector<int> devices(count);
    for (std::size_t i = 0; i < count; ++i) devices[i] = static_cast<int>(i);
    return devices;
}

}  // namespace

TEST_CASE("devices compute one transform together, in all orderings, in place and not", "[pool]") {
    for (const std::size_t devices : {2, 4, 8}) {
        const CheckedMachine machine(devices);
        const DevicePool pool = DevicePool::all(machine.driver);
        const PooledNttDomain<curve> domain(pool, 2 * large);
        const auto inputs = random_scalars(large);
        SlicedScalars elements = SlicedScalars::equal(pool, devices, large);
        SlicedScalars results = SlicedScalars::equal(pool, devices, large);
        for (const auto ordering : {NttOrdering::natural_natural, NttOrdering::natural_reversed, NttOrdering::reversed_natural,
                                    NttOrdering::reversed_reversed, NttOrdering::natural_mixed, NttOrdering::mixed_natural}) {
            const bool is_inverse = ordering == NttOrdering::mixed_natural || ordering == NttOrdering::natural_reversed;
            const auto direction = is_inverse ? NttDirection::inverse : NttDirection::forward;
            const NttConfig config = on_devices({.coset_gen = Scalar{{devices}}, .ordering = ordering});
            const auto expected = on_host(inputs, direction, config);
            const RunReport report =
                ntt<curve>(elements.set(inputs).buffers(), direction, domain, config, PoolOutputOperand<Scalar>(results.buffers()));
            CHECK(are_equal(results.get(), expected));
            CHECK(are_equal(elements.get(), inputs));
            CHECK(report.engine == Engine::gpu);
            CHECK(report.devices == first_devices(devices));
            const std::size_t crossings = ordering == NttOrdering::natural_mixed ? 2 : 3;
            CHECK(report.bytes == crossings * large * sizeof(Scalar) / devices * (devices - 1));
            CHECK(report.device_bytes == large * sizeof(Scalar) / devices);
            ntt<curve>(elements.buffers(), direction, domain, config, elements.buffers());
            CHECK(are_equal(elements.get(), expected));
        }
    }
}

TEST_CASE("of one transform in slices, the inputs or the outputs may be in host memory", "[pool]") {
    const CheckedMachine machine(4);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, large, ntt_root_of_unity<curve>(11));
    const auto inputs = random_scalars(large);
    const auto expected = on_host(inputs, NttDirection::inverse, {});
    SlicedScalars elements = SlicedScalars::equal(pool, 4, large);
    const RunReport up = ntt<curve>(inputs, NttDirection::inverse, domain, {.are_outputs_on_device = true}, elements.buffers());
    CHECK(are_equal(elements.get(), expected));
    CHECK(up.bytes == (large + 3 * large * 3 / 4) * sizeof(Scalar));

    std::vector<Scalar> outputs(large);
    ntt<curve>(elements.buffers(), NttDirection::forward, domain, {.are_inputs_on_device = true}, outputs);
    CHECK(are_equal(on_host(outputs, NttDirection::inverse, {}), expected));
    CHECK(are_equal(elements.get(), expected));
}

TEST_CASE("slices that devices cannot transform together are gathered by one", "[pool]") {
    CheckedMachine machine(3);
    const bool are_linked = GENERATE(true, false);
    set_links(machine, 3, are_linked);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, large);
    const auto check = [&](SlicedScalars elements, std::size_t size) {
        const auto inputs = random_scalars(size);
        const NttConfig config = on_devices({.coset_gen = Scalar{{7}}});
        const RunReport report = ntt<curve>(elements.set(inputs).buffers(), NttDirection::forward, domain, config, elements.buffers());
        CHECK(are_equal(elements.get(), on_host(inputs, NttDirection::forward, config)));
        CHECK(report.devices == std::vector<int>{elements.buffers()[0].device()});
    };
    SECTION("few elements") { check(SlicedScalars::equal(pool, 2, 16), 16); }
    SECTION("three devices") { check(SlicedScalars(pool, {2, 0, 1}, {1, 3, 4}), 8); }
    SECTION("unequal slices") { check(SlicedScalars(pool, {1, 0}, {large - 5, 5}), large); }
    SECTION("no links") {
        if (!are_linked) check(SlicedScalars::equal(pool, 2, large), large);
    }
    SECTION("slices to one device, and back") {
        const auto inputs = random_scalars(large);
        SlicedScalars slices = SlicedScalars::equal(pool, 2, large);
        SlicedScalars whole(pool, {2}, {large});
        ntt<curve>(slices.set(inputs).buffers(), NttDirection::forward, domain, on_devices(), whole.buffers()[0]);
        CHECK(are_equal(whole.get(), on_host(inputs, NttDirection::forward, {})));
        ntt<curve>(whole.buffers()[0], NttDirection::inverse, domain, on_devices(), slices.buffers());
        CHECK(are_equal(on_host(slices.get(), NttDirection::forward, {}), whole.get()));
    }
    SECTION("one device to another") {
        const auto inputs = random_scalars(64);
        SlicedScalars from(pool, {0}, {64});
        SlicedScalars to(pool, {1}, {64});
        ntt<curve>(from.set(inputs).buffers()[0], NttDirection::forward, domain, on_devices(), to.buffers()[0]);
        CHECK(are_equal(to.get(), on_host(inputs, NttDirection::forward, {})));
    }
}

TEST_CASE("memory that peers cannot reach is gathered", "[pool]") {
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, large);
    const MemoryPool own(pool.context_at(1).context());
    const auto inputs = random_scalars(large);
    DeviceBuffer<Scalar> first(large / 2, pool.context_at(0));
    DeviceBuffer<Scalar> second(large / 2, pool.context_at(1).with_memory_pool(own));
    copy<Scalar>(first.span(), std::span(inputs).first(large / 2), pool.context_at(0).stream());
    copy<Scalar>(second.span(), std::span(inputs).last(large / 2), pool.context_at(1).stream());
    std::vector<Scalar> outputs(large);
    const std::vector<DeviceSpan<Scalar>> slices{first.span(), second.span()};
    const RunReport report = ntt<curve>(slices, NttDirection::forward, domain, {.are_inputs_on_device = true}, outputs);
    CHECK(are_equal(outputs, on_host(inputs, NttDirection::forward, {})));
    CHECK(report.devices == std::vector<int>{0});
}

TEST_CASE("batches in slices are transformed where they lie", "[pool]") {
    const CheckedMachine machine(3);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, 64);
    const auto inputs = random_scalars(6 * 16);
    const NttConfig config = on_devices({.coset_gen = Scalar{{3}}, .batch_size = 6, .ordering = NttOrdering::natural_reversed});
    const auto expected = on_host(inputs, NttDirection::forward, config);
    SlicedScalars elements(pool, {2, 0, 1}, {32, 0, 64});
    const RunReport report = ntt<curve>(elements.set(inputs).buffers(), NttDirection::forward, domain, config, elements.buffers());
    CHECK(are_equal(elements.get(), expected));
    CHECK(report.devices == std::vector<int>{1, 2});

    SECTION("to host memory") {
        std::vector<Scalar> outputs(inputs.size());
        NttConfig to_host = config;
        to_host.are_outputs_on_device = false;
        ntt<curve>(elements.set(inputs).buffers(), NttDirection::forward, domain, to_host, outputs);
        CHECK(are_equal(outputs, expected));
    }
    SECTION("from host memory") {
        NttConfig from_host = config;
        from_host.are_inputs_on_device = false;
        ntt<curve>(inputs, NttDirection::forward, domain, from_host, elements.buffers());
        CHECK(are_equal(elements.get(), expected));
    }
    SECTION("on one device, with columns too") {
        for (const bool are_columns : {false, true}) {
            NttConfig own = config;
            own.columns_batch = are_columns;
            SlicedScalars whole(pool, {1}, {inputs.size()});
            const RunReport of_one = ntt<curve>(whole.set(inputs).buffers()[0], NttDirection::forward, domain, own, whole.buffers()[0]);
            CHECK(are_equal(whole.get(), on_host(inputs, NttDirection::forward, own)));
            CHECK(of_one.devices == std::vector<int>{1});
        }
    }
}

TEST_CASE("batches in host memory are divided by the devices' weights", "[pool]") {
    if (is_sanitized) CUPOOL_SKIP("skipped: so many elements take the sanitizers minutes");
    const Machine machine(std::vector<SimulatedDevice>(3));
    const DevicePool pool = DevicePool::all(machine.driver);
    pool.set_weights(std::vector<double>{1, 2, 1});
    constexpr std::size_t size = 2;  // the simulated devices' time goes by the elements
    constexpr std::size_t batch = 3 * (std::size_t{4} << 20) / size / sizeof(Scalar);
    const PooledNttDomain<curve> domain(pool, size);
    const auto inputs = random_scalars(batch * size);
    std::vector<Scalar> outputs(inputs.size());
    for (const bool are_columns : {false, true}) {
        const NttConfig config{.batch_size = batch, .columns_batch = are_columns};
        const RunReport report = ntt<curve>(inputs, NttDirection::forward, domain, config, outputs);
        CHECK(are_equal(outputs, on_host(inputs, NttDirection::forward, config)));
        CHECK(report.devices == std::vector<int>{0, 1, 2});
        CHECK(report.bytes == 2 * inputs.size() * sizeof(Scalar));
        CHECK(report.device_bytes >= batch / 2 * size * sizeof(Scalar));
        auto elements = inputs;
        ntt<curve>(elements, NttDirection::forward, domain, config, elements);
        CHECK(are_equal(elements, outputs));
    }
    CHECK(pool.metrics().devices[1].bytes == 2 * pool.metrics().devices[0].bytes);
}

TEST_CASE("small batches and small transforms in host memory go to one device", "[pool]") {
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, large);
    const auto inputs = random_scalars(large);
    std::vector<Scalar> outputs(inputs.size());
    for (const std::size_t batch : {1, 8}) {
        for (const bool are_columns : {false, true}) {
            const NttConfig config{.batch_size = batch, .columns_batch = are_columns};
            const RunReport report = ntt<curve>(inputs, NttDirection::forward, domain, config, outputs);
            CHECK(are_equal(outputs, on_host(inputs, NttDirection::forward, config)));
            CHECK(report.devices.size() == 1);
        }
    }
}

TEST_CASE("one transform in host memory is computed by as many linked devices as have work for it", "[pool]") {
    if (is_sanitized) CUPOOL_SKIP("skipped: so many elements take the sanitizers minutes");
    Machine machine(std::vector<SimulatedDevice>(3));
    const bool are_linked = GENERATE(true, false);
    set_links(machine, 3, are_linked);
    const DevicePool pool = DevicePool::all(machine.driver);
    constexpr std::size_t size = std::size_t{1} << 18;
    const PooledNttDomain<curve> domain(pool, size);
    auto elements = random_scalars(size);
    const auto expected = on_host(elements, NttDirection::forward, {});
    const RunReport report = ntt<curve>(elements, NttDirection::forward, domain, {}, elements);
    CHECK(are_equal(elements, expected));
    CHECK(report.devices.size() == (are_linked ? 2 : 1));
}

TEST_CASE("a pool of the host transforms there", "[pool]") {
    const DevicePool pool = DevicePool::host(2);
    const PooledNttDomain<curve> domain(pool, 64);
    const auto inputs = random_scalars(128);
    std::vector<Scalar> outputs(inputs.size());
    for (const bool are_columns : {false, true}) {
        const NttConfig config{.batch_size = 2, .columns_batch = are_columns};
        const RunReport report = ntt<curve>(inputs, NttDirection::forward, domain, config, outputs);
        CHECK(are_equal(outputs, on_host(inputs, NttDirection::forward, config)));
        CHECK(report.engine == Engine::host);
        CHECK(report.devices.empty());
    }
    const NttConfig config;
    ntt<curve>(std::span(inputs).first(64), NttDirection::inverse, domain, config, std::span(outputs).first(64));
    outputs.resize(64);
    CHECK(are_equal(outputs, on_host({inputs.begin(), inputs.begin() + 64}, NttDirection::inverse, config)));
}

TEST_CASE("a pooled domain knows its pool, size and root, and gives each device its own", "[pool]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, 64);
    CHECK(domain.size() == 64);
    CHECK(domain.root() == ntt_root_of_unity<curve>(6));
    CHECK(domain.pool().devices() == pool.devices());
    CHECK(domain.domain_at(1).context().device() == 1);
    CHECK(&domain.domain_at(1).state() == &domain.domain_at(1).state());
    CHECK(error_of([&] { (void)domain.domain_at(2); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { PooledNttDomain<curve>(pool, 63); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { PooledNttDomain<curve>(pool, 64, Scalar{{1}}); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("what a pool cannot transform is refused at the caller's line", "[pool]") {
    const Machine machine(std::vector<SimulatedDevice>(3));
    const std::vector<int> ordinals{0, 1};
    const DevicePool pool = DevicePool::with_devices(machine.driver, ordinals);
    const PooledNttDomain<curve> domain(pool, 64);
    SlicedScalars elements = SlicedScalars::equal(pool, 2, 64);
    std::vector<Scalar> outputs(64);
    const auto refusal = [&](const PoolOperand<Scalar>& from, const NttConfig& config, const PoolOutputOperand<Scalar>& to,
                             ErrorCategory category, const char* text) {
        const Error error = error_of([&] { ntt<curve>(from, NttDirection::forward, domain, config, to); });
        CHECK(error.category() == category);
        CHECK_THAT(error.what(), contains_text(text));
        CHECK_THAT(error.location().file, contains_text("pooled_ntt_test"));
    };
    const auto& buffers = elements.buffers();
    const DeviceSpan<Scalar> first = elements.buffers()[0].span();
    const auto invalid = ErrorCategory::invalid_argument;
    refusal(buffers, {.are_outputs_on_device = true}, elements.buffers(), invalid, "are_inputs_on_device is not set");
    refusal(outputs, {.are_outputs_on_device = true}, outputs, invalid, "are_outputs_on_device is set");
    refusal(outputs, {.is_async = true}, outputs, ErrorCategory::unsupported, "is_async is set");
    refusal(outputs, {.coset_gen = Scalar{}}, outputs, invalid, "coset_gen is 0");
    refusal(outputs, {.batch_size = 0}, outputs, invalid, "batch_size is 0");
    refusal(outputs, {.batch_size = 3}, outputs, invalid, "do not divide evenly");
    refusal(outputs, {}, std::span(outputs).first(32), invalid, "room for 32");
    refusal(std::span(outputs).first(32), {}, std::span(outputs).subspan(1, 32), invalid, "overlap in part");
    refusal(buffers, on_devices({.batch_size = 2, .columns_batch = true}), elements.buffers(), ErrorCategory::unsupported, "columns_batch");
    refusal(buffers, on_devices({.batch_size = 1, .ordering = NttOrdering(77)}), elements.buffers(), invalid, "77 is no NttOrdering");
    const std::vector<DeviceSpan<Scalar>> twice{first, first};
    refusal(twice, on_devices(), twice, invalid, "second one there");
    const std::vector<DeviceSpan<Scalar>> misaligned{DeviceSpan<Scalar>(first.pointer() + 8, 31, 0)};
    refusal(misaligned, {.are_inputs_on_device = true}, std::span(outputs).first(31), invalid, "31 elements");
    refusal(DeviceSpan<Scalar>(first.pointer() + 8, 16, 0), {.are_inputs_on_device = true}, std::span(outputs).first(16), invalid,
            "no multiple of 16");
    refusal(first.subspan(0, 16), on_devices(), first.subspan(8, 16), invalid, "overlap in part");
    refusal(DeviceSpan<Scalar>(first.pointer(), 32, 2), {.are_inputs_on_device = true}, std::span(outputs).first(32),
            ErrorCategory::wrong_context, "which is not of the pool");

    SECTION("slices that do not hold whole transforms, or are not divided alike") {
        SlicedScalars uneven(pool, {0, 1}, {24, 40});
        refusal(uneven.buffers(), on_devices({.batch_size = 4}), uneven.buffers(), invalid, "no whole transforms of 16");
        SlicedScalars one(pool, {0, 1}, {16, 48});
        refusal(one.buffers(), on_devices({.batch_size = 4}), elements.buffers(), invalid, "not divided alike");
    }
    SECTION("a quarantined device") {
        pool.quarantine(1, "for a test");
        refusal(buffers, on_devices(), elements.buffers(), invalid, "quarantined");
        pool.quarantine(0, "for a test");
        refusal(outputs, {}, outputs, ErrorCategory::no_device, "quarantined");
    }
    SECTION("an operand on a device, of a pool of the host") {
        const PooledNttDomain<curve> of_host(DevicePool::host(1), 64);
        const Error error = error_of([&] { ntt<curve>(buffers, NttDirection::forward, of_host, on_devices(), elements.buffers()); });
        CHECK(error.category() == ErrorCategory::unsupported);
    }
}

// NOLINTBEGIN(bugprone-use-after-move): that is what it is about
TEST_CASE("a pooled domain that was moved from is refused, and so is one of a moved-from pool", "[pool]") {
    DevicePool pool = DevicePool::host(1);
    PooledNttDomain<curve> domain(pool, 64);
    const PooledNttDomain<curve> moved = std::move(domain);
    std::vector<Scalar> elements(64);
    CHECK(error_of([&] { (void)domain.size(); }).category() == ErrorCategory::wrong_context);
    CHECK(error_of([&] { ntt<curve>(elements, NttDirection::forward, domain, {}, elements); }).category() == ErrorCategory::wrong_context);
    const DevicePool other = std::move(pool);
    CHECK(error_of([&] { PooledNttDomain<curve>(pool, 64); }).category() == ErrorCategory::wrong_context);
    ntt<curve>(elements, NttDirection::forward, moved, {}, elements);  // it keeps the pool
}
// NOLINTEND(bugprone-use-after-move)

TEST_CASE("a pooled domain and permutation are refused in a forked child", "[pool]") {
    if (is_sanitized) CUPOOL_SKIP("skipped: the sanitizers do not survive a fork of several threads");
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, 64);
    const PooledPoseidon<curve> poseidon(pool, PoseidonVariant::poseidon2, 3);
    (void)domain.domain_at(0);
    (void)poseidon.poseidon_at(1);
    std::vector<Scalar> elements(64);
    CHECK(in_child([&]() -> std::string {
              const auto category = [](const auto& call) { return error_of(call).category(); };
              const auto forked = ErrorCategory::forked;
              if (category([&] { ntt<curve>(elements, NttDirection::forward, domain, {}, elements); }) != forked)
                  return "ntt is not refused";
              if (category([&] { (void)domain.domain_at(1); }) != forked) return "domain_at is not refused";
              if (category([&] { poseidon_hash<curve>(elements, poseidon, {}, std::span(elements).first(32)); }) != forked)
                  return "poseidon_hash is not refused";
              if (category([&] { (void)poseidon.poseidon_at(0); }) != forked) return "poseidon_at is not refused";
              if (category([&] { PooledNttDomain<curve>(pool, 64); }) != forked) return "a new domain is not refused";
              return "";
          }) == "");
}

TEST_CASE("threads share a pooled domain, in slices and in host memory", "[pool]") {
    const CheckedMachine machine(2);
    const DevicePool pool = DevicePool::all(machine.driver);
    const PooledNttDomain<curve> domain(pool, large);
    std::vector<std::future<bool>> are_right;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        are_right.push_back(std::async(std::launch::async, [&, seed] {
            const auto inputs = random_scalars(large, seed);
            const auto expected = on_host(inputs, NttDirection::forward, {});
            std::vector<Scalar> outputs(large);
            if (seed % 2 == 0) {
                ntt<curve>(inputs, NttDirection::forward, domain, {}, outputs);
                return are_equal(outputs, expected);
            }
            SlicedScalars elements = SlicedScalars::equal(pool, 2, large);
            elements.set(inputs);
            ntt<curve>(elements.buffers(), NttDirection::forward, domain, on_devices(), elements.buffers());
            return are_equal(elements.get(), expected);
        }));
    }
    for (std::future<bool>& is_right : are_right) CHECK(is_right.get());
}

TEST_CASE("too little memory of one device is an error that names the bytes, and leaks nothing", "[pool]") {
    if (is_sanitized) CUPOOL_SKIP("skipped: so many elements take the sanitizers minutes");
    Machine machine(std::vector<SimulatedDevice>(2));
    set_links(machine, 2, true);
    const DevicePool pool = DevicePool::all(machine.driver);
    constexpr std::size_t size = std::size_t{1} << 20;  // slices are more than a memory pool has reserved
    const PooledNttDomain<curve> domain(pool, size);
    (void)domain.domain_at(0);
    (void)domain.domain_at(1);
    SlicedScalars elements = SlicedScalars::equal(pool, 2, size);
    machine.simulator.plan_fault({.device = 1, .memory_left = 0});
    const Error error = error_of([&] { ntt<curve>(elements.buffers(), NttDirection::forward, domain, on_devices(), elements.buffers()); });
    CHECK(error.category() == ErrorCategory::out_of_memory);
    CHECK_THAT(error.what(), contains_text(std::to_string(size / 2 * sizeof(Scalar)) + " bytes"));
}

namespace {

/// Four devices, of which one can be made to fail in transforms that all compute.
struct FailingDevices {
    explicit FailingDevices(bool are_linked) { set_links(machine, 4, are_linked); }

    /// From host memory to slices, in slices, and to host memory.
    void transform() {
        std::vector<Scalar> outputs(inputs.size());
        ntt<curve>(inputs, NttDirection::forward, domain, {.are_outputs_on_device = true}, elements.buffers());
        ntt<curve>(elements.buffers(), NttDirection::inverse, domain, on_devices(), elements.buffers());
        ntt<curve>(elements.buffers(), NttDirection::forward, domain, {.are_inputs_on_device = true}, outputs);
        CHECK(are_equal(outputs, expected));
    }

    CheckedMachine machine{4};
    DevicePool pool = DevicePool::all(machine.driver);
    PooledNttDomain<curve> domain{pool, large};
    SlicedScalars elements = SlicedScalars::equal(pool, 4, large);
    std::vector<Scalar> inputs = random_scalars(large);
    std::vector<Scalar> expected = on_host(inputs, NttDirection::forward, {});
};

/// Streams that are found idle need not wait for each other.
bool is_needed_by_chance(const std::string& call) {
    return call == "cuStreamWaitEvent" || call == "cuEventRecord" || call == "cuStreamQuery";
}

}  // namespace

TEST_CASE("a device that faults or is lost in a transform of several is a typed error, and nothing hangs", "[pool]") {
    const bool are_linked = GENERATE(true, false);
    const auto duration = GENERATE(cupool_sim_sticky, cupool_sim_lost);
    for (std::uint64_t nth = 1;; nth += is_sanitized ? 19 : 3) {
        CAPTURE(are_linked, duration, nth);
        FailingDevices devices(are_linked);
        devices.transform();
        devices.machine.simulator.plan_fault({.device = 1, .nth = nth, .result = 700, .duration = duration});
        bool has_failed = false;
        try {
            devices.transform();
        } catch (const Error& error) {
            has_failed = true;
            CHECK(error.category() == ErrorCategory::device_fault);
            CHECK(devices.pool.fault().has_value());
            CHECK(error_of([&] { devices.transform(); }).category() == ErrorCategory::device_fault);
        }
        devices.machine.simulator.clear_faults();
        if (has_failed) continue;
        CHECK(nth > 1);
        break;
    }
}

TEST_CASE("each failing call of a transform of several devices is told, and the next transform is right", "[pool]") {
    const bool are_linked = GENERATE(true, false);
    const auto call =
        GENERATE("cuStreamQuery", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel", "cuMemcpyDtoHAsync",
                 "cuMemcpyHtoDAsync", "cuMemcpyPeerAsync", "cuMemAllocFromPoolAsync", "cuStreamSynchronize");
    FailingDevices devices(are_linked);
    devices.transform();
    const std::uint64_t before = devices.machine.simulator.call_count(call);
    devices.transform();
    const std::uint64_t calls = devices.machine.simulator.call_count(call) - before;
    for (std::uint64_t nth = 1; nth <= calls; nth += is_sanitized ? 7 : 1) {
        CAPTURE(are_linked, call, nth);
        devices.machine.simulator.plan_fault(call, nth, 999);
        try {
            devices.transform();
            devices.machine.simulator.clear_faults();
            CHECK(is_needed_by_chance(call));
        } catch (const Error& error) {
            CHECK(error.category() == ErrorCategory::internal);
        }
        devices.transform();
    }
}
