// The cost of loading a module with many entries, measured in bytes allocated by this executable's operator new rather than in seconds.
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "catch.hpp"
#include "ptx/ptx.hpp"

namespace {

std::atomic<std::size_t> allocated_bytes{0};

}  // namespace

void* operator new(std::size_t bytes) {
    allocated_bytes += bytes;
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cupool::ptx::test {
namespace {

std::string module_with(std::size_t entries) {
    std::string text = ".version 6.3\n.target sm_75\n.address_size 64\n";
    for (std::size_t i = 0; i < entries; ++i) {
        const std::string number = std::to_string(i);
        text +=
            ".shared .u32 s" + number + ";\n.visible .entry k" + number + "() { .reg .b32 %r<2>; mov.u32 %r1, s" + number + "; ret; }\n";
    }
    return text;
}

std::size_t bytes_to_parse(std::size_t entries) {
    const std::string text = module_with(entries);
    const std::size_t before = allocated_bytes;
    CHECK(Program::parse(text).entries().size() == entries);
    return allocated_bytes - before;
}

}  // namespace

TEST_CASE("Parsing takes as much more as a module has more entries", "[ptx][scale]") {
    constexpr std::size_t few = 500;
    constexpr std::size_t factor = 8;
    CHECK(bytes_to_parse(few * factor) < 2 * factor * bytes_to_parse(few));
}

}  // namespace cupool::ptx::test
