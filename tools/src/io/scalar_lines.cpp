#include "io/scalar_lines.hpp"

#include <utility>

#include "formats/hex.hpp"
#include "formats/scalars.hpp"
#include "io/input_file.hpp"

namespace cupool::tools {

std::vector<Scalar> read_scalars(const std::string& path) {
    return parse_file(path, [](InputFile& file) {
        ScalarsParser parser;
        for (LineReader lines(file); lines.next();) parser.add_line(lines.line());
        return std::move(parser).finish();
    });
}

std::string scalar_lines(std::span<const Scalar> scalars) {
    std::string text;
    for (const Scalar& scalar : scalars) text += to_hex(scalar) + '\n';
    return text;
}

}  // namespace cupool::tools
