#include <cupool/kernels/curve.hpp>
#include <ostream>

#include "curve/for_each_curve.hpp"

namespace cupool {

std::string to_string(Curve curve) {
    switch (curve) {
        case Curve::bn254: return "bn254";
        case Curve::bls12_381: return "bls12-381";
        case Curve::bls12_377: return "bls12-377";
        case Curve::bn254_g2: return "bn254-g2";
        case Curve::bls12_381_g2: return "bls12-381-g2";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, Curve curve) { return out << to_string(curve); }

std::optional<Curve> curve_from_name(std::string_view name) {
#define CUPOOL_COMPARE(C) \
    if (name == to_string(C)) return C;
    CUPOOL_FOR_EACH_CURVE(CUPOOL_COMPARE)
#undef CUPOOL_COMPARE
    return std::nullopt;
}

}  // namespace cupool
