// The shipped program, on a simulated driver that fails: it must never die of it, nor invent a result. (Only the shipped program links the
// compiler's runtime statically, which matters to exceptions.)
#include <cstdlib>
#include <cupool/driver/entry_points.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "process.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using cupool::test::run_process;

TEST_CASE("cupool survives every driver call that fails") {
    if (test::is_sanitized) CUPOOL_SKIP("skipped: a program built with a sanitizer is not the one that ships");
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const std::string input("\1\0\0\0\2\0\0\0", 8);
    for (const EntryPointInfo& entry_point : all_entry_points) {
        for (const std::string fault : {":1:2:once", ":1:2:always", ":1:46:always", ":2:700:sticky"}) {
            const auto result =
                run_process(CUPOOL_TOOL, {"reduce", "--type", "i32", "--op", "sum", "--devices", "0", "-"}, input,
                            {std::string("CUPOOL_DRIVER=") + simulator, "CUPOOL_SIM_FAULTS=" + (entry_point.exported + fault)});
            INFO(entry_point.exported << fault << ": " << result.err);
            if (result.exit_code == 0) {
                CHECK(nlohmann::json::parse(result.out).at("result") == 3);
            } else {
                CHECK(((result.exit_code == 1) || (result.exit_code >= 10 && result.exit_code <= 18)));
                CHECK(result.out.empty());
                CHECK_FALSE(result.err.empty());
            }
        }
    }
}
