#include "formats/scalars.hpp"

#include "catch.hpp"
#include "formats/bad_input.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::contains_text;

TEST_CASE("scalars are hexadecimal numbers, one a line") {
    const std::vector<Scalar> expected = {Scalar{{1}}, Scalar{{0xab}}, Scalar{{~0ull, ~0ull, ~0ull, ~0ull}}};
    const std::string most(64, 'F');
    CHECK(parse_scalars("1\n0x00aB\r\n" + most) == expected);
    CHECK(parse_scalars(" 1 \n\tab\n0x" + most + "\n") == expected);
}

TEST_CASE("what is no file of scalars is refused with its place") {
    const auto message = [](const std::string& text) {
        try {
            parse_scalars(text);
        } catch (const BadInput& error) {
            return std::string(error.what());
        }
        return std::string("nothing was refused");
    };
    CHECK_THAT(message(""), contains_text("the input is empty"));
    CHECK_THAT(message("1\n\n2\n"), contains_text("line 2, column 1") && contains_text("a scalar was expected"));
    CHECK_THAT(message("1\n2 3\n"), contains_text("line 2, column 3") && contains_text("goes on"));
    CHECK_THAT(message("1\n0x\n"), contains_text("line 2"));
    CHECK_THAT(message("z"), contains_text("line 1, column 1") && contains_text("'z'"));
    CHECK_THAT(message(std::string(65, '1')), contains_text("65"));
}
