#include "devquery/device_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "devquery/device_csv.hpp"
#include "devquery/device_json.hpp"
#include "devquery/device_table.hpp"

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

std::string table_of(const ProbeReport& report, const TableStyle& style = {}) {
    return device_table(complete_report(report, false), style);
}

nlohmann::json json_of(const ProbeReport& report) { return nlohmann::json::parse(device_json(complete_report(report, false))); }

std::vector<std::string> implausible_in(const ProbeReport& report) { return complete_report(report, false).implausible; }

}  // namespace

TEST_CASE("a table without devices says why, what was tried and what to do") {
    const auto table = table_of(report_without_library());
    for (const auto* const text : {"No GPU can be used", "10 (no_library)", "install a driver", "libcuda.so.1",
                                   "cannot open shared object file", "/dev/nvidiactl: absent"}) {
        CHECK_THAT(table, contains_text(text));
    }
}

TEST_CASE("a table of devices shows each, and why one cannot be used") {
    const auto table = table_of(report_of_two());
    for (const auto* const text :
         {"/usr/lib/libcuda.so.1", "13.0", "580.65.06", "NVIDIA H200", "GPU-01234567", "0000:1b:00.0", "141.0 GiB", "9.0", "132",
          "prohibited", "yes", "GPU 1 cannot be used: its compute mode is prohibited", "18 (partial)"}) {
        CHECK_THAT(table, contains_text(text));
    }
    CHECK(table.find('\033') == std::string::npos);
    CHECK_THAT(table_of(report_of_two(), {.colors = true, .width = 0}), contains_text("\033[32myes\033[0m"));
}

TEST_CASE("where all is well the table has devices alone") {
    auto report = report_of_two();
    report.reason = Reason::none;
    report.devices.pop_back();
    const auto table = table_of(report);
    CHECK_THAT(table, !contains_text("looked at"));
    CHECK_THAT(table, !contains_text("No GPU"));
}

TEST_CASE("the JSON has all that the schema promises") {
    const auto json = json_of(report_of_two());
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
                                               {"free_memory", nullptr},
                                               {"compute_capability", "9.0"},
                                               {"multiprocessors", 132},
                                               {"clock_khz", nullptr},
                                               {"compute_mode", "default"},
                                               {"ecc_enabled", nullptr},
                                               {"numa_node", nullptr},
                                               {"usable", true},
                                               {"attributes", nullptr},
                                               {"reason", {{"code", 0}, {"name", "none"}, {"explanation", nullptr}}}});
    CHECK(json["devices"][1]["usable"] == false);
    CHECK(json["devices"][1]["reason"]["name"] == "device_unhealthy");

    const auto none = json_of(report_without_library());
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
    const auto table = table_of(report);
    for (const auto* const text : {"CUDA_VISIBLE_DEVICES=1,0,x", "\"1\" is device 0", "\"x\" is no device: it is neither"}) {
        CHECK_THAT(table, contains_text(text));
    }
    const auto entries = json_of(report).at("visible_devices");
    CHECK(entries.size() == 3);
    CHECK(entries[1] == nlohmann::json{{"entry", "0"}, {"ordinal", 1}, {"finding", nullptr}});
    CHECK(entries[2].at("ordinal").is_null());
    CHECK_FALSE(entries[2].at("finding").is_null());
}

TEST_CASE("text that is no UTF-8 still makes JSON") {
    auto report = report_without_library();
    report.library.attempts[0].finding = "\xff\xfe";
    CHECK(nlohmann::json::accept(device_json(complete_report(report, false))));
}

TEST_CASE("a narrow table leaves columns out, the least important first, and then prints a device a block") {
    const auto longest_line = [](const std::string& text) {
        std::size_t longest = 0;
        for (std::size_t begin = text.find("GPU"), end; begin < text.size(); begin = end + 1) {
            end = text.find('\n', begin);
            if (text.compare(begin, 4, "GPU ") != 0 || text.compare(begin, 5, "GPU  ") == 0) longest = std::max(longest, end - begin);
        }
        return longest;
    };
    auto report = report_of_two();
    report.devices.pop_back();
    report.reason = Reason::none;
    report.devices[0].name = "a name";
    const auto wide = table_of(report);
    CHECK_THAT(wide, contains_text("NUMA") && contains_text("clock"));
    const auto narrow = table_of(report, {.colors = false, .width = 60});
    CHECK_THAT(narrow, contains_text("SMs") && !contains_text("NUMA") && contains_text("usable"));
    CHECK(longest_line(narrow) <= 60);
    const auto blocks = table_of(report, {.colors = false, .width = 25});
    CHECK_THAT(blocks, contains_text("name          a name\n") && contains_text("NUMA          -\n"));
}

TEST_CASE("CSV has a header, quotes, CR LF, and empty fields for what is unknown") {
    auto report = report_of_two();
    report.devices[0].name = "one, \"two\"\n\x1b[31m";
    const auto csv = device_csv(complete_report(report, false));
    CHECK(csv.find("ordinal,name,uuid,mig_instance,pci_bus_id,total_memory,free_memory,") == 0);
    CHECK_THAT(
        csv,
        contains_text(
            "\r\n0,\"one, \"\"two\"\"\\x0a\\x1b[31m\",GPU-01234567,false,0000:1b:00.0,151397597184,,132,,9.0,default,,,true,none,\r\n"));
    CHECK_THAT(csv, contains_text(",prohibited,,,false,device_unhealthy,its compute mode is prohibited\r\n"));
}

TEST_CASE("answers of a driver that cannot be true are findings") {
    auto report = report_of_two();
    CHECK_THAT(implausible_in(report).front(), contains_text("GPU 0 and GPU 1 have the same UUID"));
    report.devices[1].uuid = "GPU-01234568";
    CHECK(implausible_in(report).empty());
    report.devices[0].multiprocessor_count = -5;
    report.devices[1].name = std::string(254, 'x');
    const auto findings = implausible_in(report);
    REQUIRE(findings.size() == 2);
    CHECK_THAT(findings[0], contains_text("-5 multiprocessors"));
    CHECK_THAT(findings[1], contains_text("GPU 1 has a name that does not end"));
    CHECK_THAT(table_of(report), contains_text("cannot be true") && contains_text("-5 multiprocessors"));
    CHECK(json_of(report).at("implausible_answers").size() == 2);
}

TEST_CASE("JSON has no bytes that a terminal obeys") {
    auto report = report_of_two();
    report.devices[0].name = "\x1b[31m \x7f \xc2\x9b";
    const auto text = device_json(complete_report(report, false));
    CHECK(std::all_of(text.begin(), text.end(), [](char letter) { return letter == '\n' || (letter >= ' ' && letter <= '~'); }));
    CHECK(nlohmann::json::parse(text)["devices"][0]["name"] == report.devices[0].name);
}
