#pragma once

#include <stdexcept>
#include <string>
#include <vector>

/// A driver call that failed, and the CUresult it answered.
struct GpuError : std::runtime_error {
    GpuError(const std::string& call, int answer) : std::runtime_error(call + " answered " + std::to_string(answer)), result(answer) {}
    int result;
};

/// Multiplies numbers by a factor on all GPUs, a share on each, with the kernel `scale` of a PTX text. Throws GpuError, and
/// std::runtime_error where there is no driver.
std::vector<float> scale(const std::string& ptx, std::vector<float> numbers, float factor);
