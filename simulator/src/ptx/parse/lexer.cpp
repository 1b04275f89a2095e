#include "ptx/parse/lexer.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

#include "ptx/ptx.hpp"

namespace cupool::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool follows_in_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }
bool starts_word(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }

int digit_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

}  // namespace

void Lexer::skip_blank() {
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (c == '\n') {
            ++line_;
            ++position_;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++position_;
        } else if (c == '/' && peek(1) == '/') {
            position_ = std::min(text_.find('\n', position_), text_.size());
        } else if (c == '/' && peek(1) == '*') {
            const std::size_t end = text_.find("*/", position_ + 2);
            if (end == std::string_view::npos) throw ParseError(ParseError::Kind::malformed, line_, "/*", "comment without an end");
            line_ += static_cast<int>(std::count(text_.begin() + position_, text_.begin() + end, '\n'));
            position_ = end + 2;
        } else {
            break;
        }
    }
}

Token Lexer::make(Token::Kind kind, std::size_t length) {
    Token token{kind, line_, text_.substr(position_, length), 0};
    position_ += length;
    return token;
}

Token Lexer::next() {
    skip_blank();
    if (position_ >= text_.size()) return make(Token::Kind::end, 0);
    const char c = peek();
    std::size_t length = 1;
    if (starts_word(c)) {
        while (follows_in_word(peek(length))) ++length;
        return make(Token::Kind::word, length);
    }
    if (c == '.' && follows_in_word(peek(1))) {
        while (follows_in_word(peek(length)) || (peek(length) == ':' && peek(length + 1) == ':' && follows_in_word(peek(length + 2)))) {
            length += peek(length) == ':' ? 2 : 1;
        }
        return make(Token::Kind::dotted, length);
    }
    if (is_digit(c)) return number();
    if (c == '"') return string();
    constexpr std::string_view punctuation = "()[]{}<>,;:=+-!@|~*/&^?%.";
    if (punctuation.find(c) != std::string_view::npos) return make(Token::Kind::punctuation, 1);
    throw ParseError(ParseError::Kind::malformed, line_, std::string(1, c), "unexpected character");
}

Token Lexer::string() {
    const std::size_t end = text_.find('"', position_ + 1);
    if (end == std::string_view::npos || text_.substr(position_, end - position_).find('\n') != std::string_view::npos)
        throw ParseError(ParseError::Kind::malformed, line_, "\"", "string without an end");
    Token token{Token::Kind::string, line_, text_.substr(position_ + 1, end - position_ - 1), 0};
    position_ = end + 1;
    return token;
}

Token Lexer::number() {
    const char second = peek(1);
    if (peek() == '0' && (second == 'f' || second == 'F')) return float_bits(Token::Kind::float32, 8);
    if (peek() == '0' && (second == 'd' || second == 'D')) return float_bits(Token::Kind::float64, 16);

    int base = 10;
    std::size_t length = 0;
    if (peek() == '0' && (second == 'x' || second == 'X')) {
        base = 16;
        length = 2;
    } else if (peek() == '0' && (second == 'b' || second == 'B')) {
        base = 2;
        length = 2;
    }
    const std::size_t first_digit = length;
    while (digit_value(peek(length)) < base) ++length;
    if (base == 10 && (peek(length) == '.' || peek(length) == 'e' || peek(length) == 'E')) return decimal();
    if (base == 10 && peek() == '0') base = 8;

    std::uint64_t value = 0;
    const char* end = text_.data() + position_ + length;
    const auto parsed = std::from_chars(text_.data() + position_ + first_digit, end, value, base);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
        throw ParseError(ParseError::Kind::malformed, line_, std::string(text_.substr(position_, std::max<std::size_t>(length, 1))),
                         "not an integer of 64 bits");
    if (peek(length) == 'U') ++length;
    if (follows_in_word(peek(length)))
        throw ParseError(ParseError::Kind::malformed, line_, std::string(text_.substr(position_, length + 1)), "not a number");
    Token token = make(Token::Kind::integer, length);
    token.bits = value;
    return token;
}

Token Lexer::float_bits(Token::Kind kind, std::size_t digits) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        const int digit = digit_value(peek(2 + i));
        if (digit > 15)
            throw ParseError(ParseError::Kind::malformed, line_, std::string(text_.substr(position_, 2 + i)), "too few hexadecimal digits");
        bits = bits << 4 | static_cast<std::uint64_t>(digit);
    }
    Token token = make(kind, 2 + digits);
    token.bits = bits;
    return token;
}

Token Lexer::decimal() {
    double value = 0;
    const auto parsed = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
    if (parsed.ec == std::errc::invalid_argument)
        throw ParseError(ParseError::Kind::malformed, line_, std::string(1, peek()), "not a number");
    Token token = make(Token::Kind::float64, static_cast<std::size_t>(parsed.ptr - (text_.data() + position_)));
    token.bits = std::bit_cast<std::uint64_t>(value);
    return token;
}

}  // namespace cupool::ptx
