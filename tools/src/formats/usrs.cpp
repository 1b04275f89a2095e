#include "formats/usrs.hpp"

#include <string>

#include "formats/limbs.hpp"
#include "formats/point_checks.hpp"

namespace cupool::tools {

std::vector<AffinePoint<Curve::bls12_377>> parse_usrs(std::span<const std::uint8_t> bytes) {
    constexpr std::size_t count_size = 8;
    constexpr std::size_t coordinate_size = 48;
    constexpr std::size_t point_size = 2 * coordinate_size;
    if (bytes.empty()) throw BadInput(InputFault::empty, std::string(), "the input is empty; expected a count and as many points");
    if (bytes.size() < count_size) throw BadInput(InputFault::length, "byte 0", "the input ends inside its 8-byte count");
    const auto count = from_little_endian<1>(bytes.first<count_size>()).limbs[0];
    const auto points_bytes = bytes.subspan(count_size);
    if (points_bytes.size() % point_size != 0 || points_bytes.size() / point_size != count) {
        throw BadInput(
            InputFault::length, "byte 0",
            "a count of " + std::to_string(count) + " points of 96 bytes, but " + std::to_string(points_bytes.size()) + " bytes follow");
    }
    std::vector<AffinePoint<Curve::bls12_377>> points(count);
    for (std::size_t i = 0; i < count; ++i) {
        points[i].x = from_little_endian<6>(points_bytes.subspan(i * point_size).first<coordinate_size>());
        points[i].y = from_little_endian<6>(points_bytes.subspan(i * point_size + coordinate_size).first<coordinate_size>());
    }
    require_points<Curve::bls12_377>(points, true, [](std::size_t index) {
        return "point " + std::to_string(index) + " (byte " + std::to_string(count_size + index * point_size) + ")";
    });
    return points;
}

}  // namespace cupool::tools
