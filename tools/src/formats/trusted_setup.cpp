#include "formats/trusted_setup.hpp"

#include <bit>
#include <string>

#include "formats/compressed_point.hpp"
#include "formats/hex.hpp"
#include "formats/point_checks.hpp"
#include "formats/text.hpp"

namespace cupool::tools {
namespace {

constexpr std::size_t g2_points = 65;
constexpr std::size_t g1_size = 48;
constexpr std::size_t g2_size = 96;
constexpr std::size_t first_lagrange_line = 3;

class SetupLines {
public:
    explicit SetupLines(std::string_view text) : rest_(text) {}

    void expect_count(std::size_t expected) {
        const auto line = take("a count");
        if (line == std::to_string(expected)) return;
        throw BadInput(InputFault::length, position(), "expected the count " + std::to_string(expected) + " of an EIP-4844 setup");
    }

    std::vector<std::uint8_t> take_bytes(std::size_t count, const char* expected) {
        const auto line = take(expected);
        return parse_hex_bytes(line, count, position());
    }

    void expect_end() {
        if (rest_.empty()) return;
        ++line_;
        throw BadInput(InputFault::length, position(), "the input goes on after its last point");
    }

    TextPosition position() const { return {line_, 1}; }

private:
    std::string_view take(const char* expected) {
        ++line_;
        if (rest_.empty())
            throw BadInput(InputFault::length, position(), std::string("the input ends where ") + expected + " was expected");
        return take_line(rest_);
    }

    std::string_view rest_;
    std::size_t line_ = 0;
};

/// `index` with its 12 bits in reverse order.
constexpr std::size_t bit_reversed(std::size_t index) {
    std::size_t reversed = 0;
    for (std::size_t bit = 1; bit < blob_elements; bit <<= 1) reversed = reversed << 1 | ((index & bit) != 0 ? 1 : 0);
    return reversed;
}
static_assert(std::has_single_bit(blob_elements) && bit_reversed(1) == blob_elements / 2 && bit_reversed(6) == blob_elements / 2 * 3 / 4);

}  // namespace

std::vector<AffinePoint<Curve::bls12_381>> parse_trusted_setup(std::string_view text) {
    if (text.empty()) throw BadInput(InputFault::empty, std::string(), "the input is empty; expected an EIP-4844 trusted setup");
    SetupLines lines(text);
    lines.expect_count(blob_elements);
    lines.expect_count(g2_points);
    std::vector<AffinePoint<Curve::bls12_381>> lagrange(blob_elements);
    for (std::size_t i = 0; i < blob_elements; ++i) {
        const auto bytes = lines.take_bytes(g1_size, "a G1 point in Lagrange form");
        lagrange[bit_reversed(i)] = decompress_bls12_381(std::span(bytes).first<g1_size>(), to_string(lines.position()));
    }
    for (std::size_t i = 0; i < g2_points; ++i) lines.take_bytes(g2_size, "a G2 point");
    for (std::size_t i = 0; i < blob_elements; ++i) lines.take_bytes(g1_size, "a G1 point in monomial form");
    lines.expect_end();
    require_points<Curve::bls12_381>(lagrange, true, [](std::size_t index) {
        return to_string(TextPosition{first_lagrange_line + bit_reversed(index), 1});
    });
    return lagrange;
}

}  // namespace cupool::tools
