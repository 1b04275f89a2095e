#pragma once

/// \file
/// The names that the fragments of the documentation take for given, by page. They are declared and never defined: fragments compile and
/// do not run.

#include <array>
#include <cmath>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cupool/cluster/mpi_pool.hpp>
#include <cupool/cupool.hpp>
#include <functional>
#include <future>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#if defined(CUPOOL_SIMULATOR_LIBRARY)
#include <cupool/simulator/simulator.hpp>
#endif

extern const std::string ptx;
extern const unsigned blocks;
extern const std::uint32_t count;
inline constexpr auto curve = cupool::Curve::bn254;

namespace driver {
extern cupool::DeviceBuffer<float> buffer;
extern const std::vector<float> input;
}  // namespace driver

namespace cluster {
extern const std::uint64_t terms;
extern const std::vector<cupool::Scalar> scalars;
extern const std::vector<cupool::AffinePoint<curve>> points;
}  // namespace cluster

namespace pool {
extern const std::size_t total;
extern const double terms;
extern const std::vector<cupool::Scalar> scalars;
extern const std::vector<cupool::AffinePoint<curve>> points;
extern cupool::JacobianPoint<curve> result;
extern const std::vector<cupool::DeviceBuffer<cupool::Scalar>> slices;
extern const cupool::DeviceSpan<float> on_device_0, on_device_1;
extern std::vector<cupool::DeviceBuffer<float>> values;
extern const std::vector<std::vector<float>> inputs;
extern const std::vector<cupool::DeviceSpan<float>> gradients, sums, wholes;
extern const std::vector<cupool::DeviceSpan<const float>> addends, parts;
extern const cupool::DeviceSpan<const float> source;
extern const std::vector<cupool::Kernel<cupool::DeviceSpan<float>, float, std::uint32_t>> scale;
unsigned blocks_for(std::size_t items);
void run();
void run_on(int device);
float f();
void g(const cupool::DeviceContext& context);
struct Executor {
    void run(const std::function<void()>& function);
};
extern Executor executor;
}  // namespace pool

namespace msm {
extern cupool::MsmConfig config;
extern const cupool::PreparedBases<curve> bases;
extern const cupool::DeviceBuffer<cupool::Scalar> scalars;
extern const cupool::LaunchShape shape;
extern const cupool::Kernel<cupool::DeviceSpan<cupool::JacobianPoint<curve>>> next_step;
}  // namespace msm

namespace ntt {
extern const std::vector<cupool::Scalar> coefficients;
extern cupool::DeviceBuffer<cupool::Scalar> left, right;
extern const std::vector<cupool::Scalar> four_polynomials;
extern std::vector<cupool::DeviceBuffer<cupool::Scalar>> slices;
}  // namespace ntt

namespace poseidon {
extern const std::vector<cupool::Scalar> elements;
extern const cupool::DeviceBuffer<cupool::Scalar> leaves;
}  // namespace poseidon

namespace workers {
extern const int argc;
extern const char* const* const argv;
extern const std::size_t count;
extern const std::vector<cupool::AffinePoint<curve>> points;
extern const std::span<cupool::JacobianPoint<curve>> results;
void fill(std::span<cupool::Scalar> scalars);
std::vector<std::byte> prove(const cupool::DevicePool& device, std::span<const std::byte> input);
}  // namespace workers

#if defined(CUPOOL_SIMULATOR_LIBRARY)
namespace simulator {
extern cupool::Simulator simulator;
extern const std::vector<cupool::SimulatedDevice> four_gpus;
int my_program();
extern const int expected;
}  // namespace simulator
#endif

// In place of a test framework's:
#define TEST_CASE(name) if (static_cast<void>(name); true)
#define CHECK(expression) static_cast<void>(expression)
#define CHECK_THROWS(expression) static_cast<void>(expression)
#define INFO(message) static_cast<void>(std::cerr << message)
