// Which CPUs are near a device, and a process that is kept on them.
#include "worker_process/near_cpus.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"

using namespace cupool::detail;

namespace {

/// A folder of PCI devices with one device.
class Devices {
public:
    explicit Devices(const std::string& cpus) {
        ::mkdtemp(path_.data());
        std::filesystem::create_directory(path_ + "/0000:c1:00.0");
        std::ofstream(path_ + "/0000:c1:00.0/local_cpulist") << cpus;
    }
    ~Devices() { std::filesystem::remove_all(path_); }
    Devices(const Devices&) = delete;
    Devices& operator=(const Devices&) = delete;

    std::optional<cpu_set_t> near(const std::string& pci_bus_id) const { return cpus_near(pci_bus_id, path_); }

private:
    std::string path_ = std::filesystem::temp_directory_path() / "cupool-near-XXXXXX";
};

}  // namespace

TEST_CASE("the CPUs near a device are read from sysfs") {
    const auto cpus = Devices("0-3,8,10-11\n").near("00000000:C1:00.0");
    REQUIRE(cpus.has_value());
    CHECK(CPU_COUNT(&*cpus) == 7);
    for (const std::size_t cpu : {0U, 3U, 8U, 10U, 11U}) CHECK(CPU_ISSET(cpu, &*cpus));
    for (const std::size_t cpu : {4U, 7U, 9U, 12U}) CHECK_FALSE(CPU_ISSET(cpu, &*cpus));
}

TEST_CASE("where sysfs does not tell, no CPU counts as near") {
    for (const char* const list : {"", "\n", "x", "3-", "5-2", "-1", "0-99999", "1,,2", "1 2"}) {
        INFO(list);
        CHECK_FALSE(Devices(list).near("0000:c1:00.0").has_value());
    }
    const Devices devices("0");
    for (const char* const id : {"", "0000:00:00.0", "../0000:c1:00.0", "0000:c1:00.0/..", "..", "."}) {
        INFO(id);
        CHECK_FALSE(devices.near(id).has_value());
    }
}

TEST_CASE("a process is kept on those of its CPUs that are near, if there is one") {
    cpu_set_t all;
    REQUIRE(::sched_getaffinity(0, sizeof(all), &all) == 0);
    std::size_t last = 0;
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) last = CPU_ISSET(cpu, &all) ? cpu : last;
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    cpu_set_t near;
    CPU_ZERO(&near);
    const auto cpus_of_child = [&] {
        cpu_set_t cpus;
        ::sched_getaffinity(child, sizeof(cpus), &cpus);
        return cpus;
    };
    keep_on(child, near);  // empty: as in a container without a CPU of the device's node
    cpu_set_t now = cpus_of_child();
    CHECK(CPU_EQUAL(&now, &all));
    CPU_SET(last, &near);
    keep_on(child, near);
    now = cpus_of_child();
    CHECK(CPU_EQUAL(&now, &near));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}
