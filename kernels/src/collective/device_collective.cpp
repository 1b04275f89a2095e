#include "collective/device_collective.hpp"

#include <algorithm>
#include <cupool/driver/module.hpp>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "collective/collective_code.hpp"

namespace cupool::detail {

namespace {

constexpr unsigned block_size = 256;
constexpr std::uint64_t vector_bytes = 16;
/// More threads read no faster: the links are the limit.
constexpr unsigned blocks_a_multiprocessor = 4;

/// The collectives' kernels in one context: a module for each element type, loaded when first needed.
class CollectiveKernels {
public:
    explicit CollectiveKernels(ContextView context)
        : context_(context), max_blocks_(blocks_a_multiprocessor * static_cast<unsigned>(context.device().multiprocessor_count())) {}

    Kernel<PeerArrays> combine_peers(PeerElement element, ReduceOperation operation) {
        const std::lock_guard lock(mutex_);
        auto module = modules_.find(element.code);
        if (module == modules_.end()) module = modules_.emplace(element.code, load(context_, *element.code)).first;
        auto kernel = kernels_.find({element.code, operation});
        if (kernel == kernels_.end()) {
            auto found = module->second.kernel<PeerArrays>("combine_peers_" + to_string(operation));
            kernel = kernels_.emplace(std::pair(element.code, operation), std::move(found)).first;
        }
        return kernel->second;
    }
    unsigned max_blocks() const { return max_blocks_; }

private:
    ContextView context_;
    unsigned max_blocks_;
    std::mutex mutex_;
    std::map<const ShippedCode*, Module> modules_;
    std::map<std::pair<const ShippedCode*, ReduceOperation>, Kernel<PeerArrays>> kernels_;  ///< the driver is asked for each once
};

/// How many elements lie before the first 16-byte boundary, if that is the same of all arrays; else `count`.
std::uint64_t common_head(const PeerArrays& arrays, std::uint64_t element_bytes) {
    const auto has_same_boundary = [&](std::uint64_t address) { return address % vector_bytes == arrays.inputs[0] % vector_bytes; };
    if (!std::all_of(arrays.inputs, arrays.inputs + arrays.input_count, has_same_boundary) ||
        !std::all_of(arrays.outputs, arrays.outputs + arrays.output_count, has_same_boundary)) {
        return arrays.count;
    }
    const std::uint64_t past_boundary = arrays.inputs[0] % vector_bytes;
    const std::uint64_t head_bytes = past_boundary == 0 ? 0 : vector_bytes - past_boundary;
    return std::min(arrays.count, head_bytes / element_bytes);
}

unsigned block_count(const PeerArrays& arrays, std::uint64_t element_bytes, unsigned max_blocks) {
    const std::uint64_t vectors = (arrays.count - arrays.head) * element_bytes / vector_bytes;
    const std::uint64_t threads = std::max(vectors, arrays.head) + 1;
    return static_cast<unsigned>(std::min<std::uint64_t>((threads + block_size - 1) / block_size, max_blocks));
}

}  // namespace

#define CUPOOL_PEER_ELEMENT(T, type)                   \
    template <>                                        \
    PeerElement peer_element<T>() {                    \
        return {&collective_##type##_code, sizeof(T)}; \
    }
CUPOOL_PEER_ELEMENT(std::int8_t, i8)
CUPOOL_PEER_ELEMENT(std::uint8_t, u8)
CUPOOL_PEER_ELEMENT(std::int16_t, i16)
CUPOOL_PEER_ELEMENT(std::uint16_t, u16)
CUPOOL_PEER_ELEMENT(std::int32_t, i32)
CUPOOL_PEER_ELEMENT(std::uint32_t, u32)
CUPOOL_PEER_ELEMENT(std::int64_t, i64)
CUPOOL_PEER_ELEMENT(std::uint64_t, u64)
CUPOOL_PEER_ELEMENT(Float16, f16)
CUPOOL_PEER_ELEMENT(BFloat16, bf16)
CUPOOL_PEER_ELEMENT(float, f32)
CUPOOL_PEER_ELEMENT(double, f64)
#undef CUPOOL_PEER_ELEMENT

void combine_peers(PeerElement element, ReduceOperation operation, std::span<const abi::DevicePointer> inputs,
                   std::span<const abi::DevicePointer> outputs, std::uint64_t count, const DeviceContext& context) {
    PeerArrays arrays{};
    std::copy(inputs.begin(), inputs.end(), arrays.inputs);
    std::copy(outputs.begin(), outputs.end(), arrays.outputs);
    arrays.input_count = static_cast<std::uint32_t>(inputs.size());
    arrays.output_count = static_cast<std::uint32_t>(outputs.size());
    arrays.count = count;
    arrays.head = common_head(arrays, element.bytes);
    const auto kernels = context.resource<CollectiveKernels>();
    const unsigned blocks = block_count(arrays, element.bytes, kernels->max_blocks());
    kernels->combine_peers(element, operation).launch({blocks, block_size}, context.stream(), arrays);
}

}  // namespace cupool::detail
