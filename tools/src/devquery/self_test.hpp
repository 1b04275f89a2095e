#pragma once

#include <cstddef>
#include <cupool/driver/probe.hpp>
#include <memory>
#include <string>
#include <vector>

namespace cupool::tools {

/// How to test.
struct SelfTestOptions {
    std::size_t memory_bytes = 0;  ///< of each device to test; 0: a quarter of what is free
    double seconds = 0;            ///< repeat all tests until so much time has passed; they run once at least
};

/// A test of a device.
struct SelfTestResult {
    std::string name;     ///< "memory", "reduction" or "msm"
    int runs = 0;         ///< how often it ran, up to its first failure
    std::string finding;  ///< what went wrong; empty if nothing did

    bool passed() const { return finding.empty(); }
};

/// All tests of a device.
struct DeviceSelfTest {
    ProbedDevice device;
    std::size_t memory_bytes = 0;  ///< that were tested
    std::vector<SelfTestResult> tests;

    bool passed() const;
};

/// Tests one device after the other: patterns in its memory, a reduction and an MSM beside the same
/// on the host. A failure becomes a finding, and the tests of the other devices go on.
/// \throws UsageError, before any test, if a device has less free memory than is to be tested
std::vector<DeviceSelfTest> run_self_tests(const std::shared_ptr<const Driver>& driver, const std::vector<ProbedDevice>& devices,
                                           const SelfTestOptions& options);

}  // namespace cupool::tools
