#pragma once

#include <cstdint>

#include "support/host_device.hpp"

namespace cupool::detail {

/// Four random words.
struct RandomWords {
    std::uint32_t words[4];
};

/// Philox4x32-10: random words that are a function of a counter and a key (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
/// as 1, 2, 3", SC 2011; the constants are theirs). Equal on the host and on devices.
CUPOOL_HOST_DEVICE RandomWords philox(RandomWords counter, std::uint64_t key) {
    auto key0 = static_cast<std::uint32_t>(key);
    auto key1 = static_cast<std::uint32_t>(key >> 32);
    std::uint32_t c0 = counter.words[0];
    std::uint32_t c1 = counter.words[1];
    std::uint32_t c2 = counter.words[2];
    std::uint32_t c3 = counter.words[3];
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53} * c0;
        const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c2;
        c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ key0;
        c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ key1;
        c1 = static_cast<std::uint32_t>(product1);
        c3 = static_cast<std::uint32_t>(product0);
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    return {{c0, c1, c2, c3}};
}

/// The streams of random numbers of a run, which never use the same counter.
enum class RandomStream : std::uint32_t { sweeps, exchanges, first_states };

/// Word `index` and the three after it of a replica's numbers in a sweep.
CUPOOL_HOST_DEVICE RandomWords random_words(std::uint64_t seed, RandomStream stream, std::uint32_t replica, std::uint64_t sweep,
                                            std::uint32_t index) {
    // A run has less than 2^24 replicas, and makes less than 2^40 sweeps: the bits of both and of the stream fit into three words.
    const std::uint32_t high = static_cast<std::uint32_t>(sweep >> 32) << 24 | (replica & 0xffffff);
    return philox({{index, static_cast<std::uint32_t>(sweep), high, static_cast<std::uint32_t>(stream)}}, seed);
}

}  // namespace cupool::detail
