#include "formats/dimacs.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "formats/bad_input.hpp"
#include "formats/text.hpp"

namespace cupool::tools {
namespace {

struct Number {
    std::uint64_t value = 0;
    TextPosition at;
};

std::uint64_t parse_decimal(std::string_view digits, TextPosition at) {
    const auto stranger = digits.find_first_not_of("0123456789");
    if (stranger != std::string_view::npos) {
        throw BadInput(InputFault::digit, TextPosition{at.line, at.column + stranger},
                       "expected a decimal digit, found " + printable(digits[stranger]));
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc())
        throw BadInput(InputFault::length, at, "the number is above " + std::to_string(std::numeric_limits<std::uint64_t>::max()));
    return value;
}

/// The fields of a line, from its first to its end.
class LineFields {
public:
    LineFields(std::string_view line, std::size_t number) : line_(line), number_(number) {}

    /// Empty at the end of the line.
    std::string_view take() {
        const Field field = next_field(line_, column_);
        at_ = {number_, field.column};
        column_ = field.column + field.text.size();
        return field.text;
    }

    std::string_view take(const char* expected) {
        const std::string_view text = take();
        if (text.empty()) throw BadInput(InputFault::length, at_, std::string("the line ends where ") + expected + " was expected");
        return text;
    }

    Number take_number(const char* expected) {
        const std::string_view digits = take(expected);
        return {parse_decimal(digits, at_), at_};
    }

    void expect_end() {
        if (!take().empty()) throw BadInput(InputFault::length, at_, "the line goes on where its end was expected");
    }

    /// Of the field that was taken last.
    TextPosition at() const { return at_; }

private:
    std::string_view line_;
    std::size_t number_;
    std::size_t column_ = 1;
    TextPosition at_;
};

class DimacsReader {
public:
    /// \param line  of the file's lines, how many come before the first one that is added
    explicit DimacsReader(std::size_t line = 0) : line_(line) {}

    void add_line(std::string_view line) {
        LineFields fields(line, ++line_);
        const std::string_view kind = fields.take();
        if (kind.empty() || kind.front() == 'c') return;
        if (kind == "p") {
            add_problem(fields);
        } else if (kind == "e") {
            add_listed_edge(fields);
        } else if (kind != "n" && kind != "d" && kind != "v" && kind != "x") {
            throw BadInput(InputFault::unknown_name, fields.at(), "the line is of none of the kinds c, p, e, n, d, v and x");
        }
    }

    /// \param first, second  from 0, \pre two vertices
    void add_edge(std::uint32_t first, std::uint32_t second) { edges_.push_back({std::min(first, second), std::max(first, second)}); }

    /// \throws BadInput contradiction (there is none, or edges were listed)
    std::uint32_t vertex_count_before_edges() const {
        require_problem({line_, 1});
        if (!edges_.empty()) throw BadInput(InputFault::contradiction, TextPosition{line_, 1}, "edges in the preamble of a binary graph");
        return vertex_count_;
    }

    DimacsGraph finish() && {
        require_problem({line_ + 1, 1});
        const std::size_t listed = edges_.size();
        const auto key = [](const Edge& edge) { return std::pair(edge.first, edge.second); };
        std::sort(edges_.begin(), edges_.end(), [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
        edges_.erase(std::unique(edges_.begin(), edges_.end(), [&](const Edge& a, const Edge& b) { return key(a) == key(b); }),
                     edges_.end());
        const std::size_t distinct = edges_.size();
        if (edge_count_.value != listed && edge_count_.value != distinct && edge_count_.value != 2 * distinct) {
            throw BadInput(InputFault::contradiction, edge_count_.at,
                           std::to_string(edge_count_.value) + " edges, but the input lists " + std::to_string(listed) + ", of which " +
                               std::to_string(distinct) + " differ");
        }
        return {vertex_count_, std::move(edges_)};
    }

private:
    void add_problem(LineFields& fields) {
        if (has_problem_) throw BadInput(InputFault::contradiction, fields.at(), "a second p line");
        const std::string_view format = fields.take("edge or col");
        if (format != "edge" && format != "col") throw BadInput(InputFault::unknown_name, fields.at(), "expected \"p edge\" or \"p col\"");
        const Number vertices = fields.take_number("the number of vertices");
        edge_count_ = fields.take_number("the number of edges");
        fields.expect_end();
        if (vertices.value == 0) throw BadInput(InputFault::empty, vertices.at, "the graph has no vertices");
        if (vertices.value > most_dimacs_vertices) {
            throw BadInput(InputFault::length, vertices.at,
                           std::to_string(vertices.value) + " vertices; a graph has at most " + std::to_string(most_dimacs_vertices));
        }
        vertex_count_ = static_cast<std::uint32_t>(vertices.value);
        has_problem_ = true;
    }

    void add_listed_edge(LineFields& fields) {
        require_problem(fields.at());
        const std::uint32_t first = take_vertex(fields);
        const std::uint32_t second = take_vertex(fields);
        const TextPosition at = fields.at();
        fields.expect_end();
        if (first == second) throw BadInput(InputFault::contradiction, at, "the edge ends where it begins");
        add_edge(first, second);
    }

    /// From 0.
    std::uint32_t take_vertex(LineFields& fields) const {
        const auto [number, at] = fields.take_number("a vertex");
        if (number == 0 || number > vertex_count_) {
            throw BadInput(InputFault::contradiction, at,
                           "vertex " + std::to_string(number) + "; vertices are 1 to " + std::to_string(vertex_count_));
        }
        return static_cast<std::uint32_t>(number - 1);
    }

    void require_problem(TextPosition at) const {
        if (!has_problem_) throw BadInput(InputFault::contradiction, at, "no line \"p edge VERTICES EDGES\" comes before");
    }

    std::size_t line_;
    bool has_problem_ = false;
    std::uint32_t vertex_count_ = 0;
    Number edge_count_;
    std::vector<Edge> edges_;
};

constexpr std::size_t row_bytes(std::size_t row) { return (row + 8) / 8; }

/// Of all rows before this one.
constexpr std::uint64_t bytes_before(std::uint64_t row) {
    const std::uint64_t eights = row / 8;
    return 4 * eights * (eights + 1) + row % 8 * (eights + 1);
}
static_assert(bytes_before(1) == 1 && bytes_before(8) == 8 && bytes_before(9) == 10 && bytes_before(17) == 8 + 16 + 3);

void add_row(DimacsReader& reader, std::uint32_t row, std::span<const std::uint8_t> bytes, std::uint64_t position) {
    const auto refuse = [&](InputFault fault, const char* problem) {
        throw BadInput(fault, "row " + std::to_string(row + 1) + " (byte " + std::to_string(position) + ")", problem);
    };
    for (std::uint32_t column = 0; column < 8 * bytes.size(); ++column) {
        if ((bytes[column / 8] & 0x80U >> column % 8) == 0) continue;
        if (column > row) refuse(InputFault::padding, "bits beyond the matrix's diagonal are not 0");
        if (column == row) refuse(InputFault::contradiction, "an edge ends where it begins");
        reader.add_edge(row, column);
    }
}

void add_matrix(DimacsReader& reader, std::uint32_t vertex_count, std::span<const std::uint8_t> matrix, std::uint64_t position) {
    const std::uint64_t expected = bytes_before(vertex_count);
    if (matrix.size() != expected) {
        throw BadInput(InputFault::length, "byte " + std::to_string(position),
                       "the matrix of " + std::to_string(vertex_count) + " vertices has " + std::to_string(expected) + " bytes, but " +
                           std::to_string(matrix.size()) + " follow");
    }
    for (std::uint32_t row = 0; row < vertex_count; ++row) {
        const std::uint64_t begin = bytes_before(row);
        add_row(reader, row, matrix.subspan(begin, row_bytes(row)), position + begin);
    }
}

std::string_view as_text(std::span<const std::uint8_t> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

DimacsGraph parse_binary(std::span<const std::uint8_t> file) {
    std::string_view text = as_text(file);
    LineFields length_line(take_line(text), 1);
    const Number length = length_line.take_number("the preamble's length");
    length_line.expect_end();
    if (length.value > text.size()) {
        throw BadInput(InputFault::length, length.at,
                       "a preamble of " + std::to_string(length.value) + " bytes, but " + std::to_string(text.size()) + " follow");
    }
    DimacsReader reader(1);
    for (std::string_view preamble = text.substr(0, length.value); !preamble.empty();) reader.add_line(take_line(preamble));
    const std::size_t position = file.size() - text.size() + length.value;
    add_matrix(reader, reader.vertex_count_before_edges(), file.subspan(position), position);
    return std::move(reader).finish();
}

DimacsGraph parse_ascii(std::string_view text) {
    DimacsReader reader;
    while (!text.empty()) reader.add_line(take_line(text));
    return std::move(reader).finish();
}

}  // namespace

DimacsGraph parse_dimacs(std::span<const std::uint8_t> file) {
    const std::string_view text = as_text(file);
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) throw BadInput(InputFault::empty, std::string(), "the input is empty; expected a DIMACS graph");
    const bool is_binary = first == 0 && text[first] >= '0' && text[first] <= '9';
    return is_binary ? parse_binary(file) : parse_ascii(text);
}

}  // namespace cupool::tools
