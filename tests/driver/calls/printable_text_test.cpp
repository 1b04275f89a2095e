#include <cupool/driver/printable_text.hpp>

#include "catch.hpp"

using cupool::on_one_line;
using cupool::printable_text;

TEST_CASE("text that a terminal may show stays as it is") {
    CHECK(printable_text("").empty());
    CHECK(printable_text("NVIDIA H200, 100 %") == "NVIDIA H200, 100 %");
    CHECK(printable_text("Größe ∑ 😀") == "Größe ∑ 😀");
    CHECK(printable_text("\xf4\x8f\xbf\xbf\xed\x9f\xbf") == "\xf4\x8f\xbf\xbf\xed\x9f\xbf");
}

TEST_CASE("control characters are escaped") {
    CHECK(printable_text("a\x1b[2Jb") == "a\\x1b[2Jb");
    CHECK(printable_text("\r\n\t\x7f") == "\\x0d\\x0a\\x09\\x7f");
    CHECK(printable_text(std::string_view("a\0b", 3)) == "a\\x00b");
    CHECK(printable_text("\xc2\x9b"
                         "2J") ==
          "\\xc2\\x9b"
          "2J");  // one of the second set
    CHECK(printable_text("\xc2\xa0") == "\xc2\xa0");
}

TEST_CASE("bytes that are no UTF-8 are escaped") {
    CHECK(printable_text("\xff\xfe") == "\\xff\\xfe");
    CHECK(printable_text("\x80") == "\\x80");
    CHECK(printable_text("\xc0\x9b") == "\\xc0\\x9b");  // two bytes for what one can say
    CHECK(printable_text("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");
    CHECK(printable_text("\xf0\x80\x80\x9b") == "\\xf0\\x80\\x80\\x9b");
    CHECK(printable_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
    CHECK(printable_text("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // past the last character
    CHECK(printable_text("\xe2\x88") == "\\xe2\\x88");                    // cut short
    CHECK(printable_text("\xe2\x88\xc3\xb6") == "\\xe2\\x88ö");
}

TEST_CASE("lines are joined on one line") {
    CHECK(on_one_line("one\ntwo\r\n\nthree\n") == "one | two | three");
    CHECK(on_one_line("\nalone").find('|') == std::string::npos);
    CHECK(on_one_line("").empty());
}
