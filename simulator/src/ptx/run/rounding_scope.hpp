#pragma once

#include <cfenv>
#include <cstdint>

namespace cupool::ptx {

/// The processor's rounding mode is another for as long as this lives: one of enum Rounding. Lanes in between read and write memory that
/// the calls to fesetround might touch, so the compiler moves no arithmetic across them.
class RoundingScope {
public:
    explicit RoundingScope(std::uint8_t rounding) : before_(std::fegetround()) {
        constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(modes[rounding & 3]);
    }
    ~RoundingScope() { std::fesetround(before_); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

private:
    int before_;
};

}  // namespace cupool::ptx
