#pragma once

#include <CLI/CLI.hpp>
#include <cupool/pool/pooled_poseidon.hpp>
#include <string>

#include "program/outcome.hpp"

namespace cupool::tools {

inline constexpr const char* poseidon_curves_text =
    "Poseidon is defined over the scalars of bn254 and bls12-381; give one of them to --curve";

/// Which permutation.
struct PoseidonChoice {
    std::string name = "original";  ///< of the variant
    unsigned width = 3;

    PoseidonVariant variant() const;
    /// What a hash takes.
    std::size_t arity() const { return width - 1; }

    /// On the devices of a pool. \throws UsageError if the variant has no such width over this field
    template <Curve C>
    PooledPoseidon<C> permutation(const DevicePool& pool) const {
        try {
            return PooledPoseidon<C>(pool, variant(), width);
        } catch (const Error& error) {
            if (error.category() == ErrorCategory::unsupported) throw UsageError(error.message());
            throw;
        }
    }
};

/// Adds --variant and --width to a command.
void add_poseidon_choice(CLI::App& command, PoseidonChoice& choice);

}  // namespace cupool::tools
