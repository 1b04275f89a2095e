#include "replicas/philox.hpp"

#include <array>

#include "catch.hpp"

using namespace cupool::detail;

// The known answers of Random123, kat_vectors: philox4x32 with 10 rounds.
TEST_CASE("Philox gives the known answers of its authors", "[replicas]") {
    struct Answer {
        RandomWords counter;
        std::uint64_t key;
        std::array<std::uint32_t, 4> words;
    };
    const Answer answers[] = {
        {{{0, 0, 0, 0}}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffffffffffff, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (const Answer& answer : answers) {
        const RandomWords random = philox(answer.counter, answer.key);
        for (int i = 0; i < 4; ++i) CHECK(random.words[i] == answer.words[static_cast<std::size_t>(i)]);
    }
}
