#pragma once

#include <cfenv>
#include <cstdint>

namespace cupool::ptx {

/// Sets the processor's rounding mode for the lifetime of this object. The calls to fesetround might access the lanes' memory, so the
/// compiler moves no arithmetic across them.
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
