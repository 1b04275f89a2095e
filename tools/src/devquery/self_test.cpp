#include "devquery/self_test.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/reduce.hpp>
#include <functional>
#include <optional>
#include <random>

#include "devquery/pattern_kernels.hpp"
#include "io/progress.hpp"
#include "io/size_text.hpp"
#include "program/error_text.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t free_memory_divisor = 4;
constexpr std::size_t reduced_elements = std::size_t{1} << 16;
constexpr std::size_t msm_terms = std::size_t{1} << 8;
constexpr auto curve = Curve::bn254;

std::string describe(const WrongWord& wrong, const char* pattern) {
    char text[160];
    std::snprintf(text, sizeof text, "%s: %llu %s wrong, the first at byte %llu: 0x%08x was written, 0x%08x was read", pattern,
                  static_cast<unsigned long long>(wrong.count), wrong.count == 1 ? "word is" : "words are",
                  static_cast<unsigned long long>(wrong.index * sizeof(std::uint32_t)), wrong.expected, wrong.found);
    return text;
}

/// Patterns in the memory of a device: constants, a bit that walks, and the address of each word.
class MemoryTest {
public:
    MemoryTest(const DeviceContext& context, std::size_t bytes) : context_(context), kernels_(context), memory_(bytes / 4, context) {}

    std::size_t bytes() const { return memory_.size_bytes(); }

    /// One round has all patterns; which bit walks depends on the round. \return a finding, or empty
    std::string run(int round) {
        const auto walking = std::uint32_t{1} << (round % 32);
        for (const auto constant : {0x00000000U, 0xffffffffU, 0x55555555U, 0xaaaaaaaaU, walking, ~walking}) {
            fill(memory_.span(), constant, context_.stream());
            if (const auto wrong = kernels_.find_wrong_word(memory_.span(), constant, 0)) return describe(*wrong, "constant");
        }
        constexpr std::uint32_t odd_step = 2654435761;  // different words at addresses that differ in any bit
        kernels_.write(memory_.span(), walking, odd_step);
        if (const auto wrong = kernels_.find_wrong_word(memory_.span(), walking, odd_step)) return describe(*wrong, "addresses");
        return {};
    }

private:
    DeviceContext context_;
    PatternKernels kernels_;
    DeviceBuffer<std::uint32_t> memory_;
};

std::string test_reduction(const DeviceContext& context, std::mt19937_64& random) {
    std::vector<std::uint64_t> elements(reduced_elements);
    for (auto& element : elements) element = random();
    std::uint64_t on_device = 0;
    std::uint64_t on_host = 0;
    reduce<std::uint64_t>(std::span<const std::uint64_t>(elements), ReduceOperation::sum, context, on_device);
    reduce<std::uint64_t>(std::span<const std::uint64_t>(elements), ReduceOperation::sum, DeviceContext::host(), on_host);
    return on_device == on_host ? "" : "the sum of 65536 numbers differs from that on the host";
}

std::string test_msm(const DeviceContext& context, std::mt19937_64& random) {
    const auto points = generator_multiples<curve>(1, msm_terms);
    std::vector<Scalar> scalars(points.size());
    for (auto& scalar : scalars) {
        for (auto& limb : scalar.limbs) limb = random();
    }
    const auto msm_in = [&](const DeviceContext& where) {
        MsmConfig config;
        config.ctx = where;
        JacobianPoint<curve> sum;
        msm<curve>(std::span<const Scalar>(scalars), std::span<const AffinePoint<curve>>(points), config, sum);
        return to_affine(sum);
    };
    return msm_in(context) == msm_in(DeviceContext::host()) ? "" : "the MSM of 256 terms on BN254 differs from that on the host";
}

/// Runs a test once more, unless it has failed before.
void run_once_more(SelfTestResult& result, const std::function<std::string()>& test) {
    if (!result.passed()) return;
    ++result.runs;
    try {
        result.finding = test();
    } catch (const Error& error) {
        result.finding = error_text(error);
    }
}

/// A device and its context, or why it has none.
struct OpenedDevice {
    ProbedDevice device;
    std::optional<DeviceContext> context{};
    std::size_t free_memory = 0;
    std::string failure{};
};

OpenedDevice open_device(const std::shared_ptr<const Driver>& driver, const ProbedDevice& device) {
    OpenedDevice opened{device};
    try {
        auto context = DeviceContext::for_device(driver, device.ordinal);
        opened.free_memory = context.context().memory_info().free;
        opened.context = std::move(context);
    } catch (const Error& error) {
        opened.failure = error_text(error);
    }
    return opened;
}

void require_free_memory(const OpenedDevice& opened, std::size_t bytes) {
    if (!opened.context || bytes <= opened.free_memory) return;
    throw UsageError("--memory asks for " + size_text(bytes) + ", and GPU " + std::to_string(opened.device.ordinal) + " has " +
                     size_text(opened.free_memory) + " free");
}

DeviceSelfTest test_device(const OpenedDevice& opened, const SelfTestOptions& options) {
    const auto& device = opened.device;
    DeviceSelfTest results{device, 0, {{"memory", 0, {}}, {"reduction", 0, {}}, {"msm", 0, {}}}};
    if (!opened.context) {  // nothing can run
        results.tests[0].runs = 1;
        results.tests[0].finding = opened.failure;
        return results;
    }
    const auto& context = *opened.context;
    Progress progress("GPU " + std::to_string(device.ordinal));
    progress.show();
    std::mt19937_64 random(std::random_device{}());
    std::optional<MemoryTest> memory;
    const auto start = Clock::now();
    const auto elapsed = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    int round = 0;
    do {
        progress.update(static_cast<std::uint64_t>(elapsed()), static_cast<std::uint64_t>(options.seconds));
        run_once_more(results.tests[0], [&] {
            if (!memory) {
                memory.emplace(context.with_memory_pool({}),
                               options.memory_bytes != 0 ? options.memory_bytes : opened.free_memory / free_memory_divisor);
                results.memory_bytes = memory->bytes();
            }
            return memory->run(round);
        });
        run_once_more(results.tests[1], [&] { return test_reduction(context, random); });
        run_once_more(results.tests[2], [&] { return test_msm(context, random); });
        ++round;
    } while (elapsed() < options.seconds && results.passed());
    return results;
}

}  // namespace

bool DeviceSelfTest::passed() const {
    return std::all_of(tests.begin(), tests.end(), [](const SelfTestResult& test) { return test.passed(); });
}

std::vector<DeviceSelfTest> run_self_tests(const std::shared_ptr<const Driver>& driver, const std::vector<ProbedDevice>& devices,
                                           const SelfTestOptions& options) {
    std::vector<OpenedDevice> opened;
    for (const auto& device : devices) opened.push_back(open_device(driver, device));
    for (const auto& device : opened) require_free_memory(device, options.memory_bytes);
    std::vector<DeviceSelfTest> results;
    for (const auto& device : opened) results.push_back(test_device(device, options));
    return results;
}

}  // namespace cupool::tools
