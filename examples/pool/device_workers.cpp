// One worker process per device: each returns which device did what. If a worker dies, its job runs
// again; nothing else is lost.
//
// Users of CUDA.jl do the same with Distributed.jl: https://cuda.juliagpu.org/stable/usage/multigpu/
#include <cstdlib>
#include <cstring>
#include <cupool/cupool.hpp>
#include <iostream>
#include <numeric>
#include <vector>

namespace {

/// Runs in the worker: sums the numbers 1 to n on its device and returns a line for the log.
std::vector<std::byte> sum_to(const cupool::DevicePool& device, std::span<const std::byte> input) {
    int n = 0;
    std::memcpy(&n, input.data(), sizeof(n));
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 1);
    std::int64_t sum = 0;
    device.reduce<std::int64_t>(std::span<const std::int64_t>(numbers), cupool::ReduceOperation::sum, sum);
    const std::string who = device.is_host() ? "the host" : device.identity_at(0).uuid;
    const std::string line = "1 + ... + " + std::to_string(n) + " = " + std::to_string(sum) + " on " + who;
    const auto bytes = std::as_bytes(std::span(line));
    return {bytes.begin(), bytes.end()};
}

}  // namespace

int main(int argc, char** argv) {
    cupool::register_worker_function("sum_to", sum_to);
    cupool::serve_if_worker(argc, argv);  // workers are further processes of this program
    try {
        const auto pool = cupool::WorkerPool::start();
        std::vector<std::future<std::vector<std::byte>>> lines;
        for (int n = 1000; n <= 8000; n += 1000) lines.push_back(pool.call("sum_to", std::as_bytes(std::span(&n, 1))));
        for (auto& line : lines) {
            const std::vector<std::byte> bytes = line.get();
            std::cout << std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) << '\n';
        }
        std::cout << pool.metrics();
        return EXIT_SUCCESS;
    } catch (const cupool::Error& error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
