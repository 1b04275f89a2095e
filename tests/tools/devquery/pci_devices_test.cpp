#include "devquery/pci_devices.hpp"

#include <filesystem>

#include "catch.hpp"
#include "files.hpp"

using namespace cupool::tools;
using cupool::test::TemporaryDirectory;

namespace {

/// A root folder with PCI devices below bridges.
class Sysfs {
public:
    void add(const std::string& path, const std::string& numa_node) {
        const auto folder = root() + "/sys/devices/" + path;
        std::filesystem::create_directories(folder);
        directory_.write("sys/devices/" + path + "/numa_node", numa_node + "\n");
        std::filesystem::create_directories(root() + "/sys/bus/pci/devices");
        const auto name = path.substr(path.rfind('/') + 1);
        std::filesystem::create_symlink("../../../devices/" + path, root() + "/sys/bus/pci/devices/" + name);
    }
    std::string root() const { return directory_.path("root").substr(0, directory_.path("root").rfind('/')); }
    PciDevice read(const std::string& id) const { return read_pci_device(id, root()); }

private:
    TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("sysfs says where a PCI device is") {
    Sysfs sysfs;
    sysfs.add("pci0000:00/0000:00:01.0/0000:1b:00.0", "1");
    sysfs.add("pci0000:40/0000:41:00.0", "-1");
    CHECK(sysfs.read("0000:1b:00.0").path == std::vector<std::string>{"pci0000:00", "0000:00:01.0", "0000:1b:00.0"});
    CHECK(sysfs.read("0000:1b:00.0").numa_node == 1);
    CHECK(sysfs.read("00000000:1B:00.0").numa_node == 1);  // as some drivers write it
    CHECK_FALSE(sysfs.read("0000:41:00.0").numa_node.has_value());
    for (const auto* const id : {"0000:2b:00.0", "", "../../../etc", "/", "\xff"}) {
        INFO(id);
        CHECK(sysfs.read(id).path.empty());
        CHECK_FALSE(sysfs.read(id).numa_node.has_value());
    }
}

TEST_CASE("the distance of PCI devices") {
    Sysfs sysfs;
    sysfs.add("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", "0");  // port, switch, its port, device
    sysfs.add("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:04:00.0", "0");
    sysfs.add("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:02.0/0000:05:00.0/0000:06:00.0/0000:07:00.0", "0");
    sysfs.add("pci0000:00/0000:00:02.0/0000:08:00.0", "0");
    sysfs.add("pci0000:20/0000:20:01.0/0000:21:00.0", "0");
    sysfs.add("pci0000:80/0000:80:01.0/0000:81:00.0", "1");
    const auto first = sysfs.read("0000:03:00.0");
    CHECK(distance_between(first, first) == PciDistance::same_card);
    CHECK(distance_between(first, sysfs.read("0000:04:00.0")) == PciDistance::one_switch);
    CHECK(distance_between(first, sysfs.read("0000:07:00.0")) == PciDistance::switches);
    CHECK(distance_between(first, sysfs.read("0000:08:00.0")) == PciDistance::host_bridge);
    CHECK(distance_between(first, sysfs.read("0000:21:00.0")) == PciDistance::numa_node);
    CHECK(distance_between(first, sysfs.read("0000:81:00.0")) == PciDistance::system);
    CHECK_FALSE(distance_between(first, {}).has_value());
}
