#include <algorithm>
#include <future>
#include <utility>

#include "mpi_pool_state.hpp"
#include "worker_process/message_bytes.hpp"

namespace cupool {

namespace {

using detail::MessageReader;
using detail::MessageWriter;

/// FNV-1a (Fowler, Noll, Vo; IETF draft-eastlake-fnv), by which ranks tell whether they have the same works.
class Hash {
public:
    Hash& add(std::span<const std::byte> bytes) {
        add_number(bytes.size());
        for (const std::byte byte : bytes) state_ = (state_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
        return *this;
    }
    Hash& add(const std::string& text) { return add(std::as_bytes(std::span(text))); }
    Hash& add_number(std::uint64_t number) {
        for (int shift = 0; shift < 64; shift += 8) state_ = (state_ ^ (number >> shift & 0xff)) * 0x100000001b3;
        return *this;
    }
    std::uint64_t value() const noexcept { return state_; }

private:
    std::uint64_t state_ = 0xcbf29ce484222325;
};

std::uint64_t hash_of(std::span<const KernelWork> works) {
    Hash hash;
    for (const KernelWork& work : works) {
        hash.add(work.ptx).add(work.kernel);
        for (const Extent& extent : {work.shape.grid, work.shape.block})
            hash.add_number(extent.x).add_number(extent.y).add_number(extent.z);
        hash.add_number(work.shape.dynamic_shared_bytes).add_number(work.operands.size());
        for (const KernelOperand& operand : work.operands) hash.add_number(static_cast<std::uint64_t>(operand.kind)).add(operand.bytes);
    }
    return hash.value();
}

std::vector<std::byte> serialized(const std::vector<KernelOutputs>& all) {
    MessageWriter writer;
    for (const KernelOutputs& outputs : all) {
        writer.number<std::uint64_t>(outputs.bytes_moved).number<std::uint64_t>(outputs.arrays.size());
        for (const std::vector<std::byte>& array : outputs.arrays) writer.bytes(array);
    }
    return writer.take();
}

KernelOutputs next_outputs(MessageReader& reader) {
    KernelOutputs outputs;
    outputs.bytes_moved = reader.number<std::uint64_t>();
    const auto count = reader.number<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::span<const std::byte> bytes = reader.bytes();
        outputs.arrays.emplace_back(bytes.begin(), bytes.end());
    }
    return outputs;
}

std::vector<double> device_counts(const std::vector<RankInfo>& ranks) {
    std::vector<double> counts;
    for (const RankInfo& rank : ranks) counts.push_back(static_cast<double>(rank.device_count));
    return counts;
}

/// Runs them at once on the devices of the pool. All have ended when it returns or throws.
std::vector<KernelOutputs> run_on(const DevicePool& pool, std::span<const KernelWork> works) {
    std::vector<std::future<KernelOutputs>> futures;
    for (const KernelWork& work : works) futures.push_back(pool.submit_kernel(work));
    for (const std::future<KernelOutputs>& future : futures) future.wait();
    std::vector<KernelOutputs> outputs;
    for (std::future<KernelOutputs>& future : futures) outputs.push_back(future.get());
    return outputs;
}

}  // namespace

std::vector<KernelOutputs> MpiPool::run_kernels(std::span<const KernelWork> works, SourceLocation where) const {
    State& all = state(where);
    std::vector<KernelOutputs> outputs;
    all.collective_call(where, [&](MpiReport&) {
        const std::vector<double> weights = device_counts(all.ranks);
        std::vector<std::byte> own;
        const std::exception_ptr failure = detail::failure_of([&] {
            if (*std::max_element(weights.begin(), weights.end()) == 0)
                throw Error(ErrorCategory::no_device, "no rank has a device to run kernels on");
            const RankShare share = all.share_of(all.link.rank(), works.size(), weights);
            if (share.count != 0) own = serialized(run_on(all.pool, works.subspan(share.offset, share.count)));
        });
        const std::string call = "run_kernels of " + std::to_string(works.size()) + " works with hash " + std::to_string(hash_of(works));
        const auto payloads = detail::agree(all.link, {call, std::move(own), failure});
        for (std::size_t rank = 0; rank < payloads.size(); ++rank) {
            MessageReader reader(payloads[rank]);
            const std::uint64_t count = all.share_of(static_cast<int>(rank), works.size(), weights).count;
            for (std::uint64_t i = 0; i < count; ++i) outputs.push_back(next_outputs(reader));
        }
    });
    return outputs;
}

}  // namespace cupool
