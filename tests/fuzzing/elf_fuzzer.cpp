// Fuzzes the check of a driver library's file before it is loaded. The input is the file.
#include "fuzz_input.hpp"
#include "loading/elf_check.hpp"
#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const cupool::test::MemoryFile file({data, size});
    cupool::detail::find_elf_fault(file.path());
    return 0;
}
