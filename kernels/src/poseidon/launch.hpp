#pragma once

/// \file
/// What a launch computes, for host and device. Device code includes this too: no standard library here but <cstdint>.

#include <cstdint>

namespace cupool::detail {

/// `count` sponges, each over inputs of its own: a state of zeros and the tag, to which each permutation first adds the next `rate`
/// elements. A hash absorbs its elements by one permutation; a permutation of a whole state has no tag.
template <class Element>
struct PoseidonLaunch {
    const Element* inputs;
    Element* outputs;
    const Element* constants;  ///< in Montgomery form, as PoseidonLayout or Poseidon2Layout has them
    std::uint64_t count;
    std::uint64_t input_stride;  ///< from the first element of one sponge to that of the next
    std::uint64_t input_length;  ///< elements that a sponge absorbs
    std::uint32_t width;
    std::uint32_t partial_rounds;
    std::uint32_t rate;
    std::uint32_t first_rate_position;  ///< in the state
    std::uint32_t tag_position;         ///< the width if there is no tag
    std::uint32_t first_output;         ///< in the state
    std::uint32_t output_length;        ///< elements of the state that a sponge gives
    std::uint32_t adds_inputs;          ///< the outputs are what the permutation gives plus what it got
    std::uint32_t is_montgomery_form;   ///< of inputs and outputs
    std::uint32_t unused[3];
    Element tag;  ///< in Montgomery form
};

}  // namespace cupool::detail
