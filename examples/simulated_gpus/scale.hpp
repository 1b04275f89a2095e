#pragma once

#include <stdexcept>
#include <string>
#include <vector>

/// A failed driver call and its CUresult.
struct GpuError : std::runtime_error {
    GpuError(const std::string& call, int answer) : std::runtime_error(call + " answered " + std::to_string(answer)), result(answer) {}
    int result;
};

/// Multiplies numbers by a factor on all GPUs, a slice on each, with the kernel `scale` of a PTX text.
/// \throws GpuError, and std::runtime_error if there is no driver
std::vector<float> scale(const std::string& ptx, std::vector<float> numbers, float factor);
