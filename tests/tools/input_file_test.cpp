#include "src/input_file.hpp"

#include "catch.hpp"
#include "faults.hpp"
#include "files.hpp"

using namespace cupool::tools;
using cupool::test::require_fault;
using cupool::test::TemporaryDirectory;

namespace {

std::vector<std::string> lines_of(const std::string& content) {
    const TemporaryDirectory directory;
    InputFile file(directory.write("lines", content));
    std::vector<std::string> lines;
    for (LineReader reader(file); reader.next();) lines.emplace_back(reader.line());
    return lines;
}

}  // namespace

TEST_CASE("lines are read whole, wherever the buffer ends") {
    CHECK(lines_of("").empty());
    CHECK(lines_of("\n") == std::vector<std::string>{""});
    CHECK(lines_of("a\n\r\nb\r\nc") == std::vector<std::string>{"a", "", "b", "c"});

    std::string content;
    std::vector<std::string> lines;
    for (int i = 0; i < 30000; ++i) {
        lines.push_back(std::string(static_cast<std::size_t>(i % 200), 'x') + std::to_string(i));
        content += lines.back() + '\n';
    }
    REQUIRE(content.size() > 3 * LineReader::longest_line);
    CHECK(lines_of(content) == lines);
}

TEST_CASE("a line has 1 MiB at most, its end aside") {
    const std::string line(LineReader::longest_line, 'x');
    CHECK(lines_of("a\n" + line + "\nb") == std::vector<std::string>{"a", line, "b"});
    CHECK(lines_of("a\n" + line + "\r\nb") == std::vector<std::string>{"a", line, "b"});
    CHECK(lines_of("a\n" + line) == std::vector<std::string>{"a", line});
    for (const std::string end : {"\nb", "\r\nb", ""}) {
        require_fault([&] { lines_of("a\n" + line + "x" + end); }, InputFault::length, "line 2, column 1");
    }
}

TEST_CASE("whole files are read, of every size") {
    const TemporaryDirectory directory;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20, (std::size_t{1} << 20) + 1, std::size_t{5} << 20}) {
        std::string content(size, '\0');
        for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * i >> 3);
        InputFile file(directory.write("whole", content));
        const auto bytes = read_all(file);
        CHECK(std::string(bytes.begin(), bytes.end()) == content);
    }
}

TEST_CASE("elements are read little-endian, and must be whole") {
    const TemporaryDirectory directory;
    const auto read = [&](const std::string& content) {
        return parse_file(directory.write("elements", content), read_elements<std::uint64_t>);
    };
    CHECK(read(std::string("\1\2\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16)) ==
          std::vector<std::uint64_t>{0x201, ~std::uint64_t{0}});
    CHECK(read(std::string(std::size_t{3} << 20, '\0')).size() == std::size_t{3} << 17);
    require_fault([&] { read(""); }, InputFault::empty, directory.path("elements"));
    require_fault([&] { read("1234567"); }, InputFault::length, directory.path("elements") + ", byte 0");
    require_fault(
        [&] {
            read(
                "12345678"
                "123");
        },
        InputFault::length, directory.path("elements") + ", byte 8");
}

TEST_CASE("what cannot be read is named") {
    const TemporaryDirectory directory;
    require_fault([&] { parse_file(directory.path("absent"), read_all); }, InputFault::unreadable, directory.path("absent"));
    require_fault([&] { parse_file(directory.path(""), read_all); }, InputFault::unreadable, directory.path(""));
}
