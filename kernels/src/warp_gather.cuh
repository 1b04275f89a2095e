#pragma once

/// \file
/// Reading records that lie anywhere in memory, one for each lane of a warp. Where every lane reads its own record, each of the record's
/// 16-byte words is a request of its own to a memory that answers some 36 G requests a second, however short (an H200, measured). Here
/// neighbouring lanes read neighbouring words, so that a record is one request or two, and the words are handed to their lanes through
/// shared memory: 64-byte points come 1.6 times as fast, 96-byte ones 1.9 times.

#include "device.cuh"

namespace cupool::device {

/// Reads records of `words` Quads.
template <int words>
class WarpGather {
    /// Quads that are both whole records and whole rows of banks, eight Quads each. After each of these a Words4 is left out, so that lanes that read the same word of their records meet
    /// in no bank.
    static constexpr unsigned period = words % 8 == 0 ? words : words % 4 == 0 ? 2 * words : words % 2 == 0 ? 4 * words : 8 * words;

public:
    /// Quads of shared memory that a warp needs.
    static constexpr unsigned shared_quads = warp_size * words + warp_size * words / period;

    /// What has been asked for, and is on its way to any lane.
    struct Flight {
        Words4 quads[words];
    };

    /// Asks for the Quads of the record of each lane, which begins at from[start]. All lanes together.
    CUPOOL_DEVICE static Flight ask(const Words4* from, std::uint64_t stride, std::uint32_t record) {
        Flight flight;
#pragma unroll
        for (unsigned i = 0; i < words; ++i) {
            const unsigned position = i * warp_size + lane_index();
            const std::uint32_t its_record = shuffle_within(all_lanes, record, position / words, warp_size);
            flight.quads[i] = from[its_record * stride + position % words];
        }
        return flight;
    }

    /// Hands each lane its record. `shared` is the warp's own. All lanes together.
    CUPOOL_DEVICE static void receive(const Flight& flight, Words4* shared, Words4* record) {
#pragma unroll
        for (unsigned i = 0; i < words; ++i) shared[spread(i * warp_size + lane_index())] = flight.quads[i];
        warp_barrier();
#pragma unroll
        for (unsigned i = 0; i < words; ++i) record[i] = shared[spread(lane_index() * words + i)];
        warp_barrier();
    }

private:
    CUPOOL_DEVICE static unsigned spread(unsigned position) { return position + position / period; }
};

}  // namespace cupool::device
