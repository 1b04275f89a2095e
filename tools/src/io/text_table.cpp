#include "io/text_table.hpp"

#include <algorithm>
#include <numeric>

namespace cupool::tools {
namespace {

constexpr std::size_t gap = 2;

/// \pre shown is not empty
std::size_t total_width(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths) {
    const auto add = [&](std::size_t sum, std::size_t column) { return sum + widths[column] + gap; };
    return std::accumulate(shown.begin(), shown.end(), std::size_t{0}, add) - gap;
}

std::string padded(const std::string& cell, std::size_t width) { return cell + std::string(width - displayed_width(cell), ' '); }

void append_line(std::string& text, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
}

}  // namespace

std::size_t displayed_width(const std::string& text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\033') {
            i = std::min(text.find('m', i), text.size());
        } else if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) {
            ++width;
        }
    }
    return width;
}

std::string TextTable::text(std::size_t width) const {
    const auto widths = widths_of_columns();
    std::vector<std::size_t> shown(columns_.size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    while (width != 0 && total_width(shown, widths) > width) {
        const auto least = std::max_element(shown.begin(), shown.end(), [this](std::size_t left, std::size_t right) {
            return columns_[left].importance < columns_[right].importance;
        });
        if (columns_[*least].importance == 0) return blocks();
        shown.erase(least);
    }
    return aligned(shown, widths);
}

TextTable::Widths TextTable::widths_of_columns() const {
    Widths widths;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        widths.push_back(displayed_width(columns_[column].title));
        for (const auto& row : rows_) widths.back() = std::max(widths.back(), displayed_width(row[column]));
    }
    return widths;
}

std::string TextTable::aligned(const std::vector<std::size_t>& shown, const Widths& widths) const {
    std::string text;
    const auto append = [&](const auto& cell_of) {
        std::string line;
        for (const auto column : shown) line += padded(cell_of(column), widths[column] + gap);
        append_line(text, line);
    };
    append([this](std::size_t column) { return columns_[column].title; });
    for (const auto& row : rows_) append([&row](std::size_t column) { return row[column]; });
    return text;
}

std::string TextTable::blocks() const {
    std::size_t width = 0;
    for (const auto& column : columns_) width = std::max(width, displayed_width(column.title));
    std::string text;
    for (const auto& row : rows_) {
        if (!text.empty()) text += '\n';
        for (std::size_t column = 0; column < columns_.size(); ++column)
            append_line(text, padded(columns_[column].title, width + gap) + row[column]);
    }
    return text;
}

}  // namespace cupool::tools
