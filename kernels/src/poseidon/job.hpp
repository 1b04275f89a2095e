#pragma once

#include <cstdint>
#include <cupool/kernels/poseidon.hpp>
#include <vector>

#include "poseidon/state.hpp"

namespace cupool::detail {

/// Sponges of one shape, each over inputs of its own: see PoseidonLaunch.
struct PoseidonSponges {
    std::uint64_t count;
    std::uint64_t first_input = 0;
    std::uint64_t input_stride;
    std::uint64_t input_length;
    std::uint32_t rate;
    std::uint32_t first_rate_position = 0;
    std::uint32_t tag_position;  ///< the width if there is no tag
    std::uint32_t first_output = 0;
    std::uint32_t output_length = 1;
    bool adds_inputs = false;

    std::uint64_t output_count() const { return count * output_length; }
};

/// Sponges over the outputs of the previous row, those of the first row over the inputs of the job.
struct PoseidonRow {
    PoseidonSponges sponges;
    bool is_kept = true;             ///< among the job's outputs
    std::uint64_t first_output = 0;  ///< there
};

/// A checked call.
template <Curve C>
struct PoseidonJob {
    Operand<Scalar> inputs;
    const PoseidonState<C>& poseidon;
    const PoseidonConfig& config;
    OutputOperand<Scalar> outputs;
    std::vector<PoseidonRow> rows;
    ScalarField<C> tag;
};

}  // namespace cupool::detail
