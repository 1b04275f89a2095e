#include <cstddef>
#include <cupool/driver/printable_text.hpp>

namespace cupool {

namespace {

unsigned byte_at(std::string_view text, std::size_t index) { return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U; }

bool are_in(std::string_view bytes, unsigned least, unsigned most) {
    for (const char byte : bytes) {
        if (static_cast<unsigned char>(byte) < least || static_cast<unsigned char>(byte) > most) return false;
    }
    return true;
}

/// The length in bytes of the first character; 0 if it is not well-formed. (The Unicode Standard,
/// table 3-7.)
std::size_t character_length(std::string_view text) {
    const unsigned first = byte_at(text, 0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                               : first >= 0xe0 && first <= 0xef ? 3
                               : first >= 0xf0 && first <= 0xf4 ? 4
                                                                : 0;
    const unsigned min_second = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned max_second = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    const bool is_whole = length != 0 && text.size() >= length && are_in(text.substr(1, 1), min_second, max_second) &&
                          are_in(text.substr(2, length - 2), 0x80, 0xbf);
    return is_whole ? length : 0;
}

/// Whether the first character is a control character of ASCII or one of U+0080 to U+009F. \pre the
/// text begins with a well-formed character
bool begins_with_control(std::string_view text) {
    const unsigned first = byte_at(text, 0);
    return first < 0x20 || first == 0x7f || (first == 0xc2 && byte_at(text, 1) < 0xa0);
}

void append_escape(std::string& to, unsigned byte) {
    constexpr char digits[] = "0123456789abcdef";
    to += "\\x";
    to += digits[byte >> 4];
    to += digits[byte & 15];
}

}  // namespace

std::string printable_text(std::string_view text) {
    std::string printable;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (length == 0 || begins_with_control(text)) {
            append_escape(printable, byte_at(text, 0));
            text.remove_prefix(1);
        } else {
            printable += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return printable;
}

std::string on_one_line(std::string_view text) {
    std::string line;
    bool pending_break = false;
    for (const char character : text) {
        if (character == '\n' || character == '\r' || character == '\0') {
            pending_break = !line.empty();
            continue;
        }
        if (pending_break) {
            line += " | ";
            pending_break = false;
        }
        line += character;
    }
    return line;
}

}  // namespace cupool
