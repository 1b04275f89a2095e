// Fuzzes DIMACS graphs. The input is a file, ASCII or binary.
#include <string>

#include "formats/bad_input.hpp"
#include "formats/dimacs.hpp"
#include "fuzz_input.hpp"

using namespace cupool;
using namespace cupool::tools;
using namespace cupool::test;

namespace {

std::string text_of(const DimacsGraph& graph) {
    std::string text = "p edge " + std::to_string(graph.vertex_count) + ' ' + std::to_string(graph.edges.size()) + '\n';
    for (const Edge& edge : graph.edges) text += "e " + std::to_string(edge.first + 1) + ' ' + std::to_string(edge.second + 1) + '\n';
    return text;
}

void check(const DimacsGraph& graph) {
    const std::string text = text_of(graph);
    const DimacsGraph again = parse_dimacs({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    must_hold(text_of(again) == text, "what was read reads as the same again");
    constexpr std::uint32_t many = 10'000;  // whose memory would slow the fuzzer down
    if (graph.vertex_count > many) return;
    must_hold(UndirectedGraph(graph.vertex_count, graph.edges).edge_count() == graph.edges.size(), "the edges differ, and join vertices");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        check(parse_dimacs({data, size}));
    } catch (const BadInput&) {
    }
    return 0;
}
