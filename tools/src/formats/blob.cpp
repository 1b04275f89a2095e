#include "formats/blob.hpp"

#include <cupool/kernels/point.hpp>
#include <string>
#include <string_view>

#include "formats/hex.hpp"
#include "formats/text.hpp"
#include "formats/trusted_setup.hpp"

namespace cupool::tools {
namespace {

constexpr std::size_t element_size = 32;
constexpr std::size_t blob_size = blob_elements * element_size;

std::vector<Scalar> elements_of(std::span<const std::uint8_t> blob) {
    std::vector<Scalar> elements(blob_elements);
    for (std::size_t i = 0; i < blob_elements; ++i) {
        elements[i] = from_big_endian<4>(blob.subspan(i * element_size).first<element_size>());
        if (!is_reduced_scalar<Curve::bls12_381>(elements[i])) {
            throw BadInput(InputFault::not_reduced,
                           "field element " + std::to_string(i) + " (byte " + std::to_string(i * element_size) + ")",
                           "not below the group order r");
        }
    }
    return elements;
}

}  // namespace

std::vector<Scalar> parse_blob(std::span<const std::uint8_t> file) {
    if (file.empty()) throw BadInput(InputFault::empty, std::string(), "the input is empty; expected a blob");
    if (file.size() == blob_size) return elements_of(file);
    std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    const auto line = take_line(text);
    constexpr std::size_t digits = 2 * blob_size;
    if (!text.empty() || (line.size() != digits && line.size() != digits + 2)) {
        throw BadInput(InputFault::length, std::string(),
                       std::to_string(file.size()) + " bytes; a blob is 131072 raw bytes, or 262144 hexadecimal digits");
    }
    return elements_of(parse_hex_bytes(line, blob_size, {1, 1}));
}

}  // namespace cupool::tools
