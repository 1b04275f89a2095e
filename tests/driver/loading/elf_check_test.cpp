#include "loading/elf_check.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "files.hpp"
#include "loading/damaged_library.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a whole library has no fault") {
    CHECK(detail::find_elf_fault(CUPOOL_UNRELATED_LIBRARY).empty());
    CHECK(detail::find_elf_fault(CUPOOL_SIMULATOR_LIBRARY).empty());
}

TEST_CASE("a library cut short anywhere within its segments is found out, and refused by the loader") {
    const TemporaryFolder folder;
    const std::string image = read_bytes(CUPOOL_UNRELATED_LIBRARY);
    const std::size_t end = loadable_size(CUPOOL_UNRELATED_LIBRARY);
    REQUIRE(end > 300);
    REQUIRE(end < image.size());
    const std::string path = folder.path() + "/libcuda.so.1";
    for (std::size_t point = 0; point < 300; ++point) {
        const std::size_t size = point < 100 ? point : 100 + (end - 100) * (point - 100) / 200;
        write_bytes(path, image.substr(0, size));
        INFO("cut to " << size << " of " << image.size() << " bytes, segments end at " << end);
        CHECK_FALSE(detail::find_elf_fault(path).empty());
        LoadOptions options;
        options.library_path = path;
        const auto driver = Driver::try_open(options);
        REQUIRE_FALSE(driver);
        CHECK(driver.error().reason() == Reason::library_unusable);
    }
    write_bytes(path, image.substr(0, end));
    CHECK(detail::find_elf_fault(path).empty());
}

TEST_CASE("what is no library for this machine is named") {
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/library";
    std::string image = read_bytes(CUPOOL_UNRELATED_LIBRARY);
    const auto fault_of = [&](const std::string& bytes) {
        write_bytes(path, bytes);
        return detail::find_elf_fault(path);
    };
    CHECK_THAT(detail::find_elf_fault(folder.path()), contains_text("directory"));
    CHECK_THAT(detail::find_elf_fault(folder.path() + "/none"), contains_text("cannot be opened"));
    CHECK_THAT(detail::find_elf_fault("/dev/null"), contains_text("not a regular file"));
    CHECK_THAT(fault_of(""), contains_text("empty"));
    CHECK_THAT(fault_of("INPUT(-lcuda)\n"), contains_text("no ELF file"));
    std::string other = image;
    other[EI_CLASS] = ELFCLASS32;
    CHECK_THAT(fault_of(other), contains_text("32 bits"));
    other = image;
    other[18] = static_cast<char>(EM_386);
    other[19] = 0;
    CHECK_THAT(fault_of(other), contains_text("another architecture: x86 (32 bits)"));
    other = image;
    other[16] = ET_REL;
    CHECK_THAT(fault_of(other), contains_text("no shared library"));
}

TEST_CASE("nonsense in headers is never believed") {
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/library";
    const std::string image = read_bytes(CUPOOL_UNRELATED_LIBRARY);
    // Every byte of the header and the program headers in turn becomes all ones: the check must come back, whatever it says.
    ElfW(Ehdr) header;
    std::memcpy(&header, image.data(), sizeof(header));
    const std::size_t headers = header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize;
    for (std::size_t index = 0; index < headers; ++index) {
        std::string damaged = image;
        damaged[index] = '\xff';
        write_bytes(path, damaged);
        CHECK_NOTHROW(detail::find_elf_fault(path));
    }
}
