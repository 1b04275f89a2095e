#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/bad_input.hpp"
#include "io/progress.hpp"

namespace cupool::tools {

/// What errors call an input: its path, or "standard input" for "-".
std::string input_name(const std::string& path);

/// A file to read from its beginning to its end, once; "-" is the standard input.
class InputFile {
public:
    /// \throws BadInput unreadable
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /// Fills the buffer; less only at the end of the file. \throws BadInput unreadable
    std::size_t read(std::span<std::uint8_t> buffer);

private:
    int descriptor_;
    std::uint64_t size_ = 0;  ///< 0 where it is not known
    std::uint64_t position_ = 0;
    Progress progress_;
};

/// Opens a file and returns what `parse` makes of it; whatever input is found wrong on the way is named with the file.
template <class Parse>
auto parse_file(const std::string& path, const Parse& parse) {
    try {
        InputFile file(path);
        return parse(file);
    } catch (const BadInput& error) {
        throw error.within(input_name(path));
    }
}

/// The rest of a file, which is not read further than one byte past what it may have.
/// \param most  how many bytes it may have \throws BadInput unreadable, length (it has more)
std::vector<std::uint8_t> read_all(InputFile& file, std::size_t most);

/// The rest of a file as little-endian elements, in chunks, holding no more than one of them.
template <class T>
class ElementReader {
public:
    static constexpr std::size_t chunk_bytes = std::size_t{1} << 26;

    explicit ElementReader(InputFile& file) : file_(file) {}

    /// Moves to the next chunk. \return false at the end of the file \throws BadInput unreadable, empty (there is not one element), length
    /// (naming the byte where the last whole element ends)
    bool next();

    /// One or more; valid until the next call of next().
    std::span<const T> elements() const { return {buffer_.data(), count_}; }

private:
    /// Reads a chunk, or less at the end of the file. \return how many bytes
    std::size_t fill();

    InputFile& file_;
    std::vector<T> buffer_;
    std::size_t count_ = 0;
    std::uint64_t position_ = 0;  ///< of the chunk's end, in bytes
};

/// The lines of a file, one after the other, holding no more than one buffer of it.
class LineReader {
public:
    /// In bytes, its end not counted.
    static constexpr std::size_t longest_line = std::size_t{1} << 20;

    explicit LineReader(InputFile& file) : file_(file), buffer_(longest_line + longest_line_end) {}

    /// Moves to the next line. \return false at the end of the file \throws BadInput unreadable, length (a line that is too long)
    bool next();

    /// Without its end; valid until the next call of next().
    std::string_view line() const { return line_; }

private:
    static constexpr std::size_t longest_line_end = 2;  ///< CR LF

    void refill();
    /// \pre line_number_ is that of the line
    BadInput too_long() const;

    InputFile& file_;
    std::vector<std::uint8_t> buffer_;
    std::string_view rest_;
    std::string_view line_;
    std::size_t line_number_ = 0;
    bool at_end_ = false;
};

}  // namespace cupool::tools
