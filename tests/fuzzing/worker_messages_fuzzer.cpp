// Fuzzes what a worker process reads from its pool. The input is a byte that chooses one of cupool's own functions, and the argument of the
// call. Operands may lie in one shared memory, which holds points and scalars.
#include <array>
#include <cstring>
#include <cupool/kernels/point.hpp>
#include <memory>

#include "fuzz_input.hpp"
#include "worker_process/shared_memory.hpp"
#include "worker_process/worker_messages.hpp"
#include "worker_process/worker_registry.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::uint64_t memory_id = 1;
constexpr std::size_t terms = 16;
constexpr std::array names{"cupool.msm", "cupool.prepare", "cupool.reduce", "cupool.kernel"};

/// A worker on one thread of the host, with shared memory: `terms` points of BN254, then as many small scalars.
std::unique_ptr<detail::WorkerState> worker() {
    auto state = std::make_unique<detail::WorkerState>(DevicePool::host(1));
    const auto points = generator_multiples<Curve::bn254>(1, terms);
    const std::vector<Scalar> scalars(terms, Scalar{{3}});
    const auto point_bytes = std::as_bytes(std::span(points));
    const auto scalar_bytes = std::as_bytes(std::span(scalars));
    const detail::SharedMemory memory(point_bytes.size() + scalar_bytes.size());
    std::memcpy(memory.bytes().data(), point_bytes.data(), point_bytes.size());
    std::memcpy(memory.bytes().data() + point_bytes.size(), scalar_bytes.data(), scalar_bytes.size());
    state->attach(memory_id, memory.file(), memory.bytes().size());
    return state;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::unique_ptr<detail::WorkerState> state = worker();
    FuzzInput input(data, size);
    const std::string name = names[input.take_byte() % names.size()];
    try {
        (void)detail::call_function(*state, name, std::as_bytes(input.bytes()));
    } catch (const Error& error) {
        must_hold(error.category() != ErrorCategory::internal, "a wrong call is no internal error");
        (void)detail::read_error(detail::error_payload(error));
    }
    return 0;
}
