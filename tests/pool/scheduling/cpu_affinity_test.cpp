#include "scheduling/cpu_affinity.hpp"

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "catch.hpp"

using namespace cupool::detail;

namespace {

/// A sysfs of one PCI device and one NUMA node.
struct FakeSysfs {
    std::filesystem::path root = std::filesystem::temp_directory_path() / ("cupool-sysfs-" + std::to_string(::getpid()));

    FakeSysfs(const std::string& node, const std::string& processors) {
        write("bus/pci/devices/0000:1b:00.0/numa_node", node);
        write("devices/system/node/node1/cpulist", processors);
    }
    ~FakeSysfs() { std::filesystem::remove_all(root); }

    void write(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text << '\n';
    }
};

}  // namespace

TEST_CASE("the processors near a PCI device", "[cpu_affinity]") {
    CHECK(processors_near("0000:1B:00.0", FakeSysfs("1", "0-2,8,10-11").root) == std::vector<int>{0, 1, 2, 8, 10, 11});
    CHECK(processors_near("0000:1B:00.0", FakeSysfs("-1", "0-2").root).empty());
    CHECK(processors_near("0000:1B:00.0", FakeSysfs("1", "").root).empty());
    CHECK(processors_near("0000:2C:00.0", FakeSysfs("1", "0-2").root).empty());
}

TEST_CASE("a thread settles on processors, and stays where it was when there are none", "[cpu_affinity]") {
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    std::vector<int> every_processor(CPU_SETSIZE);
    std::iota(every_processor.begin(), every_processor.end(), 0);
    int one = 0;
    while (!CPU_ISSET(one, &allowed)) ++one;
    std::thread([&] {
        cpu_set_t now;
        run_on_processors({});
        REQUIRE(sched_getaffinity(0, sizeof now, &now) == 0);
        CHECK(CPU_EQUAL(&now, &allowed));
        run_on_processors({one, -1, 1 << 20});
        run_on_processors(every_processor);  // never more than before
        REQUIRE(sched_getaffinity(0, sizeof now, &now) == 0);
        CHECK(CPU_COUNT(&now) == 1);
        CHECK(CPU_ISSET(one, &now));
    }).join();
}
