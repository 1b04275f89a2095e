#include "devquery/list_process.hpp"
#include "devquery/verbs.hpp"
#include "doctor/doctor_verb.hpp"
#include "doctor/driver_answer.hpp"
#include "program/careful_loading.hpp"
#include "program/outcome.hpp"

// Each verb is registered by one function, which its own file defines. If the command line names the verb, its callback fills `outcome`.
int main(int argc, char** argv) {
    using namespace cupool::tools;
    if (const auto status = try_library_if_asked(argc, argv)) return *status;
    if (const auto status = list_for_parent_if_asked(argc, argv)) return *status;
    if (const auto status = answer_for_driver_if_asked(argc, argv)) return *status;
    return run_tool("devquery", [&]() -> Outcome {
        CLI::App app("Says what GPUs this host has for CUDA, and if none can be used, why.", "devquery");
        app.set_version_flag("--version", "devquery " CUPOOL_VERSION);
        app.require_subcommand(0, 1);
        app.footer("Exit codes: 0 every GPU is usable, 10 to 17 none is and why, 18 some are; 1 failed, 2 usage.");
        Outcome outcome;
        add_device_list(app, outcome);
        add_doctor_verb(app, outcome);
        add_topo_verb(app, outcome);
        add_bandwidth_verb(app, outcome);
        add_self_test_verb(app, outcome);
        add_watch_verb(app, outcome);
        add_workers_verb(app, outcome);
        auto text = parse_command_line(app, argc, argv);
        return text.empty() ? std::move(outcome) : Outcome{std::move(text)};
    });
}
