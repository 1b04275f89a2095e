#include "io/text_table.hpp"

#include "catch.hpp"

using namespace cupool::tools;

TEST_CASE("a table aligns its columns and leaves out what does not fit") {
    TextTable table({{"a", 0}, {"bb", 2}, {"c", 1}});
    table.add_row({"1", "2", "3"});
    table.add_row({"\033[32myes\033[0m", "\xc3\xa4", "6"});
    CHECK(table.text(0) == "a    bb  c\n1    2   3\n\033[32myes\033[0m  \xc3\xa4   6\n");
    CHECK(table.text(10) == table.text(0));
    CHECK(table.text(9) == "a    c\n1    3\n\033[32myes\033[0m  6\n");
    CHECK(table.text(5) == "a\n1\n\033[32myes\033[0m\n");
    CHECK(table.text(2) == "a   1\nbb  2\nc   3\n\na   \033[32myes\033[0m\nbb  \xc3\xa4\nc   6\n");
}
