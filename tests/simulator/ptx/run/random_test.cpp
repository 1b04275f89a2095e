#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "machine.hpp"
#include "random_kernels.hpp"

namespace cupool::ptx::test {

TEST_CASE("Random kernels give what a GPU gives, in every bit of every register", "[ptx][random]") {
    std::ifstream file(CUPOOL_RANDOM_ANSWERS);
    std::size_t compared = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::uint64_t seed = 0;
        std::uint64_t answer = 0;
        words >> seed >> std::hex >> answer;
        const RandomKernel kernel = random_kernel(seed);
        Memory memory;
        Loaded loaded(memory, random_module_head() + random_entry(kernel, "k", kernel.instructions.size()));
        const std::uint64_t input = memory.upload(random_input(seed));
        const std::uint64_t output = memory.upload(std::vector<unsigned char>(random_threads * random_thread_bytes));
        const Outcome outcome = loaded.run("k", {1}, {random_threads}, input, output);
        INFO("seed " << seed << ": " << outcome.report);
        REQUIRE(outcome);
        CHECK(hash_of_output(memory.download<unsigned char>(output, random_threads * random_thread_bytes)) == answer);
        ++compared;
    }
    CHECK(compared == 1157);
}

}  // namespace cupool::ptx::test
