#pragma once

#include <cstdint>
#include <string_view>

namespace cupool::ptx {

struct Token {
    enum class Kind : std::uint8_t {
        end,
        word,         ///< identifier, register or opcode: `%rd1`, `mad`, `$L__BB0_2`
        dotted,       ///< `.u32`, `.global`, `.L2::128B`: directive, type or modifier; the text starts with the dot
        integer,      ///< value in `bits`, the low 64
        float32,      ///< `0f3F800000`: the bits of the float
        float64,      ///< `0d...` or a decimal: the bits of the double
        string,       ///< text without its quotes
        punctuation,  ///< one character
    };

    Kind kind = Kind::end;
    int line = 1;
    std::string_view text;
    std::uint64_t bits = 0;

    bool is(char character) const noexcept { return kind == Kind::punctuation && text[0] == character; }
    bool is(Kind wanted, std::string_view word) const noexcept { return kind == wanted && text == word; }
};

/// Splits PTX text into tokens. Throws ParseError on a character that starts no token.
class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Token next();
    int line() const noexcept { return line_; }

private:
    void skip_blank();
    Token number();
    Token float_bits(Token::Kind kind, std::size_t digits);
    Token decimal();
    Token string();
    Token make(Token::Kind kind, std::size_t length);
    char peek(std::size_t ahead = 0) const noexcept { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }

    std::string_view text_;
    std::size_t position_ = 0;
    int line_ = 1;
};

}  // namespace cupool::ptx
