#include "formats/eip2537.hpp"

#include <algorithm>
#include <string>

#include "formats/limbs.hpp"
#include "formats/point_checks.hpp"

namespace cupool::tools {
namespace {

using Point = AffinePoint<Curve::bls12_381>;

constexpr std::size_t padding_size = 16;
constexpr std::size_t coordinate_size = 64;
constexpr std::size_t point_size = 2 * coordinate_size;
constexpr std::size_t scalar_size = 32;
constexpr std::size_t term_size = point_size + scalar_size;

std::string at_byte(std::size_t offset) { return "byte " + std::to_string(offset); }

Limbs<6> coordinate_at(std::span<const std::uint8_t> input, std::size_t offset) {
    const auto padding = input.subspan(offset, padding_size);
    if (std::any_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte != 0; })) {
        throw BadInput(InputFault::padding, at_byte(offset), "the top 16 bytes of a field element are not zero");
    }
    const auto coordinate = from_big_endian<6>(input.subspan(offset + padding_size).first<coordinate_size - padding_size>());
    require_reduced<Curve::bls12_381>(coordinate, [&] { return at_byte(offset); });
    return coordinate;
}

Point point_at(std::span<const std::uint8_t> input, std::size_t offset) {
    return {coordinate_at(input, offset), coordinate_at(input, offset + coordinate_size)};
}

}  // namespace

std::array<Point, 2> parse_eip2537_g1_add(std::span<const std::uint8_t> input) {
    if (input.size() != 2 * point_size) {
        throw BadInput(InputFault::length, std::string(), std::to_string(input.size()) + " bytes; an addition takes 256");
    }
    const std::array<Point, 2> points = {point_at(input, 0), point_at(input, point_size)};
    require_points<Curve::bls12_381>(points, false, [](std::size_t index) { return at_byte(index * point_size); });
    return points;
}

Pairs<Curve::bls12_381> parse_eip2537_g1_msm(std::span<const std::uint8_t> input) {
    if (input.empty() || input.size() % term_size != 0) {
        throw BadInput(InputFault::length, std::string(),
                       std::to_string(input.size()) + " bytes; an MSM takes 160 a term, one term or more");
    }
    Pairs<Curve::bls12_381> pairs;
    for (std::size_t offset = 0; offset < input.size(); offset += term_size) {
        pairs.points.push_back(point_at(input, offset));
        pairs.scalars.push_back(from_big_endian<4>(input.subspan(offset + point_size).first<scalar_size>()));
    }
    require_points<Curve::bls12_381>(pairs.points, true, [](std::size_t index) { return at_byte(index * term_size); });
    return pairs;
}

std::array<std::uint8_t, 128> eip2537_g1(const Point& point) {
    std::array<std::uint8_t, point_size> bytes{};
    const auto x = to_big_endian(point.x);
    const auto y = to_big_endian(point.y);
    std::copy(x.begin(), x.end(), bytes.begin() + padding_size);
    std::copy(y.begin(), y.end(), bytes.begin() + coordinate_size + padding_size);
    return bytes;
}

}  // namespace cupool::tools
