// Fuzzes files of pairs, in each group. The input is a digit for the group, and the file, which is read at once and line by line.
#include <cupool/kernels/msm.hpp>

#include "formats/pairs.hpp"
#include "fuzz_input.hpp"
#include "io/input_file.hpp"
#include "memory_file.hpp"

using namespace cupool;
using namespace cupool::tools;
using namespace cupool::test;

namespace {

/// The lines of what was read, or what was wrong.
template <Curve C, class Read>
std::string outcome(const Read& read) {
    try {
        const Pairs<C> pairs = read();
        std::string text;
        for (std::size_t i = 0; i < pairs.points.size(); ++i) text += pair_line(pairs.points[i], pairs.scalars[i]) + '\n';
        return text;
    } catch (const BadInput& error) {
        return error.what();
    }
}

template <Curve C>
Pairs<C> read_lines(InputFile& file) {
    PairsParser<C> parser;
    for (LineReader lines(file); lines.next();) parser.add_line(lines.line());
    return std::move(parser).finish();
}

template <Curve C>
void fuzz(const FuzzInput& input) {
    const MemoryFile file(input.bytes());
    const std::string whole = outcome<C>([&] { return parse_pairs<C>(input.text()); });
    const std::string by_lines = outcome<C>([&] {
        InputFile opened(file.path());
        return read_lines<C>(opened);
    });
    must_hold(whole.substr(0, whole.find(':')) == by_lines.substr(0, by_lines.find(':')), "a file reads alike at once and line by line");
    const bool is_read = whole.ends_with('\n');
    must_hold(!is_read || outcome<C>([&] { return parse_pairs<C>(whole); }) == whole, "what was read reads as the same again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzInput input(data, size);
    switch (input.take_byte() % 5) {
        case 0: fuzz<Curve::bn254>(input); break;
        case 1: fuzz<Curve::bls12_381>(input); break;
        case 2: fuzz<Curve::bls12_377>(input); break;
        case 3: fuzz<Curve::bn254_g2>(input); break;
        default: fuzz<Curve::bls12_381_g2>(input);
    }
    return 0;
}
