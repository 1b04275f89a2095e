#pragma once

#include <cstdint>

namespace cupool::ptx {

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014; constants of Vigna's version).
/// Unlike the distributions of <random>, it gives the same numbers on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return mixed ^ (mixed >> 31);
    }

    /// A number from 0 to count - 1, with a bias below count / 2^64.
    std::uint64_t below(std::uint64_t count) { return next() % count; }

private:
    std::uint64_t state_;
};

}  // namespace cupool::ptx
