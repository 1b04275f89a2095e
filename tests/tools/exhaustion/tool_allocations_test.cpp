// The Nth allocation of a tool and all after it fail, counted from the start of the process; the processes that it starts count on.
// Each time the tool has done its work, or says that memory has run out.
//
// By default some hundred N of each run. CUPOOL_FAULT_MATRIX=whole takes all (hours); CUPOOL_FAULT_SEED=NUMBER draws others.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "allocation_count.hpp"
#include "catch.hpp"
#include "fault_places.hpp"
#include "sanitizers.hpp"
#include "tool_runs.hpp"

using namespace cupool::test;

namespace {

/// The file by which failing_malloc.cpp is told what to do, and tells what it has seen.
class CountFile {
public:
    explicit CountFile(std::string path) : path_(std::move(path)) {
        const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0 || ::ftruncate(file, sizeof(AllocationCount)) != 0) throw std::runtime_error("cannot make " + path_);
        void* const memory = ::mmap(nullptr, sizeof(AllocationCount), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ::close(file);
        if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + path_);
        count_ = static_cast<AllocationCount*>(memory);
    }
    ~CountFile() { ::munmap(count_, sizeof(AllocationCount)); }
    CountFile(const CountFile&) = delete;
    CountFile& operator=(const CountFile&) = delete;

    /// Runs a tool, of whose allocations this and all after it fail; 0: none.
    ProcessResult run(const ToolRun& run, std::uint64_t first_refused) {
        count_->made = 0;
        count_->first_refused = first_refused;
        auto variables = run.variables;
        variables.push_back(std::string("LD_PRELOAD=") + FAILING_MALLOC);
        variables.push_back(std::string(allocation_count_variable) + '=' + path_);
        return run_process(run.program, run.arguments, {}, variables);
    }

    std::uint64_t made() const { return count_->made; }

private:
    std::string path_;
    AllocationCount* count_ = nullptr;
};

/// glibc's dynamic loader ends the process itself where it has no memory to bind a library's symbols, or for the thread-local variables of
/// one that is loaded: of the driver here, in whose code no handler of the tool's is called.
bool is_end_by_loader(const ProcessResult& result) {
    return result.exit_code == 127 && result.out.empty() &&
           (result.err == "out of memory\n" || result.err == "cannot allocate memory for thread-local data: ABORT\n");
}

bool says_that_memory_ran_out(const ProcessResult& result) {
    return result.exit_code == 1 && result.out.empty() && result.err.find("memory") != std::string::npos &&
           std::count(result.err.begin(), result.err.end(), '\n') == 1;
}

}  // namespace

TEST_CASE("a tool whose memory runs out, at whatever allocation, has done its work or says so") {
    if (is_sanitized) CUPOOL_SKIP("skipped: a sanitizer brings an allocator of its own");
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const TemporaryDirectory directory;
    CountFile count(directory.path("count"));
    std::uint64_t ends_by_loader = 0;
    for (const ToolRun& run : tool_runs(directory, simulator)) {
        const ProcessResult expected = count.run(run, 0);
        INFO(run.name << ", seed " << fault_seed());
        REQUIRE(expected.exit_code >= 0);
        REQUIRE(expected.err.empty());
        const std::uint64_t all = count.made();
        REQUIRE(all > 0);  // else the library was not loaded into it
        const auto places = fault_places(all, run.is_long ? 60 : 300);
        for (const std::uint64_t nth : places) {
            const ProcessResult result = count.run(run, nth);
            const bool is_right = result.exit_code == expected.exit_code && answer_in(result.out) == answer_in(expected.out);
            INFO("from allocation " << nth << ": exit code " << result.exit_code << " (-1: a signal), stderr: " << result.err);
            CHECK((is_right || says_that_memory_ran_out(result) || is_end_by_loader(result)));
            if (is_end_by_loader(result)) {
                ++ends_by_loader;
                CHECK(run.name.find("simulated driver") != std::string::npos);
            }
        }
        std::cout << run.name << ": from " << places.size() << " of " << all << " allocations" << std::endl;
    }
    std::cout << ends_by_loader << " times the dynamic loader ended the tool" << std::endl;
}
