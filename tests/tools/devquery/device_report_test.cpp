#include "devquery/device_report.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::contains_text;

namespace {

ProbeReport report_without_library() {
    ProbeReport report;
    report.reason = Reason::no_library;
    report.explanation = "install a driver";
    report.library.attempts = {{"libcuda.so.1", "search", Reason::no_library, "cannot open shared object file"}};
    report.evidence = {{"/dev/nvidiactl", "absent"}};
    return report;
}

ProbedDevice good_device() {
    ProbedDevice device;
    device.name = "NVIDIA H200";
    device.uuid = "GPU-01234567";
    device.pci_bus_id = "0000:1b:00.0";
    device.total_memory = std::size_t{141} << 30;
    device.compute_capability_major = 9;
    device.multiprocessor_count = 132;
    return device;
}

ProbeReport report_of_two() {
    ProbeReport report;
    report.reason = Reason::partial;
    report.explanation = "1 of 2 devices can be used";
    report.library.reason = Reason::none;
    report.library.library_path = "/usr/lib/libcuda.so.1";
    report.library.version = 13000;
    report.kernel_driver = "580.65.06";
    report.devices = {good_device(), good_device()};
    report.devices[1].ordinal = 1;
    report.devices[1].compute_mode = abi::ComputeMode::prohibited;
    report.devices[1].reason = Reason::device_unhealthy;
    report.devices[1].explanation = "its compute mode is prohibited";
    return report;
}

}  // namespace

TEST_CASE("a table without devices says why, what was tried and what to do") {
    const auto table = device_table(report_without_library(), false);
    for (const auto* const text : {"No GPU can be used", "10 (no_library)", "install a driver", "libcuda.so.1",
                                   "cannot open shared object file", "/dev/nvidiactl: absent"}) {
        CHECK_THAT(table, contains_text(text));
    }
}

TEST_CASE("a table of devices shows each, and why one cannot be used") {
    const auto table = device_table(report_of_two(), false);
    for (const auto* const text : {"/usr/lib/libcuda.so.1", "13.0", "580.65.06", "NVIDIA H200", "GPU-01234567", "0000:1b:00.0", "141.0 GiB",
                                   "9.0", "132", "prohibited", "yes", "no: its compute mode is prohibited", "18 (partial)"}) {
        CHECK_THAT(table, contains_text(text));
    }
    CHECK(table.find('\033') == std::string::npos);
    CHECK_THAT(device_table(report_of_two(), true), contains_text("\033[32myes\033[0m"));
}

TEST_CASE("where all is well the table has devices alone") {
    auto report = report_of_two();
    report.reason = Reason::none;
    report.devices.pop_back();
    const auto table = device_table(report, false);
    CHECK_THAT(table, !contains_text("looked at"));
    CHECK_THAT(table, !contains_text("No GPU"));
}

TEST_CASE("the JSON has all that the schema promises") {
    const auto json = nlohmann::json::parse(device_json(report_of_two()));
    CHECK(json.at("schema") == 1);
    CHECK(json.at("reason") == nlohmann::json{{"code", 18}, {"name", "partial"}, {"explanation", "1 of 2 devices can be used"}});
    CHECK(json.at("driver") ==
          nlohmann::json{
              {"library", "/usr/lib/libcuda.so.1"}, {"cuda_version", "13.0"}, {"kernel_driver", "580.65.06"}, {"simulated", false}});
    CHECK(json.contains("cuda_visible_devices"));
    REQUIRE(json.at("devices").size() == 2);
    CHECK(json["devices"][0] == nlohmann::json{{"ordinal", 0},
                                               {"name", "NVIDIA H200"},
                                               {"uuid", "GPU-01234567"},
                                               {"mig_instance", false},
                                               {"pci_bus_id", "0000:1b:00.0"},
                                               {"total_memory", std::size_t{141} << 30},
                                               {"compute_capability", "9.0"},
                                               {"multiprocessors", 132},
                                               {"compute_mode", "default"},
                                               {"usable", true},
                                               {"reason", {{"code", 0}, {"name", "none"}, {"explanation", nullptr}}}});
    CHECK(json["devices"][1]["usable"] == false);
    CHECK(json["devices"][1]["reason"]["name"] == "device_unhealthy");

    const auto none = nlohmann::json::parse(device_json(report_without_library()));
    CHECK(none.at("driver").at("library").is_null());
    CHECK(none.at("driver").at("cuda_version").is_null());
    CHECK(none.at("devices").empty());
    CHECK(none.at("attempts").at(0).at("finding") == "cannot open shared object file");
    CHECK(none.at("evidence").at(0) == nlohmann::json{{"subject", "/dev/nvidiactl"}, {"finding", "absent"}});
}

TEST_CASE("table and JSON show which entry of CUDA_VISIBLE_DEVICES is which device") {
    auto report = report_of_two();
    const std::vector<std::string> uuids{"GPU-01234567", "GPU-01234568"};
    report.visible_devices = map_visible_devices("1,0,x", uuids);
    const auto table = device_table(report, false);
    for (const auto* const text : {"CUDA_VISIBLE_DEVICES=1,0,x", "\"1\" is device 0", "\"x\" is no device: it is neither"}) {
        CHECK_THAT(table, contains_text(text));
    }
    const auto entries = nlohmann::json::parse(device_json(report)).at("visible_devices");
    CHECK(entries.size() == 3);
    CHECK(entries[1] == nlohmann::json{{"entry", "0"}, {"ordinal", 1}, {"finding", nullptr}});
    CHECK(entries[2].at("ordinal").is_null());
    CHECK_FALSE(entries[2].at("finding").is_null());
}

TEST_CASE("text that is no UTF-8 still makes JSON") {
    auto report = report_without_library();
    report.library.attempts[0].finding = "\xff\xfe";
    CHECK(nlohmann::json::accept(device_json(report)));
}
