#pragma once

/// \file
/// Reads records anywhere in memory, one for each lane. If every lane reads its own, each 16 bytes of a record are a memory request, and an
/// H200 answers about 83 G of them a second (measured): 21 G points of 64 bytes, 14 G of 96. Here two neighbouring lanes read a record
/// together, 32 bytes a request, and exchange words through shared memory.

#include "support/device.cuh"

namespace cupool::device {

/// Reads the first `words` Vec4 of records.
template <int words>
class PairGather {
    static constexpr int reads = (words + 1) / 2;                ///< of a record by each lane of a pair
    static constexpr unsigned pair_words = 2 * (2 * reads) + 1;  ///< two records, and a gap against bank conflicts

public:
    /// Words that are on their way to the two lanes of a pair.
    struct Flight {
        Vec4 of_even[reads];  ///< every second word of the even lane's record
        Vec4 of_odd[reads];
    };

    /// Shared memory of a warp, in Vec4.
    static constexpr unsigned shared_words = warp_size / 2 * pair_words;

    /// Requests the record of each lane. All lanes of a warp call it together. \param record_at  called as record_at(index), the address of
    /// a record
    template <class RecordAt>
    CUPOOL_DEVICE static Flight ask(const RecordAt& record_at, std::uint32_t index) {
        const bool is_odd = thread_index() % 2 != 0;
        const std::uint32_t other = shuffle_butterfly(all_lanes, index, 1);
        const int half = is_odd ? 1 : 0;
        const Vec4* const even = record_at(is_odd ? other : index) + half;
        const Vec4* const odd = record_at(is_odd ? index : other) + half;
        Flight flight;
#pragma unroll
        for (int i = 0; i < reads; ++i) {
            const bool is_shared = 2 * i + 1 == words;  // both lanes read the last of an odd number of words
            flight.of_even[i] = even[2 * i - (is_shared ? half : 0)];
            flight.of_odd[i] = odd[2 * i - (is_shared ? half : 0)];
        }
        return flight;
    }

    /// Gives each lane its record. All lanes of a warp call it together. `shared` is the warp's own.
    CUPOOL_DEVICE static void receive(const Flight& flight, Vec4* shared, Vec4* record) {
        Vec4* const pair = shared + thread_index() % warp_size / 2 * pair_words;
        const unsigned half = thread_index() % 2;
#pragma unroll
        for (int i = 0; i < reads; ++i) {
            pair[2 * i + half] = flight.of_even[i];
            pair[2 * (reads + i) + half] = flight.of_odd[i];
        }
        warp_barrier();
#pragma unroll
        for (int i = 0; i < words; ++i) record[i] = pair[2 * reads * half + i];
        warp_barrier();
    }
};

}  // namespace cupool::device
