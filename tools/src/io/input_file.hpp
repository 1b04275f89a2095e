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

/// The name of an input in errors: its path, or "standard input" for "-".
std::string input_name(const std::string& path);

/// A file that is read once, from beginning to end; "-" is the standard input.
class InputFile {
public:
    /// \throws BadInput unreadable
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /// Fills the buffer. \return the number of bytes, less than the buffer only at the end of the file
    /// \throws BadInput unreadable
    std::size_t read(std::span<std::uint8_t> buffer);

private:
    int descriptor_;
    std::uint64_t size_ = 0;  ///< 0 if unknown
    std::uint64_t position_ = 0;
    Progress progress_;
};

/// Opens a file and returns the result of `parse`. Every BadInput that it throws gets the name of the file.
template <class Parse>
auto parse_file(const std::string& path, const Parse& parse) {
    try {
        InputFile file(path);
        return parse(file);
    } catch (const BadInput& error) {
        throw error.within(input_name(path));
    }
}

/// The rest of a file. Reads at most one byte more than the limit.
/// \param max_bytes  limit \throws BadInput unreadable, length (the rest exceeds the limit)
std::vector<std::uint8_t> read_all(InputFile& file, std::size_t max_bytes);

/// Reads the rest of a file as little-endian elements, one chunk at a time.
template <class T>
class ElementReader {
public:
    static constexpr std::size_t chunk_bytes = std::size_t{1} << 26;

    explicit ElementReader(InputFile& file) : file_(file) {}

    /// Moves to the next chunk. \return false at the end of the file
    /// \throws BadInput unreadable, empty (no element), length (incomplete last element; names the byte
    /// at which it begins)
    bool next();

    /// At least one element; valid until the next call of next().
    std::span<const T> elements() const { return {buffer_.data(), count_}; }

private:
    /// Reads a chunk, which is smaller at the end of the file. \return its bytes
    std::size_t fill();

    InputFile& file_;
    std::vector<T> buffer_;
    std::size_t count_ = 0;
    std::uint64_t position_ = 0;  ///< offset of the end of the chunk in the file
};

/// Reads a file line by line through one buffer.
class LineReader {
public:
    /// In bytes, without the line end.
    static constexpr std::size_t longest_line = std::size_t{1} << 20;

    explicit LineReader(InputFile& file) : file_(file), buffer_(longest_line + longest_line_end) {}

    /// Moves to the next line. \return false at the end of the file
    /// \throws BadInput unreadable, length (the line is too long)
    bool next();

    /// The line without its end; valid until the next call of next().
    std::string_view line() const { return line_; }

private:
    static constexpr std::size_t longest_line_end = 2;  ///< CR LF

    void refill();
    /// \pre line_number_ is the number of the line
    BadInput too_long() const;

    InputFile& file_;
    std::vector<std::uint8_t> buffer_;
    std::string_view rest_;
    std::string_view line_;
    std::size_t line_number_ = 0;
    bool at_end_ = false;
};

}  // namespace cupool::tools
