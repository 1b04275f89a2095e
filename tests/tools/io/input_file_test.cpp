#include "io/input_file.hpp"

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

TEST_CASE("a line has at most 1 MiB, its end not counted") {
    for (const std::size_t size : {LineReader::longest_line - 1, LineReader::longest_line}) {
        const std::string line(size, 'x');
        CHECK(lines_of("a\n" + line + "\nb") == std::vector<std::string>{"a", line, "b"});
        CHECK(lines_of("a\n" + line + "\r\nb") == std::vector<std::string>{"a", line, "b"});
        CHECK(lines_of("a\n" + line) == std::vector<std::string>{"a", line});
        CHECK(lines_of(line + "\n") == std::vector<std::string>{line});
    }
    for (const std::size_t more : {1, 2, 3, 1000}) {
        const std::string line(LineReader::longest_line + more, 'x');
        for (const std::string end : {"", "\n", "\r\n", "\nb"}) {
            require_fault([&] { lines_of("a\n" + line + end); }, InputFault::length, "line 2, column 1");
            require_fault([&] { lines_of(line + end); }, InputFault::length, "line 1, column 1");
        }
    }
}

TEST_CASE("whole files are read, of every size, but no further than they may be long") {
    const TemporaryDirectory directory;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, (std::size_t{1} << 20) + 1}) {
        std::string content(size, '\0');
        for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * i >> 3);
        const auto path = directory.write("whole", content);
        for (const std::size_t most : {size, size + 1, 2 * size}) {
            InputFile file(path);
            const auto bytes = read_all(file, most);
            CHECK(std::string(bytes.begin(), bytes.end()) == content);
        }
        if (size != 0) {
            InputFile file(path);
            require_fault([&] { read_all(file, size - 1); }, InputFault::length, "");
        }
    }
    InputFile endless("/dev/zero");
    require_fault([&] { read_all(endless, 1000); }, InputFault::length, "");
}

TEST_CASE("elements are read little-endian, and must be whole") {
    const TemporaryDirectory directory;
    const auto read = [&](const std::string& content) {
        return parse_file(directory.write("elements", content), [](InputFile& file) {
            std::vector<std::uint64_t> elements;
            ElementReader<std::uint64_t> reader(file);
            while (reader.next()) elements.insert(elements.end(), reader.elements().begin(), reader.elements().end());
            return elements;
        });
    };
    CHECK(read(std::string("\1\2\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16)) ==
          std::vector<std::uint64_t>{0x201, ~std::uint64_t{0}});
    CHECK(read(std::string(std::size_t{3} << 20, '\0')).size() == std::size_t{3} << 17);
    for (const std::size_t bytes : {ElementReader<std::uint64_t>::chunk_bytes - 8, ElementReader<std::uint64_t>::chunk_bytes,
                                    ElementReader<std::uint64_t>::chunk_bytes + 8}) {
        std::string content(bytes, '\0');
        content[bytes - 1] = '\x80';
        const auto elements = read(content);
        CHECK(elements.size() == bytes / 8);
        CHECK(elements.back() == std::uint64_t{1} << 63);
    }
    require_fault([&] { read(std::string(ElementReader<std::uint64_t>::chunk_bytes + 3, '\0')); }, InputFault::length,
                  directory.path("elements") + ", byte 67108864");
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
    const auto read = [](InputFile& file) { return read_all(file, 1); };
    require_fault([&] { parse_file(directory.path("absent"), read); }, InputFault::unreadable, directory.path("absent"));
    require_fault([&] { parse_file(directory.path(""), read); }, InputFault::unreadable, directory.path(""));
}
