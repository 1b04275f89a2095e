#include "formats/compressed_point.hpp"

#include <algorithm>
#include <cupool/kernels/point.hpp>

#include "formats/limbs.hpp"
#include "formats/point_checks.hpp"

namespace cupool::tools {
namespace {

constexpr std::uint8_t zcash_flags = 0xe0;
constexpr std::uint8_t zcash_compressed = 0x80;
constexpr std::uint8_t zcash_infinity = 0x40;
constexpr std::uint8_t zcash_larger = 0x20;

constexpr std::uint8_t gnark_flags = 0xc0;
constexpr std::uint8_t gnark_infinity = 0x40;
constexpr std::uint8_t gnark_smaller = 0x80;
constexpr std::uint8_t gnark_larger = 0xc0;

template <std::size_t Size>
std::array<std::uint8_t, Size> without_flags(std::span<const std::uint8_t, Size> bytes, std::uint8_t flags) {
    std::array<std::uint8_t, Size> rest;
    std::copy(bytes.begin(), bytes.end(), rest.begin());
    rest[0] &= static_cast<std::uint8_t>(~flags);
    return rest;
}

template <Curve C>
AffinePoint<C> point_at(const BaseFieldElement<C>& x, bool larger, const std::string& where) {
    require_reduced<C>(x, [&] { return where; });
    const auto points = points_with_x<C>(x);
    if (!points) throw BadInput(InputFault::not_on_curve, where, "no point of the curve has this x coordinate");
    return (*points)[larger ? 1 : 0];
}

void require_only_infinity(bool rest_is_zero, const std::string& where) {
    if (!rest_is_zero) throw BadInput(InputFault::flags, where, "the infinity flag is set beside other bits");
}

}  // namespace

AffinePoint<Curve::bls12_381> decompress_bls12_381(std::span<const std::uint8_t, 48> bytes, const std::string& where) {
    const auto flags = bytes[0] & zcash_flags;
    const auto x = from_big_endian<6>(without_flags(bytes, zcash_flags));
    if (!(flags & zcash_compressed)) throw BadInput(InputFault::flags, where, "the flag of a compressed point (0x80) is not set");
    if (flags & zcash_infinity) {
        require_only_infinity(x == Limbs<6>{} && !(flags & zcash_larger), where);
        return {};
    }
    return point_at<Curve::bls12_381>(x, flags & zcash_larger, where);
}

CompressedBls12381 compress(const AffinePoint<Curve::bls12_381>& point) {
    auto bytes = to_big_endian(point.x);
    bytes[0] |= zcash_compressed;
    if (is_infinity(point)) {
        bytes[0] |= zcash_infinity;
    } else if (is_less(negate(point).y, point.y)) {
        bytes[0] |= zcash_larger;
    }
    return bytes;
}

AffinePoint<Curve::bn254> decompress_bn254(std::span<const std::uint8_t, 32> bytes, const std::string& where) {
    const auto x = from_big_endian<4>(without_flags(bytes, gnark_flags));
    switch (bytes[0] & gnark_flags) {
        case gnark_infinity: require_only_infinity(x == Limbs<4>{}, where); return {};
        case gnark_smaller: return point_at<Curve::bn254>(x, false, where);
        case gnark_larger: return point_at<Curve::bn254>(x, true, where);
    }
    throw BadInput(InputFault::flags, where, "no flag of a compressed point is set");
}

std::vector<AffinePoint<Curve::bn254>> parse_compressed_bn254(std::span<const std::uint8_t> bytes) {
    constexpr std::size_t point_size = 32;
    if (bytes.empty()) throw BadInput(InputFault::empty, std::string(), "the input is empty; expected points of 32 bytes");
    if (bytes.size() % point_size != 0) {
        throw BadInput(InputFault::length, "byte " + std::to_string(bytes.size()), "the input ends inside a point of 32 bytes");
    }
    std::vector<AffinePoint<Curve::bn254>> points;
    points.reserve(bytes.size() / point_size);
    for (std::size_t offset = 0; offset < bytes.size(); offset += point_size) {
        points.push_back(decompress_bn254(bytes.subspan(offset).first<point_size>(), "point " + std::to_string(points.size())));
    }
    return points;
}

}  // namespace cupool::tools
