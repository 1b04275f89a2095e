#include "formats/dimacs.hpp"

#include "catch.hpp"
#include "faults.hpp"
#include "files.hpp"
#include "test_data.hpp"

using namespace cupool::tools;
using cupool::test::as_bytes;
using cupool::test::require_fault;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

namespace {

DimacsGraph parse(const std::string& text) { return parse_dimacs(as_bytes(text)); }

Pairs pairs_of(const DimacsGraph& graph) {
    Pairs pairs;
    for (const auto& edge : graph.edges) pairs.emplace_back(edge.first, edge.second);
    return pairs;
}

void require_refused(const std::string& text, InputFault fault, const std::string& where) {
    INFO(text);
    require_fault([&] { parse(text); }, fault, where);
}

std::string binary(const std::string& preamble, const std::string& matrix) {
    return std::to_string(preamble.size()) + "\n" + preamble + matrix;
}

/// What the challenge's program asc2bin makes of a graph.
std::string binary_of(const DimacsGraph& graph, std::size_t edge_count) {
    std::string matrix;
    std::vector<std::size_t> row_begins;
    for (std::uint32_t row = 0; row < graph.vertex_count; ++row) {
        row_begins.push_back(matrix.size());
        matrix.append((row + 8) / 8, '\0');
    }
    for (const auto& edge : graph.edges) {
        char& byte = matrix[row_begins[edge.second] + edge.first / 8];
        byte = static_cast<char>(static_cast<unsigned char>(byte) | 0x80U >> edge.first % 8);
    }
    return binary("c made by a test\np col " + std::to_string(graph.vertex_count) + " " + std::to_string(edge_count) + "\n", matrix);
}

}  // namespace

TEST_CASE("a DIMACS graph is a p line and its edges") {
    const auto graph = parse("c a path\n\np edge 3 2\ne 3 2\ne 1 2\n");
    CHECK(graph.vertex_count == 3);
    CHECK(pairs_of(graph) == Pairs{{0, 1}, {1, 2}});
    CHECK(pairs_of(parse("p col 3 2\r\n e\t2 3 \r\n\r\ncwithout a blank\r\ne 2 1")) == Pairs{{0, 1}, {1, 2}});
    CHECK(pairs_of(parse("n 1 2\nd 7\np edge 2 1\nv 1 2\nx 3 4\ne 1 2\nn 2 5\n")) == Pairs{{0, 1}});
    CHECK(parse("p edge 4 0\n").vertex_count == 4);
    CHECK(parse("p edge 4 0").edges.empty());
}

TEST_CASE("an edge that a DIMACS file lists twice counts once, and the p line may count it either way") {
    const Pairs triangle = {{0, 1}, {0, 2}, {1, 2}};
    const std::string both_ways = "e 1 2\ne 2 1\ne 2 3\ne 3 2\ne 1 3\ne 3 1\n";
    CHECK(pairs_of(parse("p edge 3 6\n" + both_ways)) == triangle);
    CHECK(pairs_of(parse("p edge 3 3\n" + both_ways)) == triangle);
    CHECK(pairs_of(parse("p edge 3 4\ne 1 2\ne 2 3\ne 1 3\ne 1 3\n")) == triangle);
    CHECK(pairs_of(parse("p edge 3 6\ne 1 2\ne 2 3\ne 1 3\n")) == triangle);
    require_refused("p edge 3 5\n" + both_ways, InputFault::contradiction, "line 1, column 10");
    require_refused("p edge 3 7\n" + both_ways, InputFault::contradiction, "line 1, column 10");
}

TEST_CASE("a DIMACS graph may have a million vertices") {
    const auto graph = parse("p edge 1000000 2\ne 1000000 1\ne 999999 1000000\n");
    CHECK(graph.vertex_count == 1000000);
    CHECK(pairs_of(graph) == Pairs{{0, 999999}, {999998, 999999}});
    CHECK(parse("p edge 10000000 0\n").vertex_count == most_dimacs_vertices);
    require_refused("p edge 10000001 0\n", InputFault::length, "line 1, column 8");
}

TEST_CASE("what is no DIMACS graph is refused with its place") {
    require_refused("", InputFault::empty, "");
    require_refused(" \r\n\n", InputFault::empty, "");
    require_refused("c nothing\n", InputFault::contradiction, "line 2, column 1");
    require_refused("e 1 2\np edge 2 1\n", InputFault::contradiction, "line 1, column 1");
    require_refused("p edge 2 1\np edge 2 1\ne 1 2\n", InputFault::contradiction, "line 2, column 1");
    require_refused("p edge 0 0\n", InputFault::empty, "line 1, column 8");
    require_refused("p edge 2 1\ne 1 1\n", InputFault::contradiction, "line 2, column 5");
    require_refused("p edge 2 1\ne 0 1\n", InputFault::contradiction, "line 2, column 3");
    require_refused("p edge 2 1\ne 1 3\n", InputFault::contradiction, "line 2, column 5");
    require_refused("p edge 3 3\ne 1 2\n", InputFault::contradiction, "line 1, column 10");  // the end is missing
    require_refused("p edge 3 2\ne 1 2\ne 1", InputFault::length, "line 3, column 4");
    require_refused("p edge 3 2\ne 1 2\ne", InputFault::length, "line 3, column 2");
    require_refused("p edge 3\n", InputFault::length, "line 1, column 9");
    require_refused("p edge\n", InputFault::length, "line 1, column 7");
    require_refused("p\n", InputFault::length, "line 1, column 2");
    require_refused("p edge 3 2 1\n", InputFault::length, "line 1, column 12");
    require_refused("p edge 3 1\ne 1 2 3\n", InputFault::length, "line 2, column 7");
    require_refused("p cnf 3 2\n", InputFault::unknown_name, "line 1, column 3");
    require_refused("p 3 2\n", InputFault::unknown_name, "line 1, column 3");
    require_refused("p edge 3 1\nedge 1 2\n", InputFault::unknown_name, "line 2, column 1");
    require_refused("p edge 3 1\n\nE 1 2\n", InputFault::unknown_name, "line 3, column 1");
    require_refused(std::string("p edge 3 0\n\0", 12), InputFault::unknown_name, "line 2, column 1");
    require_refused("p edge 3 0x1\n", InputFault::digit, "line 1, column 11");
    require_refused("p edge -3 1\n", InputFault::digit, "line 1, column 8");
    require_refused("p edge 3 1\ne 1 +2\n", InputFault::digit, "line 2, column 5");
    require_refused("p edge 3 1\ne 1 2.0\n", InputFault::digit, "line 2, column 6");
    require_refused("p edge 18446744073709551616 0\n", InputFault::length, "line 1, column 8");
    require_refused("p edge 2 99999999999999999999\ne 1 2\n", InputFault::length, "line 1, column 10");
    require_refused("p edge 2 1\ne 1 18446744073709551618\n", InputFault::length, "line 2, column 5");
    require_refused("p edge 2 1\ne 1 4294967298\n", InputFault::contradiction, "line 2, column 5");
    require_refused("p edge 1000000 9223372036854775809\ne 1 2\n", InputFault::contradiction, "line 1, column 16");
}

TEST_CASE("a binary DIMACS graph is a preamble and the lower triangle of its matrix") {
    // Row by row: none; 1; 1 and 2 ... of 9 vertices, whose last row has 2 bytes.
    const std::string rows = {'\0', '\x80', '\x40', '\0', '\0', '\0', '\0', '\0', '\x01', '\0'};
    const auto graph = parse(binary("c nine\np col 9 3\n", rows));
    CHECK(graph.vertex_count == 9);
    CHECK(pairs_of(graph) == Pairs{{0, 1}, {1, 2}, {7, 8}});
    CHECK(parse("9\r\np col 1 0" + std::string(1, '\0')).vertex_count == 1);
    CHECK(pairs_of(parse(binary("p edge 9 6\n", rows))) == pairs_of(graph));  // the challenge's files count both directions
}

TEST_CASE("what is no binary DIMACS graph is refused with its place") {
    const std::string preamble = "p col 3 1\n";
    require_refused("7", InputFault::length, "line 1, column 1");
    require_refused("7 8\np col 1 0", InputFault::length, "line 1, column 3");
    require_refused("99999999999999999999\np col 1 0", InputFault::length, "line 1, column 1");
    require_refused("18446744073709551615\np col 1 0", InputFault::length, "line 1, column 1");
    require_refused("1e\np col 1 0", InputFault::digit, "line 1, column 2");
    require_refused(binary("c no graph\n", ""), InputFault::contradiction, "line 2, column 1");
    require_refused(binary("p col 3 1\ne 1 2\n", std::string(3, '\0')), InputFault::contradiction, "line 3, column 1");
    require_refused(binary("p col x 1\n", ""), InputFault::digit, "line 2, column 7");
    require_refused(binary(preamble, {'\0', '\0'}), InputFault::length, "byte 13");
    require_refused(binary(preamble, {'\0', '\x80', '\0', '\0'}), InputFault::length, "byte 13");
    require_refused(binary("p col 10000000 0\n", ""), InputFault::length, "byte 20");
    require_refused(binary(preamble, {'\0', '\xc0', '\0'}), InputFault::contradiction, "row 2 (byte 14)");
    require_refused(binary(preamble, {'\0', '\x80', '\x01'}), InputFault::padding, "row 3 (byte 15)");
    require_refused(binary(preamble, {'\0', '\x80', '\xc0'}), InputFault::contradiction, "line 2, column 9");
}

TEST_CASE("graphs of the DIMACS challenge are read, from both formats alike") {
    struct Known {
        const char* name;
        std::uint32_t vertices;
        std::size_t edges;
    };
    for (const Known& known :
         {Known{"DSJC125.1", 125, 736}, Known{"DSJC125.5", 125, 3891}, Known{"DSJC250.5", 250, 15668}, Known{"DSJC500.5", 500, 62624},
          Known{"flat300_28_0", 300, 21695}, Known{"le450_15c", 450, 16680}, Known{"myciel7", 191, 2360}, Known{"queen8_8", 64, 728}}) {
        CUPOOL_TEST_DATA_OR_SKIP(file, std::string("dimacs/") + known.name + ".col");
        INFO(known.name);
        const auto graph = parse(cupool::test::read_text(file));
        CHECK(graph.vertex_count == known.vertices);
        CHECK(graph.edges.size() == known.edges);
        const cupool::UndirectedGraph built(graph.vertex_count, graph.edges);
        CHECK(built.edge_count() == known.edges);
        const auto again = parse(binary_of(graph, 2 * known.edges));
        CHECK(again.vertex_count == graph.vertex_count);
        CHECK(pairs_of(again) == pairs_of(graph));
    }
}
