#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cupool::tools {

/// A table for people. Where the output is too narrow, it leaves out columns, the least important
/// first. If that does not suffice, it prints each row as a block with one line for each column.
class TextTable {
public:
    struct Column {
        std::string title;
        int importance = 0;  ///< 0: never left out; else the highest number is left out first
    };

    explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// \param cells  printable texts, one for each column; they may have colours
    void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

    /// \param width  of the output in characters; 0 means unlimited
    std::string text(std::size_t width) const;

private:
    using Widths = std::vector<std::size_t>;

    Widths widths_of_columns() const;
    std::string aligned(const std::vector<std::size_t>& shown, const Widths& widths) const;
    std::string blocks() const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// The number of characters of a UTF-8 text on a terminal, without the escapes of colours.
std::size_t displayed_width(const std::string& text);

}  // namespace cupool::tools
