#include "loading/host_facts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "files.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;
using detail::diagnose_initialization;
using detail::HostFacts;

namespace {

/// A host on which everything is as it should be.
HostFacts healthy_host() {
    HostFacts facts;
    facts.device_nodes = {{"/dev/nvidia0", true}, {"/dev/nvidiactl", true}};
    facts.has_kernel_driver = true;
    facts.kernel_driver_version = "580.65.06";
    return facts;
}

constexpr char library[] = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06";

Reason reason_for(int code, const HostFacts& facts, const std::string& path = library) {
    const detail::Diagnosis diagnosis = diagnose_initialization(static_cast<abi::Status>(code), facts, path);
    CHECK_FALSE(diagnosis.explanation.empty());
    return diagnosis.reason;
}

}  // namespace

TEST_CASE("cuInit's answers become reasons") {
    const HostFacts host = healthy_host();
    CHECK(reason_for(34, host) == Reason::library_unusable);
    CHECK(reason_for(46, host) == Reason::device_unhealthy);
    CHECK(reason_for(100, host) == Reason::no_visible_device);
    CHECK(reason_for(101, host) == Reason::no_visible_device);
    CHECK(reason_for(214, host) == Reason::device_unhealthy);
    CHECK(reason_for(802, host) == Reason::not_ready);
    CHECK(reason_for(803, host) == Reason::kernel_driver);
    CHECK(reason_for(804, host) == Reason::kernel_driver);
    CHECK(reason_for(304, host) == Reason::kernel_driver);
    CHECK(reason_for(999, host) == Reason::kernel_driver);
    CHECK(reason_for(4711, host) == Reason::kernel_driver);
}

TEST_CASE("evidence sharpens a reason") {
    HostFacts host = healthy_host();
    SECTION("device nodes that may not be opened") {
        host.device_nodes[1].accessible = false;
        CHECK(reason_for(304, host) == Reason::permission);
        CHECK(reason_for(999, host) == Reason::permission);
        CHECK(reason_for(100, host) == Reason::permission);
        CHECK(reason_for(802, host) == Reason::not_ready);
    }
    SECTION("an empty CUDA_VISIBLE_DEVICES explains itself") {
        for (const char* value : {"", "-1", "NoDevFiles"}) {
            host.visible_devices = value;
            CHECK(host.hides_every_device());
            CHECK(reason_for(100, host) == Reason::no_visible_device);
            CHECK_THAT(diagnose_initialization(abi::Status::no_device, host, library).explanation, contains_text("CUDA_VISIBLE_DEVICES"));
        }
        host.visible_devices = "0,1";
        CHECK_FALSE(host.hides_every_device());
    }
    SECTION("no kernel driver at all") {
        CHECK(reason_for(100, HostFacts{}) == Reason::kernel_driver);
        CHECK(reason_for(999, HostFacts{}) == Reason::kernel_driver);
    }
    SECTION("a kernel driver and no nodes: a container without its GPUs") {
        host.device_nodes.clear();
        CHECK(reason_for(100, host) == Reason::no_visible_device);
        CHECK_THAT(diagnose_initialization(abi::Status::no_device, host, library).explanation, contains_text("--gpus"));
    }
    SECTION("a library of another version than the kernel driver") {
        const detail::Diagnosis diagnosis = diagnose_initialization(abi::Status::unknown, host, "/opt/libcuda.so.550.54.14");
        CHECK(diagnosis.reason == Reason::kernel_driver);
        CHECK_THAT(diagnosis.explanation, contains_text("550.54.14"));
        CHECK_THAT(diagnosis.explanation, contains_text("580.65.06"));
    }
}

TEST_CASE("a host's facts are read from its files") {
    const TemporaryFolder root;
    CHECK(detail::gather_host_facts(root.path()).device_nodes.empty());
    CHECK_FALSE(detail::gather_host_facts(root.path()).has_kernel_driver);
    for (const char* name : {"nvidiactl", "nvidia0", "nvidia-uvm", "null"}) write_bytes(root.path() + "/dev/" + name, "");
    std::filesystem::create_directories(root.path() + "/dev/nvidia-caps");
    write_bytes(root.path() + "/proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs-builder)  Sun Jul 27\nGCC "
                "version: gcc 12.3.0\n");
    HostFacts facts = detail::gather_host_facts(root.path());
    REQUIRE(facts.device_nodes.size() == 3);
    CHECK(facts.device_nodes[0].path == "/dev/nvidia-uvm");
    CHECK(facts.device_nodes[1].path == "/dev/nvidia0");
    CHECK(facts.device_nodes[2].path == "/dev/nvidiactl");
    CHECK_FALSE(facts.lacks_permission());
    CHECK(facts.has_kernel_driver);
    CHECK(facts.kernel_driver_version == "580.65.06");
    CHECK(facts.evidence().size() == 5);

    std::filesystem::remove_all(root.path() + "/proc");
    write_bytes(root.path() + "/dev/dxg", "");
    facts = detail::gather_host_facts(root.path());
    CHECK(facts.has_kernel_driver);
    CHECK(facts.kernel_driver_version.empty());
}

TEST_CASE("versions are found in words") {
    CHECK(detail::find_version("NVIDIA UNIX x86_64 Kernel Module  470.256.02  Thu") == "470.256.02");
    CHECK(detail::find_version("libcuda.so.1") == "");
    CHECK(detail::find_version("libcuda.so.580.65.06") == "580.65.06");
    CHECK(detail::find_version("550.54.") == "550.54");
    CHECK(detail::find_version("") == "");
}
