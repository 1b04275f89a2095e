// Fuzzes files of scalars, which are read at once and line by line.
#include "formats/bad_input.hpp"
#include "formats/scalars.hpp"
#include "fuzz_input.hpp"
#include "io/scalar_lines.hpp"
#include "memory_file.hpp"

using namespace cupool;
using namespace cupool::tools;
using namespace cupool::test;

namespace {

/// The lines of what was read, or what was wrong.
template <class Read>
std::string outcome(const Read& read) {
    try {
        return scalar_lines(read());
    } catch (const BadInput& error) {
        return error.what();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const FuzzInput input(data, size);
    const MemoryFile file(input.bytes());
    const std::string whole = outcome([&] { return parse_scalars(input.text()); });
    const std::string by_lines = outcome([&] { return read_scalars(file.path()); });
    const bool is_read = whole.ends_with('\n');
    must_hold(is_read == by_lines.ends_with('\n') && (!is_read || whole == by_lines), "a file reads alike at once and line by line");
    must_hold(!is_read || outcome([&] { return parse_scalars(whole); }) == whole, "what was read reads as the same again");
    return 0;
}
