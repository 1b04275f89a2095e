#include "transfer/upload_stager.hpp"

#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/pointer_info.hpp>
#include <string>

#include "support/parallel_for.hpp"

namespace cupool::detail {

UploadStager::UploadStager(ContextView context, const StagingSizes& sizes) : sizes_(sizes), stream_(context) {}

void UploadStager::copy(abi::DevicePointer to, const StridedHostSpan& from, unsigned threads) {
    if (is_staged(from) && stage(to, from, threads)) return;
    copy_strided_async(to, from, stream_);
}

bool UploadStager::is_staged(const StridedHostSpan& from) const {
    return from.size_bytes() >= sizes_.min_bytes && pointer_info(stream_.context(), from.first.data()).kind == MemoryKind::unregistered;
}

bool UploadStager::stage(abi::DevicePointer to, const StridedHostSpan& from, unsigned threads) {
    const std::size_t chunks = (from.size_bytes() + sizes_.chunk_bytes - 1) / sizes_.chunk_bytes;
    const auto lane_count = static_cast<unsigned>(std::min<std::size_t>({threads, sizes_.max_threads, chunks}));
    if (!has_lanes(lane_count)) return false;
    parallel_for(lane_count, lane_count, [&](std::size_t lane) {
        // Lane k takes chunks k, k + lane_count, ...: so all lanes are done at about the same time.
        for (std::size_t chunk = lane; chunk < chunks; chunk += lane_count) {
            stage_chunk(lanes_[lane], to, from, chunk * sizes_.chunk_bytes);
        }
    });
    return true;
}

void UploadStager::stage_chunk(Lane& lane, abi::DevicePointer to, const StridedHostSpan& from, std::size_t first) {
    const std::size_t bytes = std::min(sizes_.chunk_bytes, from.size_bytes() - first);
    const std::size_t index = lane.next++ % sizes_.chunks_a_thread;
    const std::span<std::byte> memory = lane.memory.span().subspan(index * sizes_.chunk_bytes, bytes);
    lane.emptied[index].synchronize();
    from.gather(memory, first);
    copy_async(DeviceSpan<std::byte>(to + first, bytes, stream_.ordinal()), memory, stream_);
    lane.emptied[index].record(stream_);
}

bool UploadStager::has_lanes(unsigned count) {
    try {
        while (lanes_.size() < count) {
            Lane lane{PinnedBuffer<std::byte>(sizes_.chunks_a_thread * sizes_.chunk_bytes, stream_.context()), {}};
            for (std::size_t i = 0; i < sizes_.chunks_a_thread; ++i) lane.emptied.emplace_back(stream_.context());
            lanes_.push_back(std::move(lane));
        }
        return true;
    } catch (const Error& error) {
        if (error.category() != ErrorCategory::out_of_memory) throw;
        log(LogLevel::info,
            std::string("ordinary memory is left to the driver to copy, as there is no page-locked memory: ") + error.what());
        return false;
    }
}

}  // namespace cupool::detail
