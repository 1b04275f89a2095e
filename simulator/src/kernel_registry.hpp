#pragma once

#include <optional>
#include <string>

#include <cupool/simulator/simulator.hpp>

namespace cupool::simulator {

/// A host function that stands in for the kernels of a name.
struct RegisteredKernel {
    CupoolSimKernel function;
    void* user;
};

/// A null function takes the registration back.
void register_kernel(const std::string& name, RegisteredKernel kernel);
std::optional<RegisteredKernel> registered_kernel(const std::string& name);
void clear_registered_kernels();

}  // namespace cupool::simulator
