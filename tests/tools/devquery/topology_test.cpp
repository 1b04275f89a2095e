#include "devquery/topology.hpp"

#include "catch.hpp"
#include "devquery/topology_report.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::contains_text;

namespace {

/// Four devices of which the first two and the last two have direct access to each other.
Topology two_pairs() {
    Topology topology;
    for (int device = 0; device < 4; ++device) topology.devices.push_back({device, "name \x1b[31m", "0000:1b:00.0", {{}, device / 2}});
    for (int from = 0; from < 4; ++from) {
        for (int to = 0; to < 4; ++to) {
            if (from == to) continue;
            const bool access = from / 2 == to / 2;
            topology.links.push_back({from, to, Device::PeerLink{access, from < 2, access, 7}, {}, {}});
        }
    }
    return topology;
}

}  // namespace

TEST_CASE("links are found by their ends") {
    const auto topology = two_pairs();
    for (std::size_t from = 0; from < 4; ++from) {
        for (std::size_t to = 0; to < 4; ++to) {
            if (from == to) continue;
            CHECK(topology.link(from, to).from == static_cast<int>(from));
            CHECK(topology.link(from, to).to == static_cast<int>(to));
        }
    }
}

TEST_CASE("devices with direct access to each other are a group") {
    auto topology = two_pairs();
    CHECK(groups_with_access(topology) == std::vector<std::vector<std::size_t>>{{0, 1}, {2, 3}});
    topology.links[0].link->can_access = false;  // one way does not suffice
    CHECK(groups_with_access(topology) == std::vector<std::vector<std::size_t>>{{0}, {1}, {2, 3}});
}

TEST_CASE("the picture shows access, atomics and rank, and what failed") {
    auto topology = two_pairs();
    topology.links[11].link.reset();
    topology.links[11].failure = "cuDeviceGetP2PAttribute answered 999";
    topology.links[0].distance = PciDistance::system;
    const auto picture = topology_picture(topology, 0);
    CHECK_THAT(picture,
               contains_text("GPU 0      self   === 7  ...    ...    0") && contains_text("GPU 2      ...    ...    self   --- 7  1"));
    CHECK_THAT(picture, contains_text("GPU 3      ...    ...    ?      self") && contains_text("GPU 3 to GPU 2: cuDeviceGetP2PAttribute"));
    CHECK_THAT(picture, contains_text("direct access to each other: GPU 0, GPU 1\n") && contains_text("GPU 0 and GPU 1 over PCI: system"));
    CHECK(picture.find('\x1b') == std::string::npos);
}
